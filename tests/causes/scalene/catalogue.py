# SPDX-License-Identifier: MIT
"""Joins the pages of a catalogue; a list is searched for each entry."""


def collect(entries):
    seen = []
    for entry in entries:
        if entry not in seen:
            seen.append(entry)
    return seen


def title(entry):
    return f"{entry:>8}".strip().title()


def main():
    entries = [f"e{(i * 7919) % 12007}" for i in range(16000)]
    print(len([title(entry) for entry in collect(entries)]))


if __name__ == "__main__":
    main()
