import functools  # SPDX-License-Identifier: MIT
import json
import logging
import random

log = logging.getLogger("tickets")
logging.basicConfig(level=logging.WARNING)


def traced(f):
    @functools.wraps(f)
    def around(*args):
        if log.isEnabledFor(logging.DEBUG):
            log.debug("enter %s with %s" % (f.__name__, json.dumps(args, sort_keys=True, default=str)))
        return f(*args)
    return around


@traced
def price(seat, event):
    return seat["row"] * 2 + event["base"]


@traced
def discount(seat, event):
    return 0.9 if seat["row"] > 20 else 1.0


def sell(n):
    r = random.Random(3)
    event = {"name": "opera", "base": 30, "cast": ["a", "b", "c"], "hall": {"rows": 30, "balcony": True}}
    total = 0
    for i in range(n):
        seat = {"row": r.randrange(30), "place": i % 40, "tags": ["x"] * 4}
        total += price(seat, event) * discount(seat, event)
    return total


print(round(sell(40000)))
