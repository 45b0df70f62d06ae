import hashlib


def check(order):
    if order["cents"] < 0:
        raise ValueError(order)
    if not order["text"].isprintable():
        raise ValueError(order)


def line_for(order):
    fields = [order["to"].ljust(34), f"{order['cents']:012d}", order["text"][:27].ljust(27).upper()]
    line = "|".join(fields)
    mark = 0
    for c in line:
        mark = (mark * 7 + ord(c)) % 9973
    return f"{line}|{mark:04}|{hashlib.md5(line.encode()).hexdigest()}"
