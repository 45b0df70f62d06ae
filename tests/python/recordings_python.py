# SPDX-License-Identifier: MIT
"""The tests of recordings.py in each Python that is here."""
import os
import shutil
import subprocess
import tempfile
import unittest

from interpreters import PACKAGE, environment, skip_missing, tested_pythons


class EachPython(unittest.TestCase):
    def test_recordings(self):
        skip_missing(self)
        path = PACKAGE + os.pathsep + os.path.dirname(os.path.abspath(__file__))
        for version, python in tested_pythons().items():
            with self.subTest(python=version):
                folder = tempfile.mkdtemp(prefix="perfshelf-python-")
                self.addCleanup(shutil.rmtree, folder)
                done = subprocess.run([python, "-m", "unittest", "recordings"], cwd=folder, env=environment(folder, PYTHONPATH=path),
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
                print(f"Python {version} ({python}): {done.stdout.strip().splitlines()[-1]}", flush=True)
                self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
