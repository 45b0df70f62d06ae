import re

import helper


def slug(title):
    return re.sub(r"[^a-z]+", "-", title.lower()).strip("-")


def main():
    rows = list(range(120000))
    titles = ["Title No %d of all" % i for i in range(60000)]
    index = helper.make_index(slug("All The Titles"), rows)
    names = []
    for title in titles:
        names.append(slug(title))
    print(len(index), len(names))


main()
