import numpy  # SPDX-License-Identifier: MIT
def load_grid(n):
    return numpy.ones((n, n))
def pad(grid):
    return numpy.pad(grid, 200)
def smooth(grid):
    out = pad(grid)
    return (out[1:-1, 1:-1] + out[2:, 1:-1] + out[:-2, 1:-1]) / 3
def main():
    print(smooth(load_grid(1500)).sum())
main()
