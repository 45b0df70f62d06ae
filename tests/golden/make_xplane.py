#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the samples of tests/golden/xplane. Run this after a change here, then PS_GOLDENS=write golden_test."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from made_xplane import Plane, Ref, Unsigned, environment, message, space, varint  # noqa: E402

US = 1_000_000  # ps


def host(steps=2):
    """A program whose thread waits for operators on a pool; arrows and memory of an allocator."""
    plane = Plane("/host:CPU")
    program, pool = [], []
    for step in range(steps):
        at = step * 1000 * US
        program.append(plane.event("train", at, 900 * US, step_num=10 + step, _r=1))
        program.append(plane.event("$train.py:3 load", at, 100 * US))
        program.append(plane.event("ThreadpoolListener::Record", at + 150 * US, 0, _pt=13, _p=7000 + step))
        pool.append(plane.event("ThreadpoolListener::StartRegion", at + 190 * US, 0, _ct=13, _c=7000 + step))
        pool.append(plane.event("dot", at + 200 * US, 300 * US, hlo_op=Ref("dot"), hlo_module=Ref("jit_f"), program_id=3, run_id=step,
                                device_ordinal=0))
        pool.append(plane.event("end: dot", at + 500 * US, 300_000))
    allocator = {"allocator_name": Ref("GPU_0_bfc"), "bytes_reserved": 4096, "bytes_available": 1 << 30, "fragmentation": 0.125}
    program.append(plane.event("MemoryAllocation", 920 * US, 0, bytes_allocated=1024, **allocator))
    program.append(plane.event("MemoryDeallocation", 940 * US, 0, bytes_allocated=256, **allocator))
    program.append(plane.event("launch", 950 * US, 10 * US, correlation_id=Unsigned(42)))
    program.append(plane.event("values", 970 * US, 0, whole=2.0, tiny=1e-300, big=Unsigned(2**64 - 1), minus=-5, raw=b"\0\1\2", text="a \"b\"",
                               infinite=float("inf")))
    plane.line(-7 << 32 | 5, "python", 12_000, *program, display="main thread")
    return plane.line(6, "tf_XLAEigen/6", 12_000, *pool)


def gpu():
    plane = Plane("/device:GPU:1", 1)
    kernel = plane.event("fusion", 12 * US, 40 * US, correlation_id=Unsigned(42), hlo_op=Ref("fusion.1"), hlo_module=Ref("jit_f"),
                         kernel_details=Ref(" regs:32 static_shared:16 dynamic_shared:1024 grid:16,2,1 block:512,1,1 occ_pct:75"))
    copy = plane.event("MemcpyH2D", 60 * US, 5 * US, memcpy_details="kind_src:pinned kind_dst:device size:4096 dest:0 async:1")
    plane.line(17, "Stream #17(Kernel,MemcpyH2D)", 962_000, kernel, copy)
    return plane.fact("device_vendor", "Nvidia").fact("clock_rate", 1_700_000).fact("memory_bandwidth", Unsigned(3_000_000_000_000))


def tpu():
    """Times that are no whole nanoseconds; metadata with a display name and stats; an event without a time."""
    plane = Plane("/device:TPU:0")
    plane.meta("%fusion.7 = f32[8] fusion(...)", "fusion.7", flops=134217728, bytes_accessed=2500000, hlo_category=Ref("convolution fusion"))
    plane.meta("%while.3 = (s32[]) while(...)", "while.3")
    events = [plane.event("%while.3 = (s32[]) while(...)", 1, 9_499), plane.event("%fusion.7 = f32[8] fusion(...)", 1_500, 2_750),
              plane.event("%fusion.7 = f32[8] fusion(...)", 5_000, 4_000), plane.counted("idle", 1 << 60, 77)]
    return plane.line(3, "XLA Ops", 20_000, *events).line(4, "Empty", 0)


def metadata():
    plane = Plane("/host:metadata")
    plane.meta("jit_f(3)", None, **{"Hlo Proto": b"\x0a\x05hello", "program_id": 3})
    return plane.fact("jax_version", "0.12.0.1")


def planes():
    return space(metadata(), gpu(), tpu(), host(), environment(), errors=["one error"], warnings=["one warning"])


def order():
    """Names before lines, the time of a line after its events, fields that nobody knows, ids without names, and a damaged event."""
    plane = Plane("/host:CPU", 3)
    first = plane.event("f", 2_000, 3_000, n=1)
    unnamed = message((1, 77), (2, 9_000), (3, 1_000), (4, message((1, 88), (7, 99))), (90, 5))
    line = message((11, "shown"), (4, first), (4, unnamed), (4, b"\x08"), (4, message((1, 1), (2, 20_000), (3, -1))), (1, 9), (3, 5))
    body = plane.encode(names_first=True) + message((3, line), (40, "unknown")) + varint(41 << 3 | 3) + varint(41 << 3 | 4)
    return space(body, hosts=())


def epoch():
    """Lines whose times are since 1970, as they are before xprof has read them."""
    plane = Plane("/host:CPU")
    start = 1_790_857_026_000_000_000
    plane.line(1, "python", start, plane.event("f", 2_000, 3_000_000)).line(2, "worker", start + 7_000, plane.event("g", 1_500, 2_000))
    return space(plane)


def cut():
    """The end is missing, within the second plane."""
    whole = space(host(1), gpu())
    return whole[:len(whole) - 150]


def damaged():
    """A length of the first line goes beyond its plane. The second plane is whole."""
    plane = Plane("/host:CPU").line(1, "python", 5).encode()
    broken = plane + b"\x1a\x7f\x08\x01"
    return space(broken, gpu())


def text_copy():
    return planes().decode("utf-8", "replace").encode()


SAMPLES = {"ok_planes": planes, "ok_order": order, "ok_epoch": epoch, "ok_cut": cut, "ok_damaged": damaged, "bad_text_copy": text_copy}

if __name__ == "__main__":
    os.makedirs(os.path.join(HERE, "xplane"), exist_ok=True)
    for name, make in SAMPLES.items():
        with open(os.path.join(HERE, "xplane", name + ".pb"), "wb") as file:
            file.write(make())
