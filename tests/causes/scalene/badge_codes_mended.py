import re  # SPDX-License-Identifier: MIT
import random


def badges(n):
    rng = random.Random(3)
    return ["%s-%04d-%s" % (rng.choice(["red", "blue", "gold"]), rng.randrange(10000), rng.choice("xyz")) for _ in range(n)]


def doors(n):
    return [("door%d" % i, "%04d" % (i * 7)) for i in range(n)]


def allowed(people, all_doors):
    patterns = [(name, re.compile(r"^(?:red|blue|gold)-" + code + r"-[xyz]$")) for name, code in all_doors]
    table = {}
    for badge in people:
        table[badge] = [name for name, pattern in patterns if pattern.search(badge)]
    return table


def main():
    print(sum(map(len, allowed(badges(40), doors(900)).values())))


main()
