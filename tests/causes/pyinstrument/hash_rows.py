import hashlib  # SPDX-License-Identifier: MIT
import json


def key(row):
    return hashlib.sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()


def dedupe(rows):
    seen = {}
    for row in rows:
        seen.setdefault(key(row), row)
    return list(seen.values())


rows = [{"id": i % 40000, "name": f"n{i % 40000}", "tags": ["a", "b"]} for i in range(60000)]
print(len(dedupe(rows)))
