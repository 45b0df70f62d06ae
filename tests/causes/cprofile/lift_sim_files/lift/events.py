import heapq
import itertools


class Agenda:
    def __init__(self):
        self.heap = []
        self.tick = itertools.count()

    def at(self, when, action, *args):
        heapq.heappush(self.heap, (when, next(self.tick), action, args))

    def pop(self):
        when, _, action, args = heapq.heappop(self.heap)
        return when, action, args
