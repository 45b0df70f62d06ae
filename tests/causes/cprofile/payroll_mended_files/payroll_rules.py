def gross(base, land):
    pay = base
    for step in range(12):
        pay += base * 0.001 * (step % (land + 2))
    return pay


def tax(pay, land):
    due, rest = 0.0, pay
    for limit, rate in ((900, 0.0), (1200, 0.14), (1500, 0.24), (9e9, 0.42 - land / 20)):
        part = min(rest, limit)
        due += part * rate
        rest -= part
    return due


def insurance(pay):
    return sum(min(pay, cap) * rate for cap, rate in ((4800, 0.073), (7100, 0.093), (7100, 0.013)))
