def row_sums(cells):
    return [sum(r) for r in cells]


def neighbours(cells, x, y):
    return sum(cells[y + b][x + a] for a in (-1, 0, 1) for b in (-1, 0, 1)) - cells[y][x]


def flood(cells, x, y):
    kind, todo, seen = cells[y][x], [(x, y)], set()
    while todo:
        at = todo.pop()
        if at in seen:
            continue
        seen.add(at)
        for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            a, b = at[0] + dx, at[1] + dy
            if 0 <= a < 40 and 0 <= b < 40 and cells[b][a] == kind:
                todo.append((a, b))
    return len(seen)
