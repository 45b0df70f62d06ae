import sys  # SPDX-License-Identifier: MIT

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule


def main(on_step):
    model = torch.nn.LSTM(64, 256, batch_first=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(4):
        out, _ = model(torch.randn(32, 40, 64))
        optimizer.zero_grad()
        out.square().mean().backward()
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
