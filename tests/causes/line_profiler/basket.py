import json

RATES = json.dumps({"c%d" % i: i / 7 for i in range(400)})


def price(item):
    rates = json.loads(RATES)
    return item[1] * rates["c%d" % (item[0] % 400)]


def checkout(basket):
    total = 0.0
    for item in basket:
        total += price(item)
    return total


def report(baskets):
    return [round(checkout(basket), 2) for basket in baskets]


def main():
    baskets = [[(i * k, i) for i in range(10)] for k in range(600)]
    print(len(report(baskets)))


main()
