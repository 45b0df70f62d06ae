# SPDX-License-Identifier: MIT
import collections
def push(q,x): q.appendleft(x)
def collect(n):
    q=collections.deque()
    for i in range(n): push(q,i)
    return q
def summarise(q): return sum(q)
def main(): print(summarise(collect(60000)))
main()
