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
    totals = sorted(invoice.total for invoice in invoices)
    import bisect
    return [(len(totals) - bisect.bisect_right(totals, invoice.total), invoice) for invoice in invoices]
def main():
    r = random.Random(3)
    invoices = [Invoice([Line(r.randrange(1, 9), r.random() * 100) for _ in range(6)]) for _ in range(330)]
    print(len(rank(invoices)))
main()
