import random
def make(n):
    r = random.Random(4); return [(r.random(), i) for i in range(n)]
def order(rows): return sorted(rows)
def main(): print(order(make(400000))[0])
main()
