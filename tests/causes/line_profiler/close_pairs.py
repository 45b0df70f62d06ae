def load(n):
    return [(i * 7919) % n for i in range(n)]


def duplicates(rows):
    found = []
    for i in range(len(rows)):
        for k in range(i + 1, len(rows)):
            if rows[i] == rows[k] + 1:
                found.append((i, k))
    return found


def main():
    rows = load(1600)
    print(len(duplicates(rows)))


main()
