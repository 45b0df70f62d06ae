import sys  # SPDX-License-Identifier: MIT
import time
import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule


def next_request(number):
    time.sleep(0.0005)
    return torch.randn(8, 64)


def main(on_step):
    model = torch.nn.Linear(64, 4)
    with torch.no_grad():
        for number in range(4):
            model(next_request(number)).softmax(1)
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
