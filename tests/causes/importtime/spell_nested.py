# SPDX-License-Identifier: MIT
# file: spell/__init__.py
# file: spell/core/__init__.py
from spell.core.edit import distance
from spell.core.neural import Model
# file: spell/core/edit.py
def distance(a, b):
    return sum(x != y for x, y in zip(a, b)) + abs(len(a) - len(b))
# file: spell/core/neural.py
import sklearn.linear_model
class Model:
    def __init__(self):
        self.model = sklearn.linear_model.LogisticRegression()
# file: spell/cli.py
import sys
from spell.core.edit import distance
def main():
    print(distance("colour", "color"), file=sys.stdout)
# file: main.py
from spell.cli import main
main()
