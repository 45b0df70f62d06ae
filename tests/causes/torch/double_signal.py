import sys  # SPDX-License-Identifier: MIT
import numpy as np
import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule


def main(on_step):
    rng = np.random.default_rng(0)
    conv = torch.nn.Conv1d(8, 32, 9).double()
    for _ in range(4):
        window = torch.from_numpy(rng.standard_normal((16, 8, 2000)))
        with torch.no_grad():
            conv(window).relu().mean()
        on_step()


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    if len(sys.argv) > 1:
        with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=0, warmup=1, active=3, repeat=1), record_shapes=True) as prof:
            main(prof.step)
        prof.export_chrome_trace(sys.argv[1])
    else:
        main(lambda: None)
