from pydantic import TypeAdapter

from .model import Order


ADAPTER = TypeAdapter(list[Order])


def accept(raw):
    orders = ADAPTER.validate_python(raw)
    return [line for order in orders for line in order.lines]
