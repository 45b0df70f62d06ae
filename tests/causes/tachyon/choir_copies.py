import copy  # SPDX-License-Identifier: MIT
import random


def singers(n):
    rng = random.Random(3)
    return [{"name": "s%d" % i, "voice": rng.choice("SATB"), "range": [rng.randrange(40, 50), rng.randrange(60, 80)], "days": {"mon": True, "thu": i % 3 == 0}} for i in range(n)]


def moved(choir, index, voice):
    trial = copy.deepcopy(choir)
    trial[index]["voice"] = voice
    return trial


def balance(choir):
    counts = {}
    for singer in choir:
        counts[singer["voice"]] = counts.get(singer["voice"], 0) + 1
    return max(counts.values()) - min(counts.values())


def best_move(choir):
    return min((balance(moved(choir, i, voice)), i, voice) for i in range(len(choir)) for voice in "SATB")


def main():
    print(best_move(singers(190)))


main()
