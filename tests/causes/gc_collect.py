# SPDX-License-Identifier: MIT
# names: release|batch
# saves: 40 to 100
import gc
def release(): gc.collect()
def batch(i):
    x=[[j] for j in range(200)]; release(); return len(x)
def main():
    keep=[{i:[i]} for i in range(20000)]
    print(sum(batch(i) for i in range(30)))
main()
