# SPDX-License-Identifier: MIT
def merge(spans):
    out=[]
    for s in spans:
        if not any(s[0]<=o[1] and o[0]<=s[1] for o in out): out.append(s)
    return out
def read(n): return [(i*5,i*5+2) for i in range(n)]
def main(): print(len(merge(read(3000))))
main()
