"""Takes the fields of product pages."""  # SPDX-License-Identifier: MIT
from bs4 import BeautifulSoup

FIELDS = ["name", "price", "maker", "weight", "rating"]


def make_page(number):
    rows = "".join(f'<div class="row"><span class="{field}">{field} {number}</span><p>text {k}</p></div>'
                   for k in range(8) for field in FIELDS)
    return f"<html><body><div id='main'>{rows}</div></body></html>"


def take_field(soup, field):
    return soup.find("span", class_=field).get_text()


def take_fields(page):
    page = BeautifulSoup(page, "html.parser")
    return {field: take_field(page, field) for field in FIELDS}


def read_pages(count):
    return [take_fields(make_page(n)) for n in range(count)]


if __name__ == "__main__":
    print(len(read_pages(60)))
