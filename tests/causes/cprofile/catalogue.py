"""Make the printed catalogue from the article list."""
from catalogue_parts import article, index, page, wrap


def main():
    out, entries = 0, []
    for n in range(12000):
        a = article(n)
        lines = wrap(a["text"], 34)
        out += len(page(a, lines))
        entries.append((a["name"], n // 12))
    out += len(index(entries))
    print(out)


main()
