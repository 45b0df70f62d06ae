# SPDX-License-Identifier: MIT
"""Asks a tool for the size of each file."""
import os
import subprocess


def size_of(path):
    return int(subprocess.run(["stat", "-c", "%s", path], capture_output=True, check=True).stdout)


def total(folder):
    return sum(size_of(os.path.join(folder, name)) for name in sorted(os.listdir(folder))[:40])


if __name__ == "__main__":
    print(total(os.path.dirname(os.__file__)))
