def one(rows):
    out = 0
    for row in rows:
        out += row % 7
    return out


def two(rows):
    out = []
    for row in rows:
        out.append(row * 3)
    return out


def three(rows):
    low = rows[0]
    for row in rows:
        low = min(low, row)
    return low


def four(rows):
    text = []
    for row in rows:
        text.append(str(row))
    return ",".join(text)


def five(rows):
    seen = {}
    for row in rows:
        seen[row % 100] = row
    return seen


def six(rows):
    odd = 0
    for row in rows:
        if row & 1:
            odd += 1
    return odd


def seven(rows):
    return sorted(str(row)[::-1] for row in rows)


def main():
    rows = [(i * 7919) % 10007 for i in range(150000)]
    a = one(rows)
    b = two(rows)
    c = three(rows)
    d = four(rows)
    e = five(rows)
    f = six(rows)
    g = seven(rows)
    print(len(g), a, len(b), c, len(d), len(e), f)


main()
