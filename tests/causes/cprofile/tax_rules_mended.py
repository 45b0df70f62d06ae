import dataclasses  # SPDX-License-Identifier: MIT
import operator


@dataclasses.dataclass(frozen=True)
class Clause:
    field: str
    op: str
    value: int

    def test(self, case):
        return getattr(operator, self.op)(case[self.field], self.value)


class Code:
    def __init__(self, lines):
        self.lines = lines
        self.parsed = self.clauses()

    def clauses(self):
        return [Clause(f, o, int(v)) for f, o, v in (line.split() for line in self.lines)]

    def applies(self, case):
        return all(c.test(case) for c in self.parsed)


LINES = [f"income ge {i}" for i in range(12)] + [f"children le {10 + i}" for i in range(12)]
code = Code(LINES)
print(sum(code.applies({"income": 20 + i % 50, "children": i % 4}) for i in range(9000)))
