import json  # SPDX-License-Identifier: MIT
import os
import tempfile


class Archive:
    def __init__(self, path):
        self.path = path

    @profile
    def append(self, record):
        rows = []
        if os.path.exists(self.path):
            with open(self.path) as f:
                rows = json.load(f)
        rows.append(record)
        with open(self.path, "w") as f:
            json.dump(rows, f)


@profile
def measure(archive, n):
    for i in range(n):
        record = {"t": i, "c": 20 + i % 7, "who": "station"}
        archive.append(record)


with tempfile.TemporaryDirectory() as d:
    measure(Archive(d + "/a.json"), 500)
