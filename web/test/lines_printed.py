#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes lines_printed.json: hits, time, time per hit and percent as line_profiler 4.1 and later format them.

usage: lines_printed.py > lines_printed.json

The rules are those of its text report: one decimal in the unit that is asked for; what is longer than its
column is printed in three digits (hits: six). Python does the formatting, so the digits are printf's.
"""
import json
import random


def printed(hits, ticks, total, unit_s, out_s):
    scalar = unit_s / out_s
    time = '%5.1f' % (ticks * scalar)
    if len(time) > 12:
        time = '%5.3g' % (ticks * scalar)
    per_hit = '%5.1f' % (float(ticks) * scalar / hits)
    if len(per_hit) > 8:
        per_hit = '%5.3g' % (float(ticks) * scalar / hits)
    count = '%d' % hits
    if len(count) > 9:
        count = '%g' % hits
    percent = '%5.1f' % (100 * ticks / total) if total else ''
    return [text.strip() for text in (count, time, per_hit, percent)]


def main():
    rows = []
    dice = random.Random(7)
    for unit_s, out_s in ((1e-9, 1e-6), (1e-6, 1e-6), (1e-7, 1e-6), (1e-9, 1e-9)):
        for _ in range(150):
            hits = int(10 ** dice.uniform(0, 11))
            ticks = int(10 ** dice.uniform(0, 15))
            total = ticks + int(10 ** dice.uniform(0, 15))
            rows.append([hits, ticks, total, unit_s, out_s, printed(hits, ticks, total, unit_s, out_s)])
    # Ties: a digit that ends in exactly 5.
    for ticks in (50, 150, 250, 350, 450, 1050, 12550):
        rows.append([1, ticks, 4 * ticks, 1e-9, 1e-6, printed(1, ticks, 4 * ticks, 1e-9, 1e-6)])
    rows.append([3, 0, 0, 1e-9, 1e-6, printed(3, 0, 0, 1e-9, 1e-6)])
    print('[\n' + ',\n'.join(json.dumps(row) for row in rows) + '\n]')


main()
