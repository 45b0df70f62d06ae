"""shopctl due | export: small helper of the order desk."""
import argparse

from shop.export import to_csv
from shop.orders import open_orders


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("command", choices=["due", "export"])
    args = cli.parse_args()
    orders = list(open_orders("orders.csv"))
    if args.command == "export":
        to_csv(orders, "out.csv")
    else:
        print(min(orders, key=lambda o: o[1]))


main()
