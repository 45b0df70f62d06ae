from pydantic import TypeAdapter

from .model import Order


def accept(raw):
    adapter = TypeAdapter(list[Order])
    orders = adapter.validate_python(raw)
    return [line for order in orders for line in order.lines]
