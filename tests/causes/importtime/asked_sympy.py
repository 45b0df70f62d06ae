# SPDX-License-Identifier: MIT
# file: main.py
import sympy
print(sympy.symbols("x") + 1)
