# SPDX-License-Identifier: MIT
"""What a shelf keeps, for tests that look behind the program, be it a folder or on a PostgreSQL (on_postgresql.py)."""
import contextlib
import hashlib
import os
import sqlite3
import subprocess
import urllib.parse

PLACE = os.environ.get("PERFSHELF_ON_POSTGRESQL")  # folder of its programs, folder of its socket


def name_of(data):
    """The database that stands for this folder."""
    return "s" + hashlib.sha256(os.path.abspath(data).encode()).hexdigest()[:20]


def url_of(data, socket):
    return f"postgresql:///{name_of(data)}?host={socket}&user=shelf"


def ask(data, statement):
    """The words that psql answers; none where there is no such database or table yet."""
    programs, socket = PLACE.split(":")
    done = subprocess.run([os.path.join(programs, "psql"), "-X", "-A", "-t", "-q", "-c", statement, url_of(data, socket)],
                          capture_output=True, text=True, check=False)
    return done.stdout.split()


# Ids of removed runs that can be recovered, and the hashes of what is attached to them alone: their files are still there.
DELETED = ("SELECT id FROM deleted_run UNION ALL SELECT substr(sha256, 1, 16) FROM source WHERE run IN (SELECT id FROM deleted_run) "
           "AND sha256 NOT IN (SELECT sha256 FROM source WHERE run IN (SELECT id FROM run))")


def deleted(data):
    """How the names of files begin that only removed runs have."""
    if PLACE:
        return ask(data, DELETED)
    catalog = os.path.join(data, "catalog.db")
    if not os.path.exists(catalog):
        return []
    with contextlib.closing(sqlite3.connect(f"file:{urllib.parse.quote(catalog)}?mode=ro", uri=True)) as db:
        return [key for key, in db.execute(DELETED)]


def keys(data, folder, removed=False):
    """Of a folder of kept files: runs, originals, sources; with `removed` also those of removed runs that can be recovered."""
    if PLACE:
        found = ask(data, f"SELECT \"key\" FROM kept WHERE folder = '{folder}' ORDER BY 1")
    else:
        path = os.path.join(data, folder)
        found = sorted(name.partition(".")[0] for name in os.listdir(path)) if os.path.isdir(path) else []
    gone = () if removed else deleted(data)
    return [key for key in found if key[:16] not in gone]


def size(data, folder):
    """Bytes of its files but for those of removed runs; pieces: of uploads on their way, which lie in spool/ where the shelf is a folder."""
    if PLACE and folder in ("runs", "originals", "sources", "pieces"):
        return int(ask(data, f"SELECT coalesce(sum(bytes), 0) FROM kept WHERE folder = '{folder}' "
                             f"AND substr(\"key\", 1, 16) NOT IN ({DELETED})")[0])
    sizes, gone = 0, deleted(data)
    for entry in os.scandir(os.path.join(data, folder)):
        if entry.name[:16] in gone:
            continue
        try:
            sizes += entry.stat().st_size
        except FileNotFoundError:
            pass  # gone meanwhile
    return sizes
