import zlib


def pages(n):
    return b"".join(b"page %d of the book " % (i * i) for i in range(n))


def pack(data):
    return zlib.compress(data, 9)


def main():
    data = pages(400000)
    print(len(data), len(pack(data)))


main()
