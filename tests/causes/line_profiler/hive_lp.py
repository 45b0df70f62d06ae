import random  # SPDX-License-Identifier: MIT
random.seed(7)
def readings(n):
    return [(random.random() * 40, i) for i in range(n)]
@profile
def smooth(values):
    window, out = [], []
    for weight, hour in values:
        window.insert(0, weight)
        if len(window) > 9000:
            window.pop()
        out.append(sum(window[:24]) / min(24, len(window)))
    return out
def report(values):
    return max(values) - min(values)
def main():
    data = readings(180000)
    print(report(smooth(data)))
main()
