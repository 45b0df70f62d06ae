# SPDX-License-Identifier: MIT
def plus(parts):
    text = ()
    for part in parts:
        text = text + (part,)
    return text

def test_plus(benchmark):
    benchmark(plus, list(range(3000)))

def test_extend(benchmark):
    benchmark(lambda: tuple(range(3000)))
