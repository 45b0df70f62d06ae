import re  # SPDX-License-Identifier: MIT
import random


def badges(n):
    rng = random.Random(3)
    return ["%s-%04d-%s" % (rng.choice(["red", "blue", "gold"]), rng.randrange(10000), rng.choice("xyz")) for _ in range(n)]


def doors(n):
    return [("door%d" % i, "%04d" % (i * 7)) for i in range(n)]


def opens(badge, code):
    return re.search(r"^(?:red|blue|gold)-" + code + r"-[xyz]$", badge) is not None


def allowed(people, all_doors):
    table = {}
    for badge in people:
        table[badge] = [name for name, code in all_doors if opens(badge, code)]
    return table


def main():
    print(sum(map(len, allowed(badges(40), doors(900)).values())))


main()
