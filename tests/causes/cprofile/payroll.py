"""Pay roll of a month in three currencies."""
import functools
from payroll_rates import exchange_rate
from payroll_rules import gross, tax, insurance

STAFF = [(f"E{n:04}", n % 3, 2000 + n * 13 % 4000) for n in range(9000)]


def payslip(who, land, base):
    pay = gross(base, land)
    net = pay - tax(pay, land) - insurance(pay)
    return who, net * exchange_rate(["EUR", "CHF", "NOK"][land])


def main():
    print(round(sum(payslip(*s)[1] for s in STAFF * 3)))


main()
