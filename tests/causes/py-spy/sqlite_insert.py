import sqlite3  # SPDX-License-Identifier: MIT


def store(db, rows):
    for row in rows:
        db.execute("insert into t values (?, ?)", row)
    db.commit()


def rows(n):
    return ((i, f"name {i}") for i in range(n))


db = sqlite3.connect(":memory:")
db.execute("create table t (id integer, name text)")
store(db, rows(400000))
print(db.execute("select count(*) from t").fetchone())
