# SPDX-License-Identifier: MIT
import csv,os,tempfile
P=tempfile.mktemp()
def make():
    with open(P,"w") as f: f.write("\n".join(f"item{i},{i}" for i in range(2000)))
def prices():
    with open(P) as f: return {k:int(v) for k,v in csv.reader(f)}
def basket(names):
    p=prices(); return sum(p[n] for n in names)
def main(): make(); print(basket([f"item{i}" for i in range(0,2000,3)])); os.unlink(P)
main()
