# SPDX-License-Identifier: MIT
def ways(n):
    return 1 if n<2 else ways(n-1)+ways(n-2)
def table(): return [ways(n) for n in range(27)]
table()
