# SPDX-License-Identifier: MIT
"""Bare systems of Debian releases, with Python and nothing else, in which packages are installed and the program runs.

Under build/package/roots lie the systems as debootstrap makes them. A test gets one with an overlay, which is removed after it.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROOTS = os.path.join(ROOT, "build", "package", "roots")
DIST = os.path.join(ROOT, "dist")
for folder in ("tests", "tests/docker", "packaging"):
    sys.path.insert(0, os.path.join(ROOT, folder))
import clean_root  # noqa: E402
import debian  # noqa: E402
import dockerfile  # noqa: E402

RELEASES = {"11": "bullseye", "12": "bookworm", "13": "trixie", "sid": "sid"}


def bare_system(release):
    """The folder of the release, made where it is not there yet."""
    folder = os.path.join(ROOTS, release)
    if os.path.exists(folder):
        return folder
    os.makedirs(ROOTS, exist_ok=True)
    part = f"{folder}.part"
    shutil.rmtree(part, ignore_errors=True)
    done = subprocess.run(["debootstrap", "--variant=minbase", "--include=python3,python3-venv", release, part, debian.mirrors()[0]],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"debootstrap {release} failed:\n{done.stdout[-3000:]}{done.stderr}")
    os.rename(part, folder)
    return folder


class BareRoot:
    """A running system; what `entering` of clean_root.py needs of one."""

    workdir = "/root"

    def __init__(self, release):
        system = bare_system(release)  # makes ROOTS
        self.layers = tempfile.mkdtemp(dir=ROOTS)
        for name in ("files", "changes", "work"):
            os.mkdir(os.path.join(self.layers, name))
        self.path = os.path.join(self.layers, "files")
        options = f"lowerdir={system},upperdir={self.layers}/changes,workdir={self.layers}/work"
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, self.path], check=True)

    def close(self):
        subprocess.run(["umount", self.path], check=True)
        shutil.rmtree(self.layers)

    def command(self, text):
        """The command line that runs a line of shell in the system, on this machine's network."""
        env = {"PATH": dockerfile.PATH, "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
        return clean_root.entering(self, ["/bin/sh", "-ec", text], env=env, network="host")

    def run(self, text):
        done = subprocess.run(self.command(text), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise AssertionError(f"{text}\nended with {done.returncode}:\n{done.stdout[-6000:]}")
        return done.stdout

    def copy_in(self, path):
        shutil.copy(path, os.path.join(self.path, "root"))
        return os.path.join("/root", os.path.basename(path))

    def files(self, pattern):
        """Files of the system whose path contains the pattern, but those of /root, /proc and /dev."""
        return self.run(f"find / -xdev -path '*{pattern}*' -not -path '/root/*' -not -path '/proc/*' -not -path '/dev/*'").split()


class InEachRelease(unittest.TestCase):
    """Runs the method `check` of a subclass in a bare system of each release."""

    @classmethod
    def setUpClass(cls):
        if why := clean_root.lacking():
            raise unittest.SkipTest(why)

    def each_release(self):
        for number, release in RELEASES.items():
            with self.subTest(debian=number):
                self.root = BareRoot(release)
                try:
                    self.check()
                finally:
                    self.root.close()
