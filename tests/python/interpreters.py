# SPDX-License-Identifier: MIT
"""The Pythons at hand, from 3.8 on: in $PERFSHELF_PYTHONS (paths with colons between them), else in $PATH and of pyenv."""
import functools
import glob
import os
import shutil
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from built import PROGRAM  # noqa: E402, F401
from long import SHORT  # noqa: E402

PACKAGE = os.path.join(ROOT, "python")
VERSIONS = [f"3.{minor}" for minor in range(8, 16)]


def candidates():
    named = os.environ.get("PERFSHELF_PYTHONS")
    if named:
        yield from named.split(":")
        return
    yield sys.executable
    for version in VERSIONS:
        yield shutil.which(f"python{version}")
        yield from sorted(glob.glob(os.path.expanduser(f"~/.pyenv/versions/{version}.*/bin/python")))
    yield "/usr/bin/python3"


@functools.cache
def version_of(python):
    """"3.8", or None where it does not start (a shim of pyenv without a version)."""
    try:
        done = subprocess.run([python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True, timeout=60)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


@functools.cache
def pythons():
    """A Python of each version."""
    found = {}
    for python in candidates():
        version = version_of(python) if python else None
        if version in VERSIONS:
            found.setdefault(version, python)
    return found


def tested_pythons():
    """All of them; in a short run the oldest and the newest."""
    rows = sorted(pythons().items(), key=lambda row: VERSIONS.index(row[0]))
    return dict(rows[:1] + rows[-1:] if SHORT else rows)


def python_with(*modules):
    """A Python that has these modules; skips the test where there is none."""
    tried = ["/usr/bin/python3", *pythons().values()]
    for python in tried:
        if version_of(python) in VERSIONS and has_modules(python, modules):
            return python
    raise unittest.SkipTest(f"no Python here has {' and '.join(modules)}")


@functools.cache
def has_modules(python, modules):
    return subprocess.run([python, "-c", "import " + ", ".join(modules)], capture_output=True).returncode == 0


def environment(folder, **more):
    """For a Python that uses the package from the tree, with a home and a shelf of its own below the folder."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PERFSHELF", "PYTHON", "PYTEST", "XDG_"))}
    env.update(HOME=folder, TMPDIR=folder, XDG_RUNTIME_DIR=os.path.join(folder, "runtime"), PYTHONPATH=PACKAGE, PERFSHELF_PROGRAM=PROGRAM, PYTHONDONTWRITEBYTECODE="1",
               GIT_CEILING_DIRECTORIES=folder)
    env.update(more)
    return env


def skip_missing(test):
    """Names the versions that are not here, in the output of the test run."""
    for version in VERSIONS:
        if version not in pythons():
            with test.subTest(python=version):
                test.skipTest(f"no Python {version} here")
