# SPDX-License-Identifier: MIT
"""The wheel, made of what `cmake --install` installs: its files, and pip in a virtual environment of each Python that is here."""
import base64
import csv
import glob
import hashlib
import io
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

from interpreters import ROOT, environment, skip_missing, tested_pythons

BUILD = os.path.join(ROOT, "build")
PROBE = """
import importlib.metadata, json, os, subprocess, sys
import perfshelf
from perfshelf import shelf
assert "site-packages" in perfshelf.__file__, perfshelf.__file__
assert os.path.dirname(shelf.find_program()) == os.path.dirname(sys.executable), shelf.find_program()
with perfshelf.record(name="probe") as block:
    json.dumps([])
assert block.run.name == "probe"
assert subprocess.check_output([sys.executable, "-m", "perfshelf", "--version"]).decode() == "perfshelf %s\\n" % perfshelf.__version__
# what ci/gitlab/perfshelf.yml runs
done = subprocess.run([sys.executable, "-I", "-m", "perfshelf.ci"], stderr=subprocess.PIPE)
assert done.returncode == 1 and b"perfshelf_ci.py measure" in done.stderr, done
points = importlib.metadata.distribution("perfshelf").entry_points
assert [(point.group, point.value) for point in points] == [("pytest11", "perfshelf.pytest_plugin")]
"""


@unittest.skipUnless(os.path.exists(os.path.join(BUILD, "cmake_install.cmake")), "no build folder of CMake here")
class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="perfshelf-wheel-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        stage = os.path.join(cls.folder, "stage")
        subprocess.run(["cmake", "--install", BUILD, "--prefix", stage], check=True, stdout=subprocess.DEVNULL)
        said = subprocess.run([os.path.join(stage, "bin/perfshelf"), "--version"], capture_output=True, text=True, check=True).stdout
        cls.version = said.split()[1]
        command = [sys.executable, os.path.join(ROOT, "packaging", "wheel.py"), stage, cls.version, cls.folder, platform.machine()]
        subprocess.run(command, check=True, env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
        [cls.wheel] = glob.glob(os.path.join(cls.folder, "*.whl"))

    def test_record_lists_all_files(self):
        with zipfile.ZipFile(self.wheel) as wheel:
            [record] = [name for name in wheel.namelist() if name.endswith(".dist-info/RECORD")]
            rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(wheel.read(record).decode()))}
            self.assertEqual(sorted(rows), sorted(wheel.namelist()))
            for name in set(rows) - {record}:
                content = wheel.read(name)
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                self.assertEqual(rows[name], [f"sha256={digest}", str(len(content))], name)

    def test_files_and_metadata(self):
        with zipfile.ZipFile(self.wheel) as wheel:
            names = wheel.namelist()
            metadata = wheel.read(f"perfshelf-{self.version}.dist-info/METADATA").decode()
        for name in ("perfshelf/__init__.py", "perfshelf/py.typed", "perfshelf/pytest_plugin.py", f"perfshelf-{self.version}.data/scripts/perfshelf"):
            self.assertIn(name, names)
        self.assertFalse([name for name in names if "__pycache__" in name])
        self.assertRegex(metadata, r"(?m)^Requires-Python: >=3\.8$")
        self.assertNotRegex(metadata.partition("\n\n")[0], "Requires-Dist")

    def test_install_use_remove(self):
        skip_missing(self)
        for version, python in tested_pythons().items():
            with self.subTest(python=version):
                self.install(python, os.path.join(self.folder, version))

    def install(self, python, folder):
        home = os.path.join(folder, "home")
        os.makedirs(home)
        env = environment(home)
        del env["PERFSHELF_PROGRAM"], env["PYTHONPATH"]
        run = lambda *words: subprocess.run(words, env=env, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # noqa: E731
        made = run(python, "-m", "venv", os.path.join(folder, "env"))
        if made.returncode != 0:
            self.skipTest(f"{python} makes no virtual environments: {made.stdout.splitlines()[0]}")
        scripts = os.path.join(folder, "env", "bin")
        installed = run(os.path.join(scripts, "pip"), "install", "--no-index", "--disable-pip-version-check", self.wheel)
        self.assertEqual(installed.returncode, 0, installed.stdout)
        probed = run(os.path.join(scripts, "python"), "-c", PROBE)
        self.assertEqual(probed.returncode, 0, probed.stdout)
        wrong = run(os.path.join(scripts, "python"), "-m", "perfshelf", "nonsense")
        self.assertEqual(wrong.returncode, 2)
        removed = run(os.path.join(scripts, "pip"), "uninstall", "-y", "perfshelf")
        self.assertEqual(removed.returncode, 0, removed.stdout)
        left = [path for path in glob.glob(os.path.join(folder, "env", "**"), recursive=True) if re.search("perfshelf", os.path.relpath(path, folder))]
        self.assertEqual(left, [])


if __name__ == "__main__":
    unittest.main()
