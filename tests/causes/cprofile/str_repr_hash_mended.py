# SPDX-License-Identifier: MIT
class Key:
    def __init__(self,a,b): self.a=a; self.b=b
    def __hash__(self): return hash((self.a,self.b))
    def __eq__(self,o): return self.a==o.a and self.b==o.b
def index(keys): return {k:i for i,k in enumerate(keys)}
def lookup(d,keys): return sum(d[k] for k in keys)
def main():
    keys=[Key(i,i*7) for i in range(30000)]
    d=index(keys)
    for _ in range(3): lookup(d,keys)
main()
