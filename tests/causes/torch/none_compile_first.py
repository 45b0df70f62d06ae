import sys  # SPDX-License-Identifier: MIT

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule


def score(x, w):
    return torch.relu(x @ w).sin().mul(2.0).sum(1)


def main(on_step):
    fast = torch.compile(score, backend="aot_eager")
    w = torch.randn(256, 256)
    for _ in range(6):
        fast(torch.randn(2000, 256), w)
        on_step()


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    if len(sys.argv) > 1:
        with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=0, warmup=0, active=6, repeat=1)) as prof:
            main(prof.step)
        prof.export_chrome_trace(sys.argv[1])
    else:
        main(lambda: None)
