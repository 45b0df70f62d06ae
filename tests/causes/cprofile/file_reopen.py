# SPDX-License-Identifier: MIT
import csv,os,tempfile
P=tempfile.mktemp()
def make():
    with open(P,"w") as f: f.write("\n".join(f"item{i},{i}" for i in range(2000)))
def lookup_price(name):
    with open(P) as f:
        for row in csv.reader(f):
            if row[0]==name: return int(row[1])
def basket(names): return sum(lookup_price(n) for n in names)
def main(): make(); print(basket([f"item{i}" for i in range(0,2000,3)])); os.unlink(P)
main()
