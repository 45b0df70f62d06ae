def celsius(f):
    return (f * 1000 - 32000) / 1800


def miles(km):
    return km * 1000 / 1609.344


def pounds(kg):
    return kg * 1000 / 453.59237
