# SPDX-License-Identifier: MIT
import random
def make(n): return [random.gauss(0,1) for _ in range(n)]
def mean(x): return sum(x)/len(x)
def main(): print(mean(make(1000000)))
main()
