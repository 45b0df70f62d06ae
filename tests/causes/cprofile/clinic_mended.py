import random  # SPDX-License-Identifier: MIT


class Slot:
    __slots__ = ("doctor", "start", "length")

    def __init__(self, doctor, start, length):
        self.doctor, self.start, self.length = doctor, start, length

    def overlaps(self, other):
        return self.doctor == other.doctor and self.start < other.start + other.length and other.start < self.start + self.length


class Calendar:
    def __init__(self):
        self.slots = {}

    def free(self, wish):
        return not any(wish.overlaps(s) for s in self.slots.get(wish.doctor, ()))

    def book(self, wish):
        if self.free(wish):
            self.slots.setdefault(wish.doctor, []).append(wish)
            return True
        return False


def wishes(n):
    r = random.Random(5)
    return [Slot(r.randrange(60), r.randrange(10000), 20) for _ in range(n)]


if __name__ == "__main__":
    calendar = Calendar()
    print(sum(map(calendar.book, wishes(1800))))
