# SPDX-License-Identifier: MIT
# names: flatten
# saves: 50 to 100
def flatten(groups): return sum(groups,[])
def make(n): return [[i]*4 for i in range(n)]
def main(): print(len(flatten(make(6000))))
main()
