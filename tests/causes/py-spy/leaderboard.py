"""Play a season and keep the table up to date after each match."""
import random
from league.table import Leaderboard


def matches(n, players):
    rng = random.Random(12)
    for _ in range(n):
        yield f"player-{rng.randrange(players)}", rng.randrange(1, 4)


def main():
    board = Leaderboard()
    podiums = set()
    for player, points in matches(3500, 1500):
        board.submit(player, points)
        podiums.add(board.podium())
    print(len(podiums), board.podium())


main()
