# SPDX-License-Identifier: MIT
"""Trains a small net on readings that are kept as lists of Python numbers."""
import sys

import torch
from torch.profiler import ProfilerActivity, profile, schedule


def make_readings(count, width):
    return [[(row * 31 + column * 7) % 101 / 101 for column in range(width)] for row in range(count)]


def fit(net, readings, steps, profiler=None):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(steps):
        batch = torch.tensor(readings)
        loss = net(batch).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if profiler:
            profiler.step()


def main(path=None):
    torch.manual_seed(1)
    torch.set_num_threads(1)
    net = torch.nn.Linear(240, 8)
    readings = make_readings(256, 240)
    if path is None:
        fit(net, readings, 60)
        return
    with profile(activities=[ProfilerActivity.CPU], with_stack=True, schedule=schedule(wait=1, warmup=1, active=3, repeat=1)) as profiler:
        fit(net, readings, 6, profiler)
    profiler.export_chrome_trace(path)


main(*sys.argv[1:])
