def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        last, row[0] = row[0], i + 1
        for k, y in enumerate(b):
            last, row[k + 1] = row[k + 1], min(row[k] + 1, row[k + 1] + 1, last + (x != y))
    return row[-1]


def nearest(word, words):
    return min(words, key=lambda other: edit_distance(word, other))


def main():
    words = ["%s%d" % (chr(97 + i % 26) * 5, i) for i in range(150)]
    print(sum(len(nearest(word, words)) for word in words[:40]))


main()
