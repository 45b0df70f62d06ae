# SPDX-License-Identifier: MIT
# Writes the memory snapshot of the first failed allocation, since that is the one to explain; without one, that of the end.
import torch

EVENTS_MAX = 1000000  # PyTorch keeps the newest; an event has a few hundred bytes

out, code, names = program()
devices = [d for d in (torch.cuda, getattr(torch, "xpu", None)) if d and d.is_available() and hasattr(d.memory, "_record_memory_history")]
if not devices:
    sys.exit("perfshelf: PyTorch finds no GPU whose memory it can record")
memory = devices[0].memory
written = []


def write(*_):
    """Called with the device and sizes of a failed allocation, before its error is raised."""
    if not written:
        memory._dump_snapshot(out)
        written.append(out)


try:
    memory._record_memory_history(stacks="python", max_entries=EVENTS_MAX)
except TypeError:  # torch 2.0
    memory._record_memory_history(True, trace_alloc_max_entries=EVENTS_MAX, trace_alloc_record_context=True)
attach = getattr(torch._C, "_cuda_attach_out_of_memory_observer" if devices[0] is torch.cuda else "_xpu_attach_out_of_memory_observer", None)
if attach:
    attach(write)
try:
    run(code, names)
finally:
    write()
