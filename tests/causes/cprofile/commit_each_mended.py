# SPDX-License-Identifier: MIT
import sqlite3,os,tempfile
def store(db,i):
    db.execute("insert into t values(?)",(i,))
def save(db,n):
    for i in range(n): store(db,i)
    db.commit()
def main():
    p=tempfile.mktemp(); db=sqlite3.connect(p); db.execute("create table t(i)")
    save(db,900); os.unlink(p)
main()
