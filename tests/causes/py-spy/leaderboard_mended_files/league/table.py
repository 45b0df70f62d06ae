import heapq


class Leaderboard:
    def __init__(self):
        self.points = {}
        self.ranking = []

    def submit(self, player, points):
        self.points[player] = self.points.get(player, 0) + points
        top = {*self.ranking, player}
        self.ranking = heapq.nsmallest(3, top, key=self._sort_key)

    def _sort_key(self, player):
        return -self.points[player], player

    def podium(self):
        return tuple(self.ranking)
