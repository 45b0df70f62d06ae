import sys  # SPDX-License-Identifier: MIT

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule

net = nn.Linear(512, 512)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)


def save_state():
    torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, "/tmp/state.pt")


def main(on_step):
    for i in range(4):
        loss = net(torch.randn(64, 512)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if i == 3:
            save_state()
        on_step()


if __name__ == "__main__":
    torch.set_num_threads(1)
    if len(sys.argv) > 1:
        with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=0, warmup=1, active=3, repeat=1), with_stack=True) as prof:
            main(prof.step)
        prof.export_chrome_trace(sys.argv[1])
    else:
        main(lambda: None)
