# SPDX-License-Identifier: MIT
# file: stars/__init__.py
# file: stars/catalog.py
import json, functools
@functools.cache
def bright():
    TEXT = json.dumps([{"name": f"HD {i}", "ra": i % 360, "dec": i % 90, "mag": (i * 7) % 120 / 10} for i in range(120_000)])
    STARS = json.loads(TEXT)
    return sorted((s for s in STARS if s["mag"] < 6), key=lambda s: s["mag"])
# file: stars/angles.py
import math
def separation(a, b):
    return math.degrees(math.acos(max(-1, min(1, math.cos(math.radians(a - b))))))
# file: stars/tool.py
import argparse
from stars import angles, catalog
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true")
    if parser.parse_args().list:
        print(catalog.bright()[:10])
    print(angles.separation(10, 20))
# file: main.py
from stars.tool import main
main()
