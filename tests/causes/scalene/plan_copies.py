import json  # SPDX-License-Identifier: MIT
import random


def make_plan():
    return {"days": [{"day": d, "shifts": [{"start": h, "people": ["p%d" % i for i in range(5)]} for h in range(0, 24, 4)]} for d in range(14)]}


def variants(n):
    rng = random.Random(8)
    return [(rng.randrange(14), rng.randrange(6)) for _ in range(n)]


def free_place(plan, day, shift):
    copy = json.loads(json.dumps(plan))
    copy["days"][day]["shifts"][shift]["people"].pop()
    return sum(len(s["people"]) for d in copy["days"] for s in d["shifts"])


def best(plan, moves):
    return max(free_place(plan, day, shift) for day, shift in moves)


def main():
    plan = make_plan()
    print(best(plan, variants(16000)))


main()
