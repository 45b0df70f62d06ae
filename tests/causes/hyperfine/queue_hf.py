import sys  # SPDX-License-Identifier: MIT
n = int(sys.argv[1])
q = list(range(n))
s = 0
while q:
    s += q.pop(0)
print(s)
