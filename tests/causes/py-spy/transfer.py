"""Write the transfers of the day as a payment file."""
from transfer_rules import check, line_for


def main():
    size = 0
    for n in range(45000):
        order = {"to": f"DE{n % 89 + 10}{500105170000000000 + n}", "cents": n * 17 % 90000, "text": f"invoice {n}"}
        check(order)
        size += len(line_for(order))
    print(size)


main()
