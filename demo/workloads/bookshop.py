# SPDX-License-Identifier: MIT
"""A small web shop asked 300 times: Flask, SQLite, templates. BOOKSHOP=slow|joined|cached are three states of its code."""
import cProfile
import functools
import os
import sqlite3
import sys

import flask

STATE = os.environ.get("BOOKSHOP", "slow")
app = flask.Flask("bookshop")
PAGE = "<h1>{{ title }}</h1>{% for b in books %}<p>{{ b.name }} by {{ b.author }}: {{ b.price|round(2) }}</p>{% endfor %}"


def connect():
    """Authors are known by a slug, and nobody thought of an index on it."""
    db = sqlite3.connect(":memory:")
    db.row_factory = sqlite3.Row
    db.executescript("CREATE TABLE author(slug TEXT, name TEXT); CREATE TABLE book(name TEXT, author TEXT, price REAL);")
    db.executemany("INSERT INTO author VALUES (?, ?)", [(f"author-{i}", f"Author {i}") for i in range(1500)])
    db.executemany("INSERT INTO book VALUES (?, ?, ?)", [(f"Book {i}", f"author-{i * 3}", i * 1.37) for i in range(400)])
    return db


DB = connect()


def author_of(book):
    return DB.execute("SELECT name FROM author WHERE slug = ?", (book["author"],)).fetchone()["name"]


def books_one_by_one(page):
    rows = DB.execute("SELECT * FROM book ORDER BY name LIMIT 40 OFFSET ?", (page * 40,)).fetchall()
    return [{"name": row["name"], "author": author_of(row), "price": row["price"] * 1.19} for row in rows]


def books_joined(page):
    rows = DB.execute("SELECT b.name, a.name AS author, b.price * 1.19 AS price FROM book b JOIN author a ON a.slug = b.author "
                      "ORDER BY b.name LIMIT 40 OFFSET ?", (page * 40,))
    return [dict(row) for row in rows]


books_cached = functools.lru_cache(books_joined)
BOOKS = {"slow": books_one_by_one, "joined": books_joined, "cached": books_cached}[STATE]


@app.get("/books/<int:page>")
def books(page):
    return flask.render_template_string(PAGE, title=f"Page {page}", books=BOOKS(page))


@app.get("/books/<int:page>.json")
def books_json(page):
    return flask.jsonify(BOOKS(page))


def main():
    client = app.test_client()
    client.get("/books/0")  # the template is compiled once
    with cProfile.Profile() as profile:
        sizes = [len(client.get(f"/books/{i % 10}{'.json' if i % 3 == 0 else ''}").data) for i in range(300)]
    profile.dump_stats(sys.argv[1])
    print(sum(sizes))


main()
