"""Write payment reminders for all open invoices."""
import datetime

from reminders.letter import render_letter


class Invoice:
    def __init__(self, number, name, amount, due):
        self.number, self.name, self.amount, self.due = number, name, amount, due


def open_invoices(n):
    day = datetime.date(2024, 3, 1)
    for i in range(n):
        yield Invoice(f"R{i:05}", f"Customer {i % 700}", i % 913 + 0.5, day + datetime.timedelta(i % 60))


def main():
    today = datetime.date(2024, 5, 20)
    size = 0
    for invoice in open_invoices(900):
        size += len(render_letter(invoice, today))
    print(size)


if __name__ == "__main__":
    main()
