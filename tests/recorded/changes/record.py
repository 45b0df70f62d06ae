#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records each pair of profiles here again: one program, once as it is and once with one known change.

Needs line_profiler (Debian: python3-line-profiler) in the Python that runs this. The traces are not recorded here; see README.md.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

ORDERS = '''\
# SPDX-License-Identifier: MIT
import json
import re


def made(count):
    return [json.dumps({"name": "order-%d" % i, "items": [[i % 7, 3], [i % 5, 2]]}) for i in range(count)]


def parse(lines):
    return [json.loads(line) for line in lines]


def price(order):
    total = 0
    for each, count in order["items"]:
        total += each * count
    return total


def matching(orders, pattern):
    return [order for order in orders if re.search(pattern, order["name"])]


def report(orders):
    names, rows = set(), []
    for order in orders:
        names.add(order["name"][-3:])
        rows.append("%s %d" % (order["name"], price(order)))
    rows.append("%d names" % len(names))
    return rows


def main():
    orders = parse(made(3000))
    for _ in range(3):
        report(matching(orders, "[0-9]+$"))


if __name__ == "__main__":
    main()
'''
SLOWER = ("    return total\n", "    for _ in range(300):\n        total += 0\n    return total\n")
ADDED = ("        rows.append(", "        last = sorted(names)[-1]\n        rows.append(")
MOVED = ("import json\n", "# What follows lies a line further down.\nimport json\n")
PROFILED = ("def report(", "@profile\ndef report(")

EAGER = {"__init__": "from shop import models, report\n", "models": "import dataclasses\nimport json\n",
         "report": "import asyncio\nimport csv\n\n\ndef later():\n    return asyncio.sleep(0)\n"}
LAZY = dict(EAGER, report="import csv\n\n\ndef later():\n    import asyncio\n\n    return asyncio.sleep(0)\n")


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def run(folder, *args, **options):
    return subprocess.run([sys.executable, *args], cwd=folder, check=True, capture_output=True, **options)


def functions(folder, name, text):
    write(os.path.join(folder, "orders.py"), text)
    run(folder, "-m", "cProfile", "-o", os.path.join(HERE, f"functions-{name}.prof"), "orders.py")


def lines(folder, name, text):
    """The source stays beside the profile, which holds none."""
    source, profile = os.path.join(HERE, name, "orders.py"), os.path.join(HERE, f"lines-{name}.lprof")
    text = text.replace(*PROFILED)
    write(source, text)
    write(os.path.join(folder, "orders.py"), text)
    run(folder, "-m", "kernprof", "-l", "-o", profile, "orders.py")
    printed = run(folder, "-m", "line_profiler", profile).stdout
    with open(os.path.join(HERE, f"lines-{name}.txt"), "wb") as file:
        file.write(printed)


def imports(folder, name, modules):
    for module, text in modules.items():
        write(os.path.join(folder, "shop", f"{module}.py"), text)
    run(folder, "-c", "import shop")  # so that the log is of compiled modules
    log = run(folder, "-X", "importtime", "-c", "import shop").stderr
    with open(os.path.join(HERE, f"imports-{name}.log"), "wb") as file:
        file.write(log)


def main():
    with tempfile.TemporaryDirectory() as folder:
        functions(folder, "base", ORDERS)
        functions(folder, "new", ORDERS.replace(*SLOWER))
        lines(folder, "base", ORDERS)
        lines(folder, "new", ORDERS.replace(*ADDED).replace(*MOVED))
        imports(os.path.join(folder, "base"), "base", EAGER)
        imports(os.path.join(folder, "new"), "new", LAZY)


if __name__ == "__main__":
    main()
