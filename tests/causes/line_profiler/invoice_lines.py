"""Sum up the month per customer group."""
import sqlite3
from collections import Counter


def open_db(path="billing.db"):
    return sqlite3.connect(path)


@profile
def totals(db):
    result = Counter()
    orders = db.execute("select id, customer_id, amount from orders").fetchall()
    for order_id, customer_id, amount in orders:
        row = db.execute("select grp from customers where name_key = ?", (f"c{customer_id}",)).fetchone()
        group = row[0]
        result[group] += amount
    return result


if __name__ == "__main__":
    print(totals(open_db()))
