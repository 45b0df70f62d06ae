import sys  # SPDX-License-Identifier: MIT

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule

WORDS = [f"w{i}" for i in range(400)]
INDEX = {word: i for i, word in enumerate(WORDS)}


def encode(text):
    ids = []
    for word in text.split():
        ids.append(INDEX.get(word, 0))
    return ids


def main(on_step):
    model = torch.nn.EmbeddingBag(400, 16)
    texts = [" ".join(f"w{(i * 37 + k) % 500}" for k in range(60)) for i in range(6)]
    for _ in range(4):
        for text in texts:
            model(torch.tensor([encode(text)]))
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
