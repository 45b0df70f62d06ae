from decimal import Decimal

from dateutil import parser


def parse_line(line):
    day, account, amount = line.split(";")
    return parser.parse(day).date(), account, Decimal(amount)


def parse_statement(text):
    return [parse_line(line) for line in text.splitlines()]


def balance(entries):
    return sum(e[2] for e in entries)


def sort_by_amount(entries):
    return sorted(entries, key=lambda e: e[2])


def render(entries):
    return "\n".join(f"{day:%d.%m.%Y} {account} {amount:>10}" for day, account, amount in entries)
