import json  # SPDX-License-Identifier: MIT
import os
import tempfile


class Archive:
    def __init__(self, path):
        self.path = path

    @profile
    def append(self, record):
        with open(self.path, "a") as f:
            f.write(json.dumps(record) + "\n")


@profile
def measure(archive, n):
    for i in range(n):
        record = {"t": i, "c": 20 + i % 7, "who": "station"}
        archive.append(record)


with tempfile.TemporaryDirectory() as d:
    measure(Archive(d + "/a.json"), 500)
