import collections  # SPDX-License-Identifier: MIT


def grid(n):
    return {(x, y): [(x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)] for x in range(n) for y in range(n)}


class Walker:
    def __init__(self, streets):
        self.streets = streets

    def distances(self, start):
        seen = {start: 0}
        todo = [start]
        while todo:
            here = todo.pop(0)
            for there in self.streets.get(here, ()):
                if there in self.streets and there not in seen:
                    seen[there] = seen[here] + 1
                    todo.insert(len(todo), there)
        return seen


print(sum(Walker(grid(150)).distances((i, i))[(149, 149)] for i in range(8)))
