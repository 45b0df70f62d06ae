# SPDX-License-Identifier: MIT
"""Plays a game on a small board that is copied for each move."""
import copy
import random


def moves_of(board):
    return [i for i, cell in enumerate(board["cells"]) if not cell]


def play(board, move, player):
    new = copy.deepcopy(board)
    new["cells"][move] = player
    return new


def game(seed):
    random.seed(seed)
    board, player = {"cells": [0] * 25, "names": ["a", "b"]}, 1
    while moves_of(board):
        board = play(board, random.choice(moves_of(board)), player)
        player = 3 - player
    return board["cells"].count(1)


def main():
    print(sum(game(seed) for seed in range(2)))


if __name__ == "__main__":
    main()
