# SPDX-License-Identifier: MIT
"""Draws a fractal in four threads."""
import threading


def point(x, y):
    z, n = 0j, 0
    c = complex(x, y)
    while abs(z) < 2 and n < 60:
        z = z * z + c
        n += 1
    return n


def rows(part, out):
    for y in range(part, 160, 4):
        out[y] = sum(point(x / 80 - 1.5, y / 80 - 1) for x in range(160))


def main():
    out = {}
    threads = [threading.Thread(target=rows, args=(part, out)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(sum(out.values()))


if __name__ == "__main__":
    for _ in range(8):
        main()
