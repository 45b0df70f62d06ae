# SPDX-License-Identifier: MIT
def flatten(groups): return [x for g in groups for x in g]
def make(n): return [[i]*4 for i in range(n)]
def main(): print(len(flatten(make(14000))))
main()
