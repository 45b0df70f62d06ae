# SPDX-License-Identifier: MIT
"""The scripts that pack releases: what they write depends on files and the date of the commit alone, and they refuse a program with shared libraries."""
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

from program import PROGRAM, ROOT

PACKAGING = os.path.join(ROOT, "packaging")


def run(name, *arguments):
    return subprocess.run([sys.executable, os.path.join(PACKAGING, name), *arguments], capture_output=True, text=True,
                          env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000", "PYTHONDONTWRITEBYTECODE": "1"})


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class Packing(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def stage(self, name, mtime, umask):
        """The same files, written at another time by a user with another umask."""
        before = os.umask(umask)
        try:
            top = os.path.join(self.folder, name)
            for path in ("bin/perfshelf", "share/man/man1/perfshelf.1", "share/doc/perfshelf/README.md", "share/doc/perfshelf/LICENSE"):
                os.makedirs(os.path.join(top, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(top, path), "w", encoding="ascii") as file:
                    file.write(path)
                os.utime(os.path.join(top, path), (mtime, mtime))
            os.chmod(os.path.join(top, "bin/perfshelf"), 0o777 & ~umask)
        finally:
            os.umask(before)
        return top

    def packed(self, name, mtime, umask):
        stage = self.stage(name, mtime, umask)
        archive = f"{stage}.tar.gz"
        for done in (run("tarball.py", stage, archive, "top"), run("wheel.py", stage, "1.2.3", stage, "x86_64")):
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        return archive, os.path.join(stage, "perfshelf-1.2.3-py3-none-manylinux_2_31_x86_64.whl")

    def test_equal_files_give_equal_bytes(self):
        one, other = self.packed("one", 1000000000, 0o022), self.packed("other", 1600000000, 0o077)
        self.assertEqual([digest(path) for path in one], [digest(path) for path in other])

    def test_wheel_has_the_program_and_a_record_of_its_files(self):
        _, path = self.packed("one", 1000000000, 0o022)
        with zipfile.ZipFile(path) as wheel:
            self.assertEqual(wheel.getinfo("perfshelf-1.2.3.data/scripts/perfshelf").external_attr >> 16, 0o100755)
            record = wheel.read("perfshelf-1.2.3.dist-info/RECORD").decode()
            self.assertEqual([line.split(",")[0] for line in record.splitlines()], wheel.namelist())

    def test_a_program_with_shared_libraries_is_refused(self):
        done = run("check_program.py", PROGRAM, ROOT, platform.machine())
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "needs libsqlite3.so.0, which is not part of the C library")


if __name__ == "__main__":
    unittest.main()
