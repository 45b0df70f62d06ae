import copy  # SPDX-License-Identifier: MIT
import random


@profile
def play(board, moves):
    best = None
    for m in moves:
        trial = copy.deepcopy(board)
        apply_move(trial, m)
        s = score(trial)
        if best is None or s > best[0]:
            best = (s, m)
    return best


@profile
def apply_move(board, m):
    (r, c), v = m
    board[r][c] += v


@profile
def score(board):
    rows = max(map(sum, board))
    cols = max(map(sum, zip(*board)))
    return rows + cols


def main():
    r = random.Random(4)
    board = [[r.randrange(9) for _ in range(12)] for _ in range(12)]
    for turn in range(12):
        moves = [((r.randrange(12), r.randrange(12)), r.randrange(5)) for _ in range(200)]
        s, m = play(board, moves)
        apply_move(board, m)
    print(s)


main()
