# SPDX-License-Identifier: MIT
import functools
@functools.cache
def ways(n):
    return 1 if n<2 else ways(n-1)+ways(n-2)
def table(): return [ways(n) for n in range(27)]
table()
