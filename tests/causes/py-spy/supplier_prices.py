"""Ask all suppliers for their price of an article."""
import json
import urllib.request

from suppliers.demo import start_server


def price(base, supplier, article):
    with urllib.request.urlopen(f"{base}/{supplier}/{article}") as answer:
        return json.load(answer)["price"]


def compare(base, suppliers, article):
    offers = {}
    for supplier in suppliers:
        offers[supplier] = price(base, supplier, article)
    return min(offers, key=offers.get), len(offers)


def main():
    base = start_server()
    print(compare(base, [f"s{n}" for n in range(16)], "bolt-m8"))


main()
