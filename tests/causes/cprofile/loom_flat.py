def card(n): return [(i * 3) % 11 for i in range(n)]  # SPDX-License-Identifier: MIT
def warp(n): return sum(len(str(i)) for i in range(n))
def weft(n): return len({i % 1009 for i in range(n)})
def dye(n): return sorted(((i * 7919) % 10007 for i in range(n // 2)))
def trim(n): return "".join(chr(97 + i % 26) for i in range(n))[::2]
def main():
    for _ in range(6):
        card(500000); warp(250000); weft(700000); dye(350000); trim(350000)
main()
