# SPDX-License-Identifier: MIT
class Key:
    def __init__(self,a,b): self.a=a; self.b=b
    def __hash__(self): return hash(tuple(sorted(str(self.a)*4+str(self.b)*4)))
    def __eq__(self,o): return str(self.a)==str(o.a) and str(self.b)==str(o.b)
def index(keys): return {k:i for i,k in enumerate(keys)}
def lookup(d,keys): return sum(d[k] for k in keys)
def main():
    keys=[Key(i,i*7) for i in range(30000)]
    d=index(keys)
    for _ in range(3): lookup(d,keys)
main()
