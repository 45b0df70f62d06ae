import sys  # SPDX-License-Identifier: MIT
import re
import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule

WORD = r"[a-z]+|[0-9]+|[^a-z0-9 ]"


def main(on_step):
    table = torch.nn.EmbeddingBag(1000, 32)
    text = "order 66 of 1024 parts: bolts, nuts and 17 washers; " * 300
    with torch.no_grad():
        for _ in range(4):
            with record_function("tokenize"):
                ids = []
                known = {}
                for word in re.findall(WORD, text):
                    if word not in known:
                        known[word] = sum(map(ord, word)) % 1000
                    ids.append(known[word])
            with record_function("embed"):
                table(torch.tensor([ids])).square().sum()
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
