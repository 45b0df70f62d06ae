# SPDX-License-Identifier: MIT
# file: report/__init__.py
# file: report/pdf.py
import string
import pandas
def page():
    return string.capwords("ready")
# file: main.py
import argparse
from report.pdf import page
print(page())
