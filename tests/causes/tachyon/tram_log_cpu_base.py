import random  # SPDX-License-Identifier: MIT
import re

LINE = re.compile(r"(\d+) (\w+) at (\d+):(\d+) (late|early|ok)")


def lines(n):
    rng = random.Random(13)
    return ["%d stop%d at %d:%02d %s" % (rng.randrange(30), rng.randrange(90), rng.randrange(24), rng.randrange(60), rng.choice(["late", "early", "ok"])) for _ in range(n)]


def parse(text):
    found = LINE.match(text)
    return int(found[1]), found[2], int(found[3]) * 60 + int(found[4]), found[5]


def late_by_line(rows):
    counts = {}
    for line, _, _, state in rows:
        if state == "late":
            counts[line] = counts.get(line, 0) + 1
    return counts


def gaps(rows):
    last, longest = {}, {}
    for line, _, minute, _ in rows:
        longest[line] = max(longest.get(line, 0), abs(minute - last.get(line, minute)))
        last[line] = minute
    return longest


def main():
    for _ in range(7):
        rows = [parse(text) for text in lines(60000)]
        print(len(late_by_line(rows)), len(gaps(rows)))


main()
