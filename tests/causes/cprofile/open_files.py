import os  # SPDX-License-Identifier: MIT
import tempfile


def words(path):
    with open(path) as f:
        return len(f.read().split())


def survey(folder):
    return {name: words(os.path.join(folder, name)) for name in os.listdir(folder)}


def make(folder, n):
    for i in range(n):
        with open(os.path.join(folder, f"{i}.txt"), "w") as f:
            f.write(f"word {i} " * 200)


with tempfile.TemporaryDirectory() as d:
    make(d, 1500)
    print(len(survey(d)))
