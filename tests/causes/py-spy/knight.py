"""Count the knight paths on small boards."""


class Board:
    STEPS = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]

    def __init__(self, size):
        self.size = size
        self.used = set()

    def inside(self, x, y):
        return 0 <= x < self.size and 0 <= y < self.size

    def targets(self, x, y):
        for dx, dy in self.STEPS:
            if self.inside(x + dx, y + dy) and (x + dx, y + dy) not in self.used:
                yield x + dx, y + dy

    def paths(self, x, y, length):
        if not length:
            return 1
        self.used.add((x, y))
        n = sum(self.paths(*t, length - 1) for t in self.targets(x, y))
        self.used.discard((x, y))
        return n


print(sum(Board(6).paths(x, y, 7) for x in range(6) for y in range(3)))
