# SPDX-License-Identifier: MIT
def tokens(s):
    out=[];i=0
    while i<len(s):
        c=s[i]
        if c.isdigit():
            j=i
            while j<len(s) and s[j].isdigit(): j+=1
            out.append(("n",int(s[i:j]))); i=j
        elif c in "+*()": out.append((c,c)); i+=1
        else: i+=1
    return out
class P:
    def __init__(s,t): s.t=t;s.i=0
    def peek(s): return s.t[s.i][0] if s.i<len(s.t) else None
    def take(s): s.i+=1; return s.t[s.i-1]
    def expr(s):
        v=s.term()
        while s.peek()=="+": s.take(); v+=s.term()
        return v
    def term(s):
        v=s.atom()
        while s.peek()=="*": s.take(); v=v*s.atom()%9973
        return v
    def atom(s):
        if s.peek()=="(":
            s.take(); v=s.expr(); s.take(); return v
        return s.take()[1]
def check(v): return sum(int(c) for c in str(v))
def main():
    text="+".join(f"({i}*{i+1}+{i})*3" for i in range(40000))
    for _ in range(2): check(P(tokens(text)).expr())
main()
