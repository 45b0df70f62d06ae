"""Ask all suppliers for their price of an article."""
import json
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from suppliers.demo import start_server


def price(base, supplier, article):
    with urllib.request.urlopen(f"{base}/{supplier}/{article}") as answer:
        return json.load(answer)["price"]


def compare(base, suppliers, article):
    with ThreadPoolExecutor(16) as pool:
        offers = dict(zip(suppliers, pool.map(lambda s: price(base, s, article), suppliers)))
    return min(offers, key=offers.get), len(offers)


def main():
    base = start_server()
    print(compare(base, [f"s{n}" for n in range(16)], "bolt-m8"))


main()
