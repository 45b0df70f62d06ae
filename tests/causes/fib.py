# SPDX-License-Identifier: MIT
# names: ways
# saves: 60 to 100
def ways(n):
    return 1 if n<2 else ways(n-1)+ways(n-2)
def table(): return [ways(n) for n in range(19)]
table()
