#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pages of a large comparison, as a person scrolls through it, and the same comparison asked for by several at once.

    compare_pages.py PROGRAM [--functions 200000] [--at-once 4]

Two made dumps of so many functions each, every tenth of which takes longer in the second.
"""
import argparse
import concurrent.futures
import marshal
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import served

HERE = os.path.dirname(os.path.abspath(__file__))


def dumps(folder, functions):
    base, new = (os.path.join(folder, f"{name}.prof") for name in ("base", "new"))
    subprocess.run([sys.executable, os.path.join(HERE, "make_pstats.py"), str(functions), base], check=True, stdout=subprocess.DEVNULL)
    with open(base, "rb") as file:
        rows = marshal.load(file)
    for i, (key, (primitive, calls, own, total, callers)) in enumerate(rows.items()):
        if i % 10 == 0:
            rows[key] = (primitive, calls, own * 1.5, total + own * 0.5, callers)
    with open(new, "wb") as file:
        marshal.dump(rows, file)
    return base, new


class Server(served.Server):
    def took(self, path):
        """ms of one answer, over a connection of its own: several threads ask at once."""
        began = time.perf_counter()
        with urllib.request.urlopen(f"http://{self.address}/{path}") as answer:
            answer.read()
        return 1000 * (time.perf_counter() - began)


def measure(server, at_once):
    path = "api/v1/compare/functions?base=base&new=new&limit=100"
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        asked = list(pool.map(server.took, [path] * at_once))
    print(f"first page, {at_once} at once: {max(asked):.0f} ms until the last has it")
    print(f"first page alone, of another metric: {server.took(path + '&metric=cumtime_s'):.0f} ms")
    print(f"first page sorted by name: {server.took(path + '&sort=name&desc=0'):.1f} ms")
    pages = [server.took(f"{path}&sort=name&desc=0&offset={100 * k}") for k in range(1, 41)]
    print(f"each page after it: median {statistics.median(pages):.1f} ms, at most {max(pages):.1f} ms")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--functions", type=int, default=200_000)
    arguments.add_argument("--at-once", type=int, default=4)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "shelf")
        for path in dumps(folder, options.functions):
            name = os.path.basename(path).split(".")[0]
            subprocess.run([options.program, "add", "--data", data, "--name", name, path], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        server = Server(options.program, data)
        try:
            measure(server, options.at_once)
        finally:
            server.end()


if __name__ == "__main__":
    main()
