"""Close the month: post the journal and check the balances."""
from ledger.book import Book


def main():
    book = Book()
    for n in range(700):
        amount = (n * 37) % 900 + 1
        book.post(f"4{n % 80:03}", f"1{n % 9:03}", amount)
    assert book.balance() == 0
    print(len(book.trail), "entries in the audit trail")


if __name__ == "__main__":
    main()
