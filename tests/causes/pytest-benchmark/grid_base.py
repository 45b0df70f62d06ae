import pytest

from grid import flood, neighbours, row_sums

CELLS = [[(x * y) % 7 for x in range(40)] for y in range(40)]


def test_row_sums(benchmark):
    benchmark(row_sums, CELLS)


def test_neighbours(benchmark):
    benchmark(lambda: [neighbours(CELLS, x, y) for x in range(1, 39) for y in range(1, 39)])


def test_flood(benchmark):
    benchmark(flood, CELLS, 0, 0)
