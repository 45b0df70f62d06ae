import sys  # SPDX-License-Identifier: MIT

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule

N_TAGS = 17


class Tagger(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(5000, 32)
        self.out = torch.nn.Linear(32, N_TAGS)

    def forward(self, tokens):
        return self.out(self.embed(tokens))


def decode_tags(scores):
    tags = []
    for row in scores:
        for position in range(row.shape[0]):
            tags.append(row[position].argmax().item())
    return tags


def main(on_step):
    model = Tagger()
    for _ in range(4):
        tokens = torch.randint(0, 5000, (2, 60))
        with torch.no_grad():
            scores = model(tokens)
        decode_tags(scores)
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
