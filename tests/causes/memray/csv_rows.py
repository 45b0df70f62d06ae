import csv, io  # SPDX-License-Identifier: MIT
def export(n):
    out = io.StringIO()
    writer = csv.writer(out)
    for i in range(n):
        writer.writerow([i, f"name {i}", i * 3, "x" * 40])
    return out.getvalue()
def read_all(text):
    return list(csv.DictReader(io.StringIO(text)))
def total(rows):
    return sum(int(row["2"]) if "2" in row else 0 for row in rows)
def main():
    rows = read_all("a,b,c,d\n" + export(60_000))
    print(total(rows))
main()
