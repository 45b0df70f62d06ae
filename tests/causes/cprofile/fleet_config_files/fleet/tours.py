from dataclasses import dataclass
from math import hypot


@dataclass
class Tour:
    depot: str
    order: list
    length_km: float


def plan(depot):
    """Nearest neighbour tour through all stops."""
    open_stops = list(depot.stops)
    x = y = 0.0
    order, length = [], 0.0
    while open_stops:
        nxt = min(open_stops, key=lambda s: hypot(s.x - x, s.y - y))
        length += hypot(nxt.x - x, nxt.y - y)
        x, y = nxt.x, nxt.y
        order.append(nxt.customer)
        open_stops.remove(nxt)
    return Tour(depot.name, order, length)
