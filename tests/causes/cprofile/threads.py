# SPDX-License-Identifier: MIT
from concurrent.futures import ThreadPoolExecutor
import hashlib
def score(i):
    d=b"x"*200000
    for _ in range(40): d=hashlib.sha256(d*50).digest()*10000
    return d[0]
def main():
    with ThreadPoolExecutor(4) as pool: print(sum(pool.map(score,range(8))))
main()
