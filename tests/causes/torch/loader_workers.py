import sys  # SPDX-License-Identifier: MIT

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule


class Games(torch.utils.data.Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        board = [0] * 64
        for move in range(60000):
            board[(move * 7 + index) % 64] += move % 3
        return torch.tensor(board, dtype=torch.float32)


def main(on_step):
    model = torch.nn.Linear(64, 4)
    with torch.no_grad():
        for boards in torch.utils.data.DataLoader(Games(), batch_size=8, num_workers=1):
            model(boards).softmax(1)
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
