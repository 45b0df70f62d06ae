# SPDX-License-Identifier: MIT
# file: primes.py
def factor(n):
    out, p = [], 2
    while p * p <= n:
        while n % p == 0:
            out.append(p)
            n //= p
        p += 1
    return out + [n] * (n > 1)
# file: main.py
import multiprocessing

from primes import factor


def run(numbers):
    with multiprocessing.Pool(2) as pool:
        return pool.map(factor, numbers, chunksize=8)


if __name__ == "__main__":
    print(len(run([10**11 + 3 * i for i in range(60)])))
