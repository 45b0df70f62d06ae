def to_number(text): return int(text) if text[0].isdigit() else text
def load(rows): return [[to_number(c) for c in row] for row in rows]
def total(rows): return sum(c for row in rows for c in row if isinstance(c, (int, float)))
def main(): print(total(load([[f"name{i}", "x", str(i)] for i in range(90000)])))
main()
