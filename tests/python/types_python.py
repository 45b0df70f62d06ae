# SPDX-License-Identifier: MIT
"""The annotations are complete and right for Python 3.8 and newer, by `mypy --strict`."""
import os
import shutil
import subprocess
import tempfile
import unittest

from interpreters import PACKAGE, python_with

USER = """
from typing import List
import perfshelf

@perfshelf.record("cprofile", name="x", tags={"a": 1})
def double(n: int) -> int:
    return 2 * n

number: int = double(3)
run: perfshelf.Run = perfshelf.add(b"x", series="s")
runs: List[perfshelf.Run] = perfshelf.add_all("folder")
with perfshelf.record() as block:
    pass
if block.run is not None:
    url: str = block.run.url or ""
"""


class Types(unittest.TestCase):
    def mypy(self, *words):
        python = python_with("mypy")
        # Without what is installed: the package must not depend on the types of pytest and IPython.
        return subprocess.run([python, "-m", "mypy", "--strict", "--no-site-packages", "--ignore-missing-imports", "--allow-untyped-decorators",
                               "--cache-dir", self.folder, *words], capture_output=True, text=True, env={**os.environ, "MYPYPATH": PACKAGE})

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="perfshelf-mypy-")
        self.addCleanup(shutil.rmtree, self.folder)

    def test_the_package(self):
        done = self.mypy(os.path.join(PACKAGE, "perfshelf"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_its_users(self):
        path = os.path.join(self.folder, "user.py")
        for text, status in ((USER, 0), (USER.replace("double(3)", "double('3')"), 1), (USER.replace("run.url or", "run.link or"), 1)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            done = self.mypy(path)
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
