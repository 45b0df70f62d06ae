import sys  # SPDX-License-Identifier: MIT
import math
import random

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule


class Spectra(torch.utils.data.Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        channels = torch.arange(400)
        return torch.sin(index + channels / 50) + torch.rand(400), index % 4


def main(on_step):
    model = torch.nn.Linear(400, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in torch.utils.data.DataLoader(Spectra(), batch_size=4):
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
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
