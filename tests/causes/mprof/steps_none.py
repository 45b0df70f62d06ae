import time  # SPDX-License-Identifier: MIT
def work(n):
    data = bytearray(30_000_000)
    time.sleep(0.1)
    return len(data)
for i in range(15):
    work(i)
    time.sleep(0.05)
