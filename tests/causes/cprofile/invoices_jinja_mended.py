"""Writes the invoices of a month as HTML."""  # SPDX-License-Identifier: MIT
import random
from jinja2 import Environment

TEXT = """<html><body><h1>Invoice {{ number }}</h1><p>{{ customer.name }}, {{ customer.city }}</p>
<table>{% for line in lines %}<tr><td>{{ line.text|e }}</td><td>{{ "%.2f"|format(line.price) }}</td>
<td>{{ line.count }}</td></tr>{% endfor %}</table>{% if total > 500 %}<p>Pay in two parts.</p>{% endif %}
<p>Total {{ "%.2f"|format(total) }}</p></body></html>"""
PAGE = Environment(autoescape=True).from_string(TEXT)


def make_orders(count):
    rng = random.Random(4)
    orders = []
    for number in range(count):
        lines = [{"text": f"part <{rng.randrange(900)}>", "price": rng.random() * 90, "count": rng.randrange(1, 5)}
                 for _ in range(rng.randrange(20, 60))]
        orders.append({"number": number, "customer": {"name": f"Firm {number}", "city": "Bern"}, "lines": lines})
    return orders


def sum_order(order):
    return sum(line["price"] * line["count"] for line in order["lines"])


def render_invoice(order):
    return PAGE.render(total=sum_order(order), **order)


def write_all(orders):
    size = 0
    for order in orders:
        size += len(render_invoice(order))
    return size


if __name__ == "__main__":
    print(write_all(make_orders(600)))
