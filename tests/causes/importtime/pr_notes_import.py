# SPDX-License-Identifier: MIT
# file: notes/__init__.py
from notes import store
# file: notes/store.py
import json
import sqlite3
# file: notes/export.py
import requests
def push(x):
    return requests.post(x)
# file: main.py
import notes.store
import notes.export
print("ready")
