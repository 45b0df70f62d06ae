import datetime


def parse_day(text):
    return datetime.datetime.fromisoformat(text)


def by_month(lines):
    months = {}
    for line in lines:
        day = parse_day(line)
        months.setdefault(day.month, []).append(day)
    return months


def main():
    lines = ["2024-%02d-%02d" % (i % 12 + 1, i % 28 + 1) for i in range(120000)]
    print(len(by_month(lines)))


main()
