import time  # SPDX-License-Identifier: MIT
LINES = []
def follow(i):
    LINES.extend(f"{i}:{k} request done" * 3 for k in range(4000))
    time.sleep(0.015)
for i in range(150):
    follow(i)
