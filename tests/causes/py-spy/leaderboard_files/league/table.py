class Leaderboard:
    def __init__(self):
        self.points = {}
        self.ranking = []

    def submit(self, player, points):
        self.points[player] = self.points.get(player, 0) + points
        self._rank()

    def _rank(self):
        self.ranking = sorted(self.points, key=self._sort_key)

    def _sort_key(self, player):
        return -self.points[player], player

    def podium(self):
        return tuple(self.ranking[:3])
