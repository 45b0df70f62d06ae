import math


def propose(levels):
    return {a: math.ceil((l["max"] - l["now"]) / l["pack"]) for a, l in levels.items() if l["now"] < l["min"]}
