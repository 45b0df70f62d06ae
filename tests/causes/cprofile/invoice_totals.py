import random
class Line:
    def __init__(self, qty, price): self.qty, self.price = qty, price
    @property
    def amount(self): return round(self.qty * self.price * 1.2, 2)
class Invoice:
    def __init__(self, lines): self.lines = lines
    @property
    def total(self): return sum(line.amount for line in self.lines)
def rank(invoices):
    ranked = []
    for invoice in invoices:
        ranked.append((sum(1 for other in invoices if other.total > invoice.total), invoice))
    return ranked
def main():
    r = random.Random(3)
    invoices = [Invoice([Line(r.randrange(1, 9), r.random() * 100) for _ in range(6)]) for _ in range(330)]
    print(len(rank(invoices)))
main()
