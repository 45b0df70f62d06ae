# SPDX-License-Identifier: MIT
# file: billing/__init__.py
from billing import charts, render
# file: billing/render.py
import string
def page(n):
    return string.Template("$n").substitute(n=n)
# file: billing/charts.py
import pandas as pd
def table(rows):
    return pd.DataFrame(rows)
# file: main.py
import argparse
import sys
from billing import render
if len(sys.argv) > 1:
    from billing import charts
    print(charts.table([1]))
print(render.page(3))
