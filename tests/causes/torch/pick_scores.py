# SPDX-License-Identifier: MIT
"""Trains scores of items; the score of each chosen item is picked in a loop."""
import sys

import torch
from torch.profiler import ProfilerActivity, profile, schedule


def scores_of(table, rows, columns):
    return torch.stack([table[row, column] for row, column in zip(rows, columns)])


def learn(table, rows, columns, steps, profiler=None):
    optimizer = torch.optim.SGD([table], lr=0.1)
    for _ in range(steps):
        loss = (1 - scores_of(table, rows, columns)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if profiler:
            profiler.step()


def main(path=None):
    torch.manual_seed(1)
    torch.set_num_threads(1)
    table = torch.rand(64, 96, requires_grad=True)
    rows = [step * 37 % 64 for step in range(120)]
    columns = [step * 53 % 96 for step in range(120)]
    if path is None:
        learn(table, rows, columns, 200)
        return
    with profile(activities=[ProfilerActivity.CPU], with_stack=True, schedule=schedule(wait=1, warmup=1, active=3, repeat=1)) as profiler:
        learn(table, rows, columns, 6, profiler)
    profiler.export_chrome_trace(path)


main(*sys.argv[1:])
