#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_lprof.py FUNCTIONS FOLDER: FOLDER/app.lprof with so many profiled functions of 50 lines, and the modules of 400
functions each that it measured, the same every time.

pickle itself writes the file, of a class that calls itself line_profiler's: LineStats(timings, unit) with
timings = {(file, first line, function): [(line, hits, ticks), ...]}.
"""
import os
import pickle
import random
import sys
import types

LINES, FUNCTIONS_OF_A_MODULE = 50, 400
KINDS = ("total += values[{i}] * {i}", "if total > {i}: total -= {i}", "values.append(total % {i})", "values[total % len(values)] = {i}",
         "total = compute(total, step={i}, scale=0.{i}, name='step {i}')")


def dump(timings, unit=1e-09, protocol=4, module="line_profiler.line_profiler"):
    """What line_profiler's dump_stats writes; `module` as 5.x has it, line_profiler._line_profiler is 4.x."""
    stats = type("LineStats", (), {"__module__": module})()
    stats.timings, stats.unit = timings, unit
    known = {name: sys.modules.get(name) for name in ("line_profiler", module)}
    for name in known:
        sys.modules[name] = types.ModuleType(name)
    sys.modules[module].LineStats = type(stats)
    try:
        return pickle.dumps(stats, protocol)
    finally:
        for name, was in known.items():
            if was:
                sys.modules[name] = was
            else:
                del sys.modules[name]


def module_lines(first, count):
    for f in range(first, first + count):
        yield f"def function_{f}(values, total=0):"
        for i in range(1, LINES - 2):
            yield "    " + KINDS[(f + i) % len(KINDS)].format(i=i)
        yield "    return total"
        yield ""


def timings_of(path, first, count, chance):
    for f in range(first, first + count):
        start = (f - first) * LINES + 1
        hits = 1 + int(chance.expovariate(1e-5))
        yield (path, start, f"function_{f}"), [(start + i, hits + i % 3, int(hits * chance.expovariate(1e-3)))
                                               for i in range(1, LINES - 1)]


def write(functions, folder):
    chance, timings = random.Random(functions), {}
    os.makedirs(folder, exist_ok=True)
    for first in range(0, functions, FUNCTIONS_OF_A_MODULE):
        path = os.path.join(os.path.abspath(folder), f"module_{first // FUNCTIONS_OF_A_MODULE}.py")
        count = min(FUNCTIONS_OF_A_MODULE, functions - first)
        with open(path, "w", encoding="ascii") as file:
            file.writelines(line + "\n" for line in module_lines(first, count))
        timings.update(timings_of(path, first, count, chance))
    profile = os.path.join(folder, "app.lprof")
    with open(profile, "wb") as file:
        file.write(dump(timings, module="line_profiler._line_profiler"))  # which 4.0 can load too
    return profile


if __name__ == "__main__":
    write(int(sys.argv[1]), sys.argv[2])
