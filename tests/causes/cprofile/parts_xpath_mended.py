"""Resolves the references of a parts catalogue."""  # SPDX-License-Identifier: MIT
from lxml import etree


def make_catalogue(count):
    items = "".join(f'<item id="p{n}"><name>part {n}</name><uses ref="p{(n * 7) % count}"/>'
                    f'<uses ref="p{(n * 13) % count}"/></item>' for n in range(count))
    return f"<catalogue>{items}</catalogue>"


def find_item(index, ref):
    return index[ref]


def resolve(root):
    names = {}
    index = {item.get("id"): item for item in root.iter("item")}
    for item in root.iter("item"):
        parts = [find_item(index, uses.get("ref")) for uses in item.iter("uses")]
        names[item.get("id")] = [part.findtext("name") for part in parts]
    return names


if __name__ == "__main__":
    print(len(resolve(etree.fromstring(make_catalogue(1600)))))
