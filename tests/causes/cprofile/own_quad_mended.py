# SPDX-License-Identifier: MIT
def merge(spans):
    out=[]
    for s in sorted(spans):
        if not out or s[0]>out[-1][1]: out.append(s)
    return out
def read(n): return [(i*5,i*5+2) for i in range(n)]
def main(): print(len(merge(read(3000))))
main()
