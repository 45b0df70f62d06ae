# SPDX-License-Identifier: MIT
# file: menu/__init__.py
# file: menu/prices.py
import decimal
def price(text):
    return decimal.Decimal(text)
# file: menu/fetch.py
import requests
def download(url):
    return requests.get(url).text
# file: menu/cli.py
import click
from menu import fetch, prices
@click.command()
@click.option("--url")
def main(url):
    if url:
        print(fetch.download(url))
    print(prices.price("3.20"))
# file: main.py
from menu.cli import main
main([])
