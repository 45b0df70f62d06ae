import sys  # SPDX-License-Identifier: MIT

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule


def main(on_step):
    for _ in range(4):
        points = torch.randn(2000, 16)
        labels = torch.randint(0, 80, (2000,))
        centres = torch.zeros(80, 16)
        for label in range(80):
            centres[label] = points[labels == label].mean(0)
        (points - centres[labels]).norm()
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
