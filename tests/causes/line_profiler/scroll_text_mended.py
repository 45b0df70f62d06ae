"""Shows the newest entries of a chat first."""  # SPDX-License-Identifier: MIT


def make_entries(count):
    return [f"user{n % 50} wrote entry {n}" for n in range(count)]


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


def newest_first(entries):
    lines = []
    for entry in entries:
        lines.append(f"<p>{escape(entry)}</p>\n")
    return "".join(reversed(lines))


def main():
    page = newest_first(make_entries(16000))
    print(len(page))


if __name__ == "__main__":
    main()
