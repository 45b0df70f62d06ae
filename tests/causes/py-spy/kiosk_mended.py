import random  # SPDX-License-Identifier: MIT


class Kiosk:
    def __init__(self):
        self.queue = {}

    def arrive(self, name):
        self.queue[name] = True

    def next_guest(self):
        return self.queue.pop(next(iter(self.queue)))

    def leave(self, name):
        if name in self.queue:
            del self.queue[name]


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
