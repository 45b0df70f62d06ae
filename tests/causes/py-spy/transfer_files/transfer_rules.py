import hashlib


def check(order):
    if order["cents"] < 0:
        raise ValueError(order)
    if not order["text"].isprintable():
        raise ValueError(order)
    valid_iban(order["to"])


def valid_iban(iban):
    turned = iban[4:] + iban[:4]
    rest = 0
    for c in turned:
        for d in str(int(c, 36)):
            rest = (rest * 10 + int(d)) % 97
    return rest == 1


def line_for(order):
    fields = [order["to"].ljust(34), f"{order['cents']:012d}", order["text"][:27].ljust(27).upper()]
    line = "|".join(fields)
    mark = 0
    for c in line:
        mark = (mark * 7 + ord(c)) % 9973
    return f"{line}|{mark:04}|{hashlib.md5(line.encode()).hexdigest()}"
