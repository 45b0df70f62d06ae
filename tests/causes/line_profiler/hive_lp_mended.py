import random  # SPDX-License-Identifier: MIT
from collections import deque
random.seed(7)
def readings(n):
    return [(random.random() * 40, i) for i in range(n)]
def smooth(values):
    window, out = deque(maxlen=24), []
    for weight, hour in values:
        window.appendleft(weight)
        out.append(sum(window) / min(24, len(window)))
    return out
def report(values):
    return max(values) - min(values)
def main():
    data = readings(180000)
    print(report(smooth(data)))
main()
