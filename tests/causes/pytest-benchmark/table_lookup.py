# SPDX-License-Identifier: MIT
import pytest

def in_list(keys, wanted):
    return [key in keys for key in wanted]

@pytest.mark.parametrize("size", [100, 1000, 10000])
def test_lookup(benchmark, size):
    keys = [str(i) for i in range(size)]
    benchmark(in_list, keys, [str(i * 97 % size) for i in range(50)])

@pytest.mark.parametrize("size", [100, 1000, 10000])
def test_build(benchmark, size):
    benchmark(lambda: {str(i): i for i in range(50)})
