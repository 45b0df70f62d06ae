# SPDX-License-Identifier: MIT
"""Trains vectors of words, of which each batch has few."""
import sys

import torch
from torch.profiler import ProfilerActivity, profile, schedule


def train(words, batches, profiler=None):
    optimizer = torch.optim.SGD(words.parameters(), lr=0.1)
    for batch in batches:
        loss = words(batch).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if profiler:
            profiler.step()


def main(path=None):
    torch.manual_seed(1)
    torch.set_num_threads(1)
    words = torch.nn.Embedding(120000, 64, sparse=True)
    batches = [torch.randint(120000, (64,)) for _ in range(20 if path is None else 6)]
    if path is None:
        train(words, batches)
        return
    with profile(activities=[ProfilerActivity.CPU], with_stack=True, schedule=schedule(wait=1, warmup=1, active=3, repeat=1)) as profiler:
        train(words, batches, profiler)
    profiler.export_chrome_trace(path)


main(*sys.argv[1:])
