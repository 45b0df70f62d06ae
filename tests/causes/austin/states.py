# SPDX-License-Identifier: MIT
"""Plays a board game at random, and keeps the state before each move."""
import copy
import random


def start():
    return {"board": [[0] * 9 for _ in range(9)], "players": [{"name": f"p{i}", "cards": list(range(6))} for i in range(4)]}


def move(state, rng):
    state["board"][rng.randrange(9)][rng.randrange(9)] += 1
    rng.shuffle(state["players"][rng.randrange(4)]["cards"])


def play(moves):
    rng, state, history = random.Random(4), start(), []
    for _ in range(moves):
        history.append(remember(state))
        move(state, rng)
    return history


def remember(state):
    return copy.deepcopy(state)


if __name__ == "__main__":
    print(len(play(12_000)))
