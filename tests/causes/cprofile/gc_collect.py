# SPDX-License-Identifier: MIT
import gc
def release(): gc.collect()
def batch(i):
    x=[[j] for j in range(200)]; release(); return len(x)
def main():
    keep=[{i:[i]} for i in range(20000)]
    print(sum(batch(i) for i in range(150)))
main()
