# SPDX-License-Identifier: MIT
def push(q,x): q.insert(0,x)
def collect(n):
    q=[]
    for i in range(n): push(q,i)
    return q
def summarise(q): return sum(q)
def main(): print(summarise(collect(60000)))
main()
