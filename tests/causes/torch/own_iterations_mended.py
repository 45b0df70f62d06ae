import sys  # SPDX-License-Identifier: MIT

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule


def smooth(signal):
    out = signal.clone()
    out[1:-1] = (signal[:-2] + signal[1:-1] + signal[2:]) / 3
    return out


def main():
    for _ in range(4):
        with record_function("iteration"):
            with record_function("smooth"):
                y = smooth(torch.randn(90))
            with record_function("fit"):
                torch.linalg.lstsq(torch.randn(400, 20), torch.randn(400, 1))


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    if len(sys.argv) > 1:
        with profile(activities=[ProfilerActivity.CPU]) as prof:
            main()
        prof.export_chrome_trace(sys.argv[1])
    else:
        main()
