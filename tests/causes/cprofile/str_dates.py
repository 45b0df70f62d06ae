# SPDX-License-Identifier: MIT
from datetime import datetime
def parse_row(line):
    day,amount=line.split(",")
    return datetime.strptime(day,"%Y-%m-%d %H:%M:%S"),float(amount)
def load_rows(lines): return [parse_row(l) for l in lines]
def total(rows): return sum(a for _,a in rows)
def main():
    lines=[f"2024-{1+i%12:02}-{1+i%28:02} 10:00:{i%60:02},{i}.5" for i in range(80000)]
    print(total(load_rows(lines)))
main()
