import functools  # SPDX-License-Identifier: MIT
@functools.lru_cache(None)
def ways(n, steps):
    if n == 0:
        return 1
    return sum(ways(n - s, steps) for s in steps if s <= n)
def table(top):
    return [ways(n, (1, 2, 5)) for n in range(top)]
print(table(29)[-1])
