import threading  # SPDX-License-Identifier: MIT
import time


class Ledger:
    def __init__(self):
        self.lock = threading.Lock()
        self.rows = []

    def stamp(self, letter):
        time.sleep(0.002)
        with self.lock:
            self.rows.append(letter)

    def audit(self):
        return len(self.rows)


def clerk(ledger, letters):
    for letter in letters:
        digest = sum(ord(c) for c in letter * 50)
        ledger.stamp((letter, digest))


ledger = Ledger()
threads = [threading.Thread(target=clerk, args=(ledger, [f"letter {k}-{i}" for i in range(200)])) for k in range(5)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(ledger.audit())
