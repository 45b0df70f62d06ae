# SPDX-License-Identifier: MIT
"""A worker that sleeps between its jobs."""
import time


def job(number):
    return sum(i * number for i in range(20000))


def worker(n):
    total = 0
    for number in range(n):
        total += job(number)
        time.sleep(0.05)
    return total


def main():
    print(worker(50))


if __name__ == "__main__":
    main()
