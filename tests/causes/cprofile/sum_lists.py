# SPDX-License-Identifier: MIT
def flatten(groups): return sum(groups,[])
def make(n): return [[i]*4 for i in range(n)]
def main(): print(len(flatten(make(14000))))
main()
