# SPDX-License-Identifier: MIT
"""Programs one of whose imports becomes lazy, and their import logs: what tests and the bench of `perfshelf whatif` share."""
import os
import re
import subprocess
import sys
from collections import Counter

ROW = re.compile(rb"^import time: +(-?\d+) \| +-?\d+ \| +(.+)$", re.M)

# What a program imports; the one that becomes lazy is its name. The standard library is everywhere; of the others there may be none.
STDLIB = {
    "asyncio": ["http.server", "unittest", "asyncio"],
    "smtplib": ["smtplib", "http.client", "email.mime.text"],
    "xmlrpc.client": ["xmlrpc.client", "xml.dom.minidom", "multiprocessing.pool"],
    "http.server": ["http.server", "urllib.request", "logging.config"],
}
PACKAGES = {
    "requests": ["requests", "http.client", "json"],
    "numpy": ["numpy", "unittest", "json"],
    "torch": ["torch", "numpy", "unittest"],
}


def python_with(module):
    """A Python that has it; None: there is none here."""
    find = f"import importlib.util, sys; sys.exit(not importlib.util.find_spec({module.split('.')[0]!r}))"
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run([python, "-c", find], capture_output=True).returncode == 0:
            return os.path.realpath(python)
    return None


def program_text(modules, lazy=None):
    return "".join(f"def later():\n    import {module}\n" if module == lazy else f"import {module}\n" for module in modules)


def selfs(log):
    """Self times by module and which of its rows it is: an import that fails is tried, and told, again."""
    found, rows = {}, Counter()
    for us, name in ROW.findall(log):
        rows[name] += 1
        found[name.decode(), rows[name]] = int(us)
    return found


def timed(python, path):
    return selfs(subprocess.run([python, "-X", "importtime", path], capture_output=True, check=True).stderr)


def modules_of(rows):
    return Counter(module for module, _ in rows)


def saved_modules(answer):
    """Those of an answer of whatif that are told to go."""
    return Counter(row["module"] for row in answer["rows"] if row["fate"] == "saved")
