import sys  # SPDX-License-Identifier: MIT

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule


def energy(x):
    return (x.exp().mul(0.5) + x.square()).sum().sqrt()


def main(on_step):
    torch._dynamo.config.automatic_dynamic_shapes = False
    fast = torch.compile(energy, backend="aot_eager")
    for n in (900, 910, 920, 930, 940, 950):
        fast(torch.rand(n, 64))
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
