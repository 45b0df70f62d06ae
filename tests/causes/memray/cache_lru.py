import functools  # SPDX-License-Identifier: MIT
@functools.lru_cache(maxsize=None)
def squares(n):
    return tuple(range(n, n + 3000))
def lookup(n):
    return squares(n)[-1]
def main():
    print(sum(lookup(i) for i in range(800)))
main()
