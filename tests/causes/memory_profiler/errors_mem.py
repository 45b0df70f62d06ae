"""Counts the errors of a log file."""  # SPDX-License-Identifier: MIT
import os
import tempfile
from memory_profiler import profile


def write_log(path):
    with open(path, "w") as out:
        for n in range(400_000):
            out.write(f"{n:08d} {'ERROR' if n % 9 == 0 else 'INFO'} service {n % 17} answered in {n % 311} ms\n")


@profile
def count_errors(path):
    with open(path) as log:
        lines = log.readlines()
    errors = 0
    for line in lines[::4000]:
        errors += " ERROR " in line
    slowest = max(int(line.split()[-2]) for line in lines)
    return errors, slowest


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "service.log")
    write_log(path)
    print(count_errors(path))
