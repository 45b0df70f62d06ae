"""Groups measured points by cell."""  # SPDX-License-Identifier: MIT
import unicodedata


def make_names(count):
    base = ["Zürich Oerlikon", "São Paulo", "Kraków Główny", "Málaga Centro", "Århus Nord"]
    return [base[n % 5] + " " + "x" * (n % 4) for n in range(count)]


def fold_name(name):
    text = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return " ".join(text.casefold().split())


def group(names):
    cells = {}
    for number, name in enumerate(names):
        cells.setdefault(fold_name(name), []).append(number)
    return cells


def widest(cells):
    return max(cells, key=lambda key: cells[key][-1] - cells[key][0])


if __name__ == "__main__":
    print(widest(group(make_names(400000))))
