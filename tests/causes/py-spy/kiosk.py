import random  # SPDX-License-Identifier: MIT


class Kiosk:
    def __init__(self):
        self.queue = []

    def arrive(self, name):
        self.queue.append(name)

    def next_guest(self):
        return self.queue.pop(0)

    def leave(self, name):
        if name in self.queue:
            self.queue.remove(name)


def day(n):
    r = random.Random(9)
    kiosk = Kiosk()
    for i in range(n):
        kiosk.arrive(f"guest {i}")
        if i % 4 == 0:
            kiosk.leave(f"guest {i - r.randrange(3)}")
        if i % 50 == 0:
            kiosk.next_guest()
    return len(kiosk.queue)


print(day(16000))
