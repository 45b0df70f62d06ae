import re


def parse_line(line, keys):
    out = {}
    for key in keys:
        found = re.compile(key + r"=(\w+)").search(line)
        if found:
            out[key] = found.group(1)
    return out


def parse(lines, keys):
    return [parse_line(line, keys) for line in lines]


def main():
    keys = ["key%d" % i for i in range(700)]
    lines = ["key%d=a key%d=b" % (i, i + 1) for i in range(4)]
    print(len(parse(lines, keys)))


main()
