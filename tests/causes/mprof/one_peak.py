import time  # SPDX-License-Identifier: MIT
def report():
    rows = [str(i) * 8 for i in range(2_000_000)]
    time.sleep(0.4)
    return len(rows)
time.sleep(0.4)
print(report())
time.sleep(1)
