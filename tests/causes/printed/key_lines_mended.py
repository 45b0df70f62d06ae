import re


def parse_line(line, patterns):
    out = {}
    for key, pattern in patterns:
        found = pattern.search(line)
        if found:
            out[key] = found.group(1)
    return out


def parse(lines, keys):
    patterns = [(key, re.compile(key + r"=(\w+)")) for key in keys]
    return [parse_line(line, patterns) for line in lines]


def main():
    keys = ["key%d" % i for i in range(700)]
    lines = ["key%d=a key%d=b" % (i, i + 1) for i in range(4)]
    print(len(parse(lines, keys)))


main()
