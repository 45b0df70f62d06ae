# SPDX-License-Identifier: MIT
import random
def offer(seen,x):
    if x not in seen:
        seen.add(x); return True
    return False
def unique(values):
    seen=set()
    for v in values: offer(seen,v)
    return seen
def main():
    random.seed(1)
    values=[random.randrange(10**6) for _ in range(9000)]
    print(len(unique(values)))
main()
