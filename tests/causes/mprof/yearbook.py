"""Put the pages of the year book together."""
import io
import time


@profile
def read_plan(pages):
    time.sleep(0.3)
    return list(range(pages))


@profile
def typeset(plan):
    """All pages as pictures, one after the other."""
    book = []
    for number in plan:
        page = bytearray([number % 256]) * 3_000_000
        time.sleep(0.012)
        book.append(page)
    return book


@profile
def write_book(book):
    out = size = 0
    for page in book:
        out ^= page[0]
        size += len(page)
        time.sleep(0.003)
    return size


print(write_book(typeset(read_plan(90))))
