"""Shows the newest entries of a chat first."""  # SPDX-License-Identifier: MIT


@profile
def make_entries(count):
    return [f"user{n % 50} wrote entry {n}" for n in range(count)]


@profile
def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


@profile
def newest_first(entries):
    page = ""
    for entry in entries:
        page = f"<p>{escape(entry)}</p>\n" + page
    return page


@profile
def main():
    page = newest_first(make_entries(16000))
    print(len(page))


if __name__ == "__main__":
    main()
