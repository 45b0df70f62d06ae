import random  # SPDX-License-Identifier: MIT
random.seed(4)
TIMES = [(random.randrange(1440), f"line {i % 40}") for i in range(4000)]
def next_bus(minute):
    for time, line in sorted(TIMES):
        if time >= minute:
            return line
    return "none"
def board(passengers):
    return [next_bus(random.randrange(1440)) for _ in range(passengers)]
print(len(board(900)))
