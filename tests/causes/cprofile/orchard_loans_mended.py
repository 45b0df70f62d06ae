import sqlite3  # SPDX-License-Identifier: MIT
def shelf():
    db = sqlite3.connect(":memory:")
    db.execute("create table tool(id integer primary key, name text)")
    db.execute("create table loan(id integer primary key, tool int, days int)")
    db.executemany("insert into tool values(?, ?)", ((i, f"tool {i}") for i in range(1500)))
    db.executemany("insert into loan values(?, ?, ?)", ((i, i % 1500, i % 90) for i in range(9000)))
    return db
def overdue(db):
    return dict(db.execute("select name, max(days) from tool join loan on loan.tool = tool.id group by tool.id"))
print(len(overdue(shelf())))
