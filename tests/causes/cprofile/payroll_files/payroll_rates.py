import functools
import json

SERIES = json.dumps({c: [1 + (i * k % 97) / 1000 for i in range(260)] for k, c in enumerate(["EUR", "CHF", "NOK"], 1)})


def exchange_rate(currency):
    """Mean of the year."""
    series = json.loads(SERIES)[currency]
    return sum(series) / len(series)
