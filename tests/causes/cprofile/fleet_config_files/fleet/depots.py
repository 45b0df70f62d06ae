from dataclasses import dataclass, field

import yaml


@dataclass
class Stop:
    customer: str
    x: float
    y: float
    parcels: int


@dataclass
class Depot:
    name: str
    stops: list = field(default_factory=list)


def load_depots(path):
    with open(path) as handle:
        raw = yaml.safe_load(handle)
    return [Depot(d["name"], [Stop(**s) for s in d["stops"]]) for d in raw["depots"]]
