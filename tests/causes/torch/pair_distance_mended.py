import sys  # SPDX-License-Identifier: MIT

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule


def contact_map(atoms):
    near = torch.cdist(atoms, atoms) < 2.0
    return int(near.tril(-1).sum())


def main(on_step):
    for _ in range(4):
        atoms = torch.randn(14, 3) * 3
        contact_map(atoms)
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
