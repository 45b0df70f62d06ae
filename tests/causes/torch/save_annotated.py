import sys  # SPDX-License-Identifier: MIT
import io
import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule


def main(on_step):
    model = torch.nn.Sequential(*[torch.nn.Linear(200, 200) for _ in range(12)])
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(4):
        with record_function("train"):
            loss = model(torch.randn(8, 200)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with record_function("save_checkpoint"):
            buffer = io.BytesIO()
            torch.save([model.state_dict(), optimizer.state_dict()], buffer)
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
