from . import flags

PRICES = {"coffee": 3.2, "tea": 2.9, "cake": 4.1}


def render(branch):
    shown = PRICES.items()
    if branch == "online":
        shown = [(k, v * (0.9 if flags.enabled("discount") else 1)) for k, v in shown]
    return "\n".join(f"{k:10}{v:6.2f}" for k, v in shown)
