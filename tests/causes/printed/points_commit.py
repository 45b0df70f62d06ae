import sqlite3


def save(db, row):
    db.execute("insert into points values (?, ?)", row)
    db.commit()


def store(db, rows):
    for row in rows:
        save(db, row)


def main():
    db = sqlite3.connect("points.db")
    db.execute("create table if not exists points (a, b)")
    store(db, [(i, i * i) for i in range(1500)])
    print(db.execute("select count(*) from points").fetchone())


main()
