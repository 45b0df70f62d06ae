def load(n):
    return [(i * 7919) % n for i in range(n)]


def duplicates(rows):
    found = []
    places = {row: k for k, row in enumerate(rows)}
    for i, row in enumerate(rows):
        k = places.get(row - 1, -1)
        if k > i:
            found.append((i, k))
    return found


def main():
    rows = load(1600)
    print(len(duplicates(rows)))


main()
