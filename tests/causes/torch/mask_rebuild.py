import sys  # SPDX-License-Identifier: MIT

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = torch.nn.Linear(64, 192)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        weights = q @ k.transpose(-2, -1) / 8
        return torch.softmax(weights + causal_mask(x.shape[1]), -1) @ v


def causal_mask(n):
    mask = torch.zeros(n, n)
    for row in range(n):
        mask[row, row + 1:] = float("-inf")
    return mask


def main(on_step):
    blocks = torch.nn.ModuleList([Block() for _ in range(3)])
    with torch.no_grad():
        for _ in range(4):
            x = torch.randn(4, 96, 64)
            for block in blocks:
                x = x + block(x)
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
