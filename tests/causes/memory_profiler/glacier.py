from memory_profiler import profile  # SPDX-License-Identifier: MIT
import numpy as np
def melt(grid, year):
    return grid * (1 - 0.001 * year)
@profile
def run(years):
    grid = np.ones((400, 500))
    history = []
    for year in range(years):
        grid = melt(grid, year)
        history.append(grid.copy())
    mean = sum(float(g.mean()) for g in history[:2])
    return mean
if __name__ == "__main__":
    print(run(60))
