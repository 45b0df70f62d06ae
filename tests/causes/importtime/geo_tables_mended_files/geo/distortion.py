"""Area distortion per tenth of a degree."""
from math import cos, radians

STEPS = 900


def _integrate(tenth):
    low = tenth / 10
    return sum(cos(radians(low + i / (10 * STEPS))) for i in range(STEPS)) / STEPS


TABLE = {}


def factor(tenth):
    if tenth not in TABLE:
        TABLE[tenth] = _integrate(tenth)
    return TABLE[tenth]
