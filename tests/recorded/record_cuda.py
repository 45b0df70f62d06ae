# SPDX-License-Identifier: MIT
"""Records torch-cuda/ again: python record_cuda.py FOLDER, on a machine with a CUDA device.

What lies there was recorded with torch 2.11.0+cu130, Python 3.12.3, on an NVIDIA H200. Beside each trace stands what torch itself
says of it: its key_averages(), times in microseconds, memory in bytes.
"""
import gzip
import json
import os
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile, record_function, schedule

FOLDER = sys.argv[1]
DEVICE = "cuda"
BOTH = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
EVERYTHING = {"record_shapes": True, "profile_memory": True, "with_stack": True, "with_flops": True, "with_modules": True}
FIGURES = {"count": "count", "self_cpu_time_total_us": "self_cpu_time_total", "cpu_time_total_us": "cpu_time_total",
           "self_device_time_total_us": "self_device_time_total", "device_time_total_us": "device_time_total",
           "cpu_memory_usage": "cpu_memory_usage", "self_cpu_memory_usage": "self_cpu_memory_usage",
           "device_memory_usage": "device_memory_usage", "self_device_memory_usage": "self_device_memory_usage",
           "flops": "flops", "is_async": "is_async", "is_user_annotation": "is_user_annotation"}


def path(name):
    return os.path.join(FOLDER, name)


def pack(name):
    """FOLDER/name becomes FOLDER/name.gz."""
    with open(path(name), "rb") as file, gzip.open(path(name) + ".gz", "wb") as out:
        out.write(file.read())
    os.remove(path(name))


def rows(averages, by_shape=False):
    return [{"key": row.key, **{ours: getattr(row, theirs) for ours, theirs in FIGURES.items()},
             "device_type": str(row.device_type), "input_shapes": row.input_shapes if by_shape else None} for row in averages]


def save(name, profiler, options):
    profiler.export_chrome_trace(path(f"{name}.trace.json"))
    pack(f"{name}.trace.json")
    averages = profiler.key_averages()
    oracle = {"torch": torch.__version__, "python": sys.version.split()[0], "options": options,
              "self_cpu_time_total_us": averages.self_cpu_time_total, "key_averages": rows(averages)}
    if options.get("record_shapes"):
        oracle["key_averages_by_input_shape"] = rows(profiler.key_averages(group_by_input_shape=True), by_shape=True)
    with gzip.open(path(f"{name}.oracle.json.gz"), "wt") as file:
        json.dump(oracle, file)
    if options == EVERYTHING:
        profiler.export_memory_timeline(path(f"{name}.memory_timeline.json"), device="cuda:0")
        pack(f"{name}.memory_timeline.json")


def record(name, body, steps=4, **options):
    """Some steps of body, after as many as the allocator and the compiler need to settle."""
    for _ in range(6):
        body()
    torch.cuda.synchronize()
    with profile(activities=BOTH, schedule=schedule(wait=1, warmup=1, active=steps),
                 on_trace_ready=lambda profiler: save(name, profiler, options), **options) as profiler:
        for _ in range(steps + 2):
            body()
            profiler.step()


def record_whole(name, body, activities, steps, **options):
    """The same without a schedule: no ProfilerStep is in the file."""
    with profile(activities=activities, **options) as profiler:
        for _ in range(steps):
            body()
        torch.cuda.synchronize()
    save(name, profiler, options)


class Convolutions(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.Conv2d(32, 64, 3, stride=2),
                         nn.BatchNorm2d(64), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before_attention, self.before_net = nn.LayerNorm(width), nn.LayerNorm(width)
        self.project, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.net = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.project(self.before_attention(x)).chunk(3, -1)
        heads = [part.view(batch, length, self.heads, width // self.heads).transpose(1, 2) for part in parts]
        seen = F.scaled_dot_product_attention(*heads, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).reshape(batch, length, width))
        return x + self.net(self.before_net(x))


class Transformer(nn.Sequential):
    def __init__(self, words=1000, width=256, blocks=3):
        super().__init__(nn.Embedding(words, width), *(Block(width, 4) for _ in range(blocks)), nn.LayerNorm(width),
                         nn.Linear(width, words))


def train(net, optimizer, x, y, mixed=False):
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=mixed):
        out = net(x)
        loss = F.cross_entropy(out.flatten(0, -2), y.flatten())
    loss.backward()
    optimizer.step()
    return loss


def convolutions():
    net = Convolutions().to(DEVICE)
    optimizer = torch.optim.SGD(net.parameters(), 0.01, momentum=0.9)
    x, y = torch.randn(32, 3, 64, 64), torch.randint(0, 10, (32,))
    return net, optimizer, x, y, lambda: train(net, optimizer, x.to(DEVICE), y.to(DEVICE)).item()


def record_transformer():
    net, words = Transformer().to(DEVICE), torch.randint(0, 1000, (8, 128), device=DEVICE)
    optimizer = torch.optim.AdamW(net.parameters(), 1e-3)
    record("gpt_training", lambda: train(net, optimizer, words, words, mixed=True), steps=2, **EVERYTHING)

    def predict():
        with torch.inference_mode(), record_function("## predict ##"):
            net(words)

    record("gpt_inference", predict, record_shapes=True, with_modules=True, with_stack=True)
    compiled = torch.compile(net, mode="reduce-overhead")

    def replay():
        with torch.no_grad():
            compiled(words)

    record("gpt_cudagraph_compiled", replay, record_shapes=True)


def record_graph():
    net, x = nn.Sequential(nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 512)).to(DEVICE), torch.randn(256, 512, device=DEVICE)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream), torch.no_grad():
        for _ in range(3):
            net(x)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        net(x)
    record("cuda_graph", graph.replay, steps=5)


def record_streams():
    one, other = torch.cuda.Stream(), torch.cuda.Stream()
    a, pinned = torch.randn(2048, 2048, device=DEVICE), torch.randn(4096, 1024).pin_memory()

    def body():
        done = torch.cuda.Event()
        with torch.cuda.stream(one):
            a @ a
            done.record(one)
        with torch.cuda.stream(other):
            pinned.to(DEVICE, non_blocking=True).sin()
            other.wait_event(done)
            a.relu()
        torch.cuda.synchronize()

    record("streams", body)


class Noise(torch.utils.data.Dataset):
    def __len__(self):
        return 640

    def __getitem__(self, index):
        return torch.randn(3, 64, 64), index % 10


def record_loader(net, optimizer):
    def batches():
        while True:
            yield from torch.utils.data.DataLoader(Noise(), batch_size=32, num_workers=2, pin_memory=True)

    source = batches()

    def body():
        x, y = next(source)
        train(net, optimizer, x.to(DEVICE, non_blocking=True), y.to(DEVICE, non_blocking=True))

    record("dataloader", body, record_shapes=True)


def record_distributed(x, y):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29511", RANK="0", WORLD_SIZE="1")
    dist.init_process_group("nccl", rank=0, world_size=1)
    net = nn.parallel.DistributedDataParallel(Convolutions().to(DEVICE), device_ids=[0])
    optimizer = torch.optim.SGD(net.parameters(), 0.1)

    def body():
        train(net, optimizer, x.to(DEVICE), y.to(DEVICE))
        dist.all_reduce(torch.ones(1 << 20, device=DEVICE))

    record("ddp", body, record_shapes=True)
    dist.destroy_process_group()


def record_events(body):
    """The older profiler: its device times are of CUDA events, and in its table alone."""
    with torch.autograd.profiler.profile(use_device=DEVICE, record_shapes=True) as profiler:
        for _ in range(2):
            body()
    profiler.export_chrome_trace(path("autograd.trace.json"))
    pack("autograd.trace.json")
    with open(path("autograd.table.txt"), "w", encoding="utf-8") as file:
        file.write(profiler.key_averages().table(sort_by="self_cuda_time_total", row_limit=-1))


def main():
    os.makedirs(FOLDER, exist_ok=True)
    net, optimizer, x, y, body = convolutions()
    record("convnet_shapes_memory", body, record_shapes=True, profile_memory=True, with_flops=True)
    record("convnet_all", body, steps=2, **EVERYTHING)
    record_whole("convnet_noschedule", body, BOTH, 4, record_shapes=True)
    record_transformer()
    record_graph()
    record_streams()
    record_loader(net, optimizer)
    record_distributed(x, y)
    record_whole("cuda_only", body, [ProfilerActivity.CUDA], 3)
    record_events(body)


if __name__ == "__main__":
    main()
