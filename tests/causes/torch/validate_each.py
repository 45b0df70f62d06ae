import sys  # SPDX-License-Identifier: MIT

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule


def train_batch(model, optimizer, x, y):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()


def validate(model, batches):
    right = 0
    with torch.no_grad():
        for x, y in batches:
            right += (model(x).argmax(1) == y).sum().item()
    return right


def main(on_step):
    model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    held_out = [(torch.randn(128, 64), torch.randint(0, 10, (128,))) for _ in range(14)]
    for step in range(4):
        train_batch(model, optimizer, torch.randn(128, 64), torch.randint(0, 10, (128,)))
        validate(model, held_out)
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
