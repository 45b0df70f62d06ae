"""Replay a day of requests against the url rules of the portal."""
import re
from collections import Counter


class Rule:
    def __init__(self, tenant, endpoint, pattern):
        self.tenant = tenant
        self.endpoint = endpoint
        self.pattern = re.compile(pattern)

    def matches(self, path):
        found = self.pattern.match(path)
        return found.groupdict() if found else None


class Router:
    def __init__(self):
        self.rules = {}

    def add(self, tenant, endpoint, pattern):
        self.rules.setdefault(tenant, []).append(Rule(tenant, endpoint, pattern))

    def dispatch(self, tenant, path):
        for rule in self.rules[tenant]:
            args = rule.matches(path)
            if args is not None:
                return rule.endpoint, args
        return "not_found", {}


def portal(tenants):
    router = Router()
    for t in range(tenants):
        base = rf"/t{t}/"
        router.add(t, "invoice", base + r"invoices/(?P<number>[0-9]{4,8})(?:\.pdf)?$")
        router.add(t, "customer", base + r"customers/(?P<key>[a-z]+-\d+)/(?P<tab>orders|notes)?$")
        router.add(t, "report", base + r"reports/(?P<year>\d{4})/(?P<month>\d{1,2})$")
    return router


def main():
    router = portal(250)
    served = Counter()
    for n in range(1800):
        t = n * 7 % 250
        path = [f"/t{t}/invoices/{n:06}.pdf", f"/t{t}/customers/ab-{n}/orders",
                f"/t{t}/reports/2024/{n % 12 + 1}"][n % 3]
        served[router.dispatch(t, path)[0]] += 1
    print(served)


main()
