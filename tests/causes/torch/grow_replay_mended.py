import sys  # SPDX-License-Identifier: MIT

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule


def main(on_step):
    replay = torch.zeros(2400, 512)
    used = 0
    for _ in range(4):
        for _ in range(60):
            replay[used:used + 8] = torch.rand(8, 512)
            used += 8
            batch = replay[torch.randint(0, used, (16,))]
            batch.mean()
        on_step()


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    if len(sys.argv) > 1:
        with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=0, warmup=1, active=3, repeat=1)) as prof:
            main(prof.step)
        prof.export_chrome_trace(sys.argv[1])
    else:
        main(lambda: None)
