# SPDX-License-Identifier: MIT
import sqlite3
def build():
    db=sqlite3.connect(":memory:")
    db.execute("create table c(id integer primary key,n text)"); db.execute("create table o(id integer primary key,c int,v int)")
    db.executemany("insert into c values(?,?)",[(i,f"n{i}") for i in range(3000)])
    db.executemany("insert into o values(?,?,?)",[(i,i%3000,i) for i in range(9000)])
    db.execute("create index oc on o(c)")
    return db
def customer_of(db,i): return db.execute("select n from c where id=?",(i,)).fetchone()[0]
def orders_of(db,i): return db.execute("select v from o where c=?",(i,)).fetchall()
def report(db):
    out=[]
    for i in range(3000):
        out.append((customer_of(db,i),sum(v for v, in orders_of(db,i))))
    return out
def main():
    db=build()
    for _ in range(25): report(db)
main()
