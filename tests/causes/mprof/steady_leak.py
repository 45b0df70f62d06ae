import time  # SPDX-License-Identifier: MIT
SEEN = {}
def handle(i):
    SEEN[i] = "x" * 400_000
    time.sleep(0.01)
for i in range(200):
    handle(i)
