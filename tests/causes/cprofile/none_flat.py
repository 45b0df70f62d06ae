# SPDX-License-Identifier: MIT
def a(x): return [i*2 for i in x]
def b(x): return {i:i for i in x}
def c(x): return sorted(x,reverse=True)
def d(x): return "".join(map(str,x))
def e(x): return [i for i in x if i%3]
def f(x): return sum(i*i for i in x)
def g(x): return list(zip(x,x[1:]))
def run(n):
    x=list(range(500))
    for _ in range(n): a(x);b(x);c(x);d(x);e(x);f(x);g(x)
run(3000)
