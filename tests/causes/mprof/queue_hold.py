import time  # SPDX-License-Identifier: MIT
try:
    profile
except NameError:
    profile = lambda f: f
KEPT = []
@profile
def load(n):
    raw = bytearray(n)
    time.sleep(0.15)
    return len(raw)
@profile
def hold(n):
    KEPT.append(bytearray(n))
    time.sleep(0.1)
@profile
def run():
    for i in range(8):
        load(60_000_000)
        hold(12_000_000)
run()
time.sleep(0.3)
