# SPDX-License-Identifier: MIT
"""Writes a letter to each customer."""
from jinja2 import Environment

ENVIRONMENT = Environment()
LETTER = """Dear {{ name }},
{% for item in items %}{{ loop.index }}. {{ item.title }} {{ item.price }} EUR{% if item.price > 50 %} (insured){% endif %}
{% endfor %}Total {{ items | sum(attribute="price") }}"""


TEMPLATE = ENVIRONMENT.from_string(LETTER)


def items_of(customer):
    return [{"title": f"article {i}", "price": (customer + i) % 90} for i in range(4)]


def letter(customer):
    return TEMPLATE.render(name=f"customer {customer}", items=items_of(customer))


def write_all(customers):
    size = 0
    for customer in range(customers):
        size += len(letter(customer))
    return size


if __name__ == "__main__":
    print(write_all(900))
