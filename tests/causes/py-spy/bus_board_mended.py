import random  # SPDX-License-Identifier: MIT
random.seed(4)
TIMES = [(random.randrange(1440), f"line {i % 40}") for i in range(4000)]
def next_bus(ordered, minute):
    for time, line in ordered:
        if time >= minute:
            return line
    return "none"
def board(passengers):
    ordered = sorted(TIMES)
    return [next_bus(ordered, random.randrange(1440)) for _ in range(passengers)]
print(len(board(900)))
