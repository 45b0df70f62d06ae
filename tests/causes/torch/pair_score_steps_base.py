import sys  # SPDX-License-Identifier: MIT

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule

net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 28 * 28, 10))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
images = torch.randn(32, 1, 28, 28)
labels = torch.randint(0, 10, (32,))
held_out = torch.randn(256, 1, 28, 28)


def score_held_out():
    with torch.no_grad():
        return net(held_out).argmax(1).float().mean()


def main(on_step):
    for i in range(4):
        loss = nn.functional.cross_entropy(net(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if i == 3:
            score_held_out()
        on_step()


if __name__ == "__main__":
    torch.set_num_threads(1)
    if len(sys.argv) > 1:
        with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=0, warmup=1, active=3, repeat=1), with_stack=True) as prof:
            main(prof.step)
        prof.export_chrome_trace(sys.argv[1])
    else:
        main(lambda: None)
