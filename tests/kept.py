# SPDX-License-Identifier: MIT
"""What a shelf keeps, for tests that look behind the program, be it a folder or on a PostgreSQL (on_postgresql.py)."""
import hashlib
import os
import subprocess

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


def keys(data, folder):
    """Of a folder of kept files: runs, originals, sources."""
    if not PLACE:
        path = os.path.join(data, folder)
        return sorted(name.partition(".")[0] for name in os.listdir(path)) if os.path.isdir(path) else []
    return ask(data, f"SELECT \"key\" FROM kept WHERE folder = '{folder}' ORDER BY 1")


def size(data, folder):
    """Bytes of its files; pieces: of uploads on their way, which lie in spool/ where the shelf is a folder."""
    if PLACE and folder in ("runs", "originals", "sources", "pieces"):
        return int(ask(data, f"SELECT coalesce(sum(bytes), 0) FROM kept WHERE folder = '{folder}'")[0])
    sizes = 0
    for entry in os.scandir(os.path.join(data, folder)):
        try:
            sizes += entry.stat().st_size
        except FileNotFoundError:
            pass  # gone meanwhile
    return sizes
