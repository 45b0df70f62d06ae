import sys  # SPDX-License-Identifier: MIT

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule


def normalise(frame):
    return frame / 255


def main(on_step):
    head = torch.nn.Linear(320, 8)
    with torch.no_grad():
        for _ in range(4):
            for _ in range(6):
                frame = torch.randint(0, 256, (240, 320))
                head(normalise(frame)).sum()
            on_step()


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    if len(sys.argv) > 1:
        with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=0, warmup=1, active=3, repeat=1), with_stack=True) as prof:
            main(prof.step)
        prof.export_chrome_trace(sys.argv[1])
    else:
        main(lambda: None)
