# SPDX-License-Identifier: MIT
def total(n):
    return sum(i * i for i in range(n))

def test_one(benchmark):
    benchmark(total, 4000)

def test_two(benchmark):
    benchmark(total, 4000)

def test_three(benchmark):
    benchmark(total, 4000)
