# SPDX-License-Identifier: MIT
# file: main.py
import sys
import tool.cli
print(tool.cli.run(["list"]))
# file: tool/__init__.py
# file: tool/cli.py
"""The command line."""
from . import commands


def run(args):
    return commands.COMMANDS[args[0]]()
# file: tool/commands.py
import argparse
import json


def list_items():
    return json.dumps([1, 2, 3])


def make_report():
    from . import report
    return report.write()


COMMANDS = {"list": list_items, "report": make_report}
# file: tool/report.py
import pandas as pd


def write():
    return pd.DataFrame({"a": [1]}).to_csv()
