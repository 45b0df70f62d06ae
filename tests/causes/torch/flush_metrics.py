import sys  # SPDX-License-Identifier: MIT
import json
import os
import tempfile
import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule


def write_metrics(path, history):
    with open(path, "w") as out:
        out.write(json.dumps(history))
        out.flush()
        os.fsync(out.fileno())


def train_batch(model, optimizer, x):
    loss = ((model(x) - x) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def main(on_step):
    model = torch.nn.Linear(64, 64)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    history = [{"loss": i / 7, "lr": 0.1, "grad": i / 3} for i in range(20000)]
    path = os.path.join(tempfile.gettempdir(), "metrics.json")
    for step in range(4):
        loss = train_batch(model, optimizer, torch.randn(256, 64))
        history.append({"loss": loss, "lr": 0.1, "grad": 0.0})
        write_metrics(path, history)
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
