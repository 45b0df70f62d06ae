# SPDX-License-Identifier: MIT
# file: sheets/__init__.py
# file: sheets/cell.py
class Cell:
    def __init__(self, formula):
        self.formula = formula

    def value(self, sheet):
        if isinstance(self.formula, int):
            return self.formula
        return sum(sheet.at(name) for name in self.formula)
# file: sheets/sheet.py
from sheets.cell import Cell

class Sheet:
    def __init__(self):
        self.cells = {}
        self.known = {}

    def put(self, name, formula):
        self.cells[name] = Cell(formula)

    def at(self, name):
        if name not in self.known:
            self.known[name] = self.cells[name].value(self)
        return self.known[name]
# file: sheets/__main__.py
from sheets.sheet import Sheet

sheet = Sheet()
sheet.put("a0", 1)
sheet.put("a1", 1)
for i in range(2, 25):
    sheet.put(f"a{i}", [f"a{i - 1}", f"a{i - 2}"])
print(sheet.at("a24"))
