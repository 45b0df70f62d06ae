import sys  # SPDX-License-Identifier: MIT

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule


def roll_out(policy, n_frames):
    history = torch.zeros(0, 4096)
    frame = torch.zeros(1, 4096)
    for _ in range(n_frames):
        frame = policy(frame)
        history = torch.cat([history, frame])
    return history


def main(on_step):
    weights = torch.rand(4096)
    for _ in range(4):
        roll_out(lambda frame: torch.tanh(frame + weights), 150)
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
