import sys  # SPDX-License-Identifier: MIT

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule

prototypes = nn.Parameter(torch.randn(300, 64))
encode = nn.Linear(128, 64)
optimizer = torch.optim.SGD([prototypes, *encode.parameters()], lr=0.01)


def nearest(codes):
    return torch.cdist(codes, prototypes, compute_mode="donot_use_mm_for_euclid_dist").min(1).values.mean()


def main(on_step):
    for _ in range(4):
        optimizer.zero_grad()
        nearest(encode(torch.randn(512, 128))).backward()
        optimizer.step()
        on_step()


if __name__ == "__main__":
    torch.set_num_threads(1)
    if len(sys.argv) > 1:
        with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=0, warmup=1, active=3, repeat=1)) as prof:
            main(prof.step)
        prof.export_chrome_trace(sys.argv[1])
    else:
        main(lambda: None)
