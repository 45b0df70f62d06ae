# SPDX-License-Identifier: MIT
def distance(a,b):
    row=list(range(len(b)+1))
    for i,x in enumerate(a,1):
        prev,row[0]=row[0],i
        for j,y in enumerate(b,1): prev,row[j]=row[j],min(row[j]+1,row[j-1]+1,prev+(x!=y))
    return row[-1]
def closest(w,words): return min(words,key=lambda o:o!=w)
def main():
    words=[f"word{i*37%1000}x{i}" for i in range(200)]
    print([closest(w,words) for w in words[:60]])
main()
