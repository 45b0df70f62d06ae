# SPDX-License-Identifier: MIT
# file: bill/__init__.py
# file: bill/tax.py
from decimal import Decimal
RATES = {"food": Decimal("0.07"), "other": Decimal("0.19")}
def total(items):
    return sum(Decimal(price) * (1 + RATES[kind]) for kind, price in items)
# file: bill/chart.py

def bars(names, values, path):
    import matplotlib.pyplot as plt
    plt.bar(names, values)
    plt.savefig(path)
# file: bill/cli.py
import argparse
from bill import chart, tax
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--chart")
    args = parser.parse_args()
    items = [("food", "12.50"), ("other", "99.90")]
    print(tax.total(items))
    if args.chart:
        chart.bars([k for k, _ in items], [float(p) for _, p in items], args.chart)
# file: main.py
from bill.cli import main
main()
