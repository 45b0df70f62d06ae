import sys  # SPDX-License-Identifier: MIT
import copy
import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule


def average(model, averages):
    snapshot = copy.deepcopy(model)
    with torch.no_grad():
        for mean, value in zip(averages.parameters(), snapshot.parameters()):
            mean.lerp_(value, 0.01)


def main(on_step):
    model = torch.nn.Sequential(*[torch.nn.Linear(96, 96) for _ in range(3)])
    averages = copy.deepcopy(model)
    for _ in range(4):
        model(torch.randn(64, 96)).sum()
        average(model, averages)
        on_step()


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    if len(sys.argv) > 1:
        with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=0, warmup=1, active=2, repeat=1), with_stack=True) as prof:
            main(prof.step)
        prof.export_chrome_trace(sys.argv[1])
    else:
        main(lambda: None)
