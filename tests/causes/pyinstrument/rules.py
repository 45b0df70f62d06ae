# SPDX-License-Identifier: MIT
"""Reads the rules of many shops."""
import yaml


def text_of(shop):
    lines = [f"name: shop{shop}", "rules:"]
    for i in range(40):
        lines += [f"  - id: r{shop}-{i}", f"    limit: {i * 3}", "    tags: [a, b, c]"]
    return "\n".join(lines)


def load_rules(text):
    return yaml.safe_load(text)["rules"]


def total(shops):
    limit = 0
    for shop in range(shops):
        for rule in load_rules(text_of(shop)):
            limit += rule["limit"]
    return limit


if __name__ == "__main__":
    print(total(120))
