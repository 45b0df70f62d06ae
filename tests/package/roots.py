# SPDX-License-Identifier: MIT
"""Bare systems of Debian and Ubuntu, with Python and nothing else, in which packages are installed and the program runs.

Under build/package/roots lie the systems as debootstrap makes them. A test gets one with an overlay, which is removed after it.
Debian's mirror is the one of this machine; Ubuntu's is $PERFSHELF_UBUNTU_MIRROR, else the one that debootstrap knows.
"""
import contextlib
import dataclasses
import os
import pty
import re
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

@dataclasses.dataclass(frozen=True)
class Release:
    title: str
    suite: str
    ubuntu: bool = False
    wheel: bool = True  # a pip that knows the tag of the wheel
    pipx: bool = True  # a version that keeps to PIP_NO_INDEX


RELEASES = [Release("Debian 11", "bullseye", pipx=False), Release("Debian 12", "bookworm"), Release("Debian 13", "trixie"),
            Release("Debian sid", "sid"), Release("Ubuntu 20.04", "focal", ubuntu=True, wheel=False, pipx=False),
            Release("Ubuntu 22.04", "jammy", ubuntu=True), Release("Ubuntu 24.04", "noble", ubuntu=True)]


def ubuntu_options():
    """Options and mirror of debootstrap, with the keys of Ubuntu from Debian 13."""
    keys = os.path.join(ROOTS, "ubuntu-keyring")
    if not os.path.exists(keys):
        with tempfile.TemporaryDirectory() as lists, tempfile.TemporaryDirectory() as folder:
            apt = debian.Apt("trixie", lists)
            deb = apt.download("deb", "ubuntu-keyring", apt.versions("deb", "ubuntu-keyring")[0], folder)
            subprocess.run(["dpkg-deb", "--extract", deb, keys], check=True)
    return [f"--keyring={keys}/usr/share/keyrings/ubuntu-archive-keyring.gpg", "--components=main,universe"], os.environ.get("PERFSHELF_UBUNTU_MIRROR", "")


def bare_system(release):
    """The folder of the release, made where it is not there yet."""
    folder = os.path.join(ROOTS, release.suite)
    if os.path.exists(folder):
        return folder
    os.makedirs(ROOTS, exist_ok=True)
    part = f"{folder}.part"
    shutil.rmtree(part, ignore_errors=True)
    options, mirror = ubuntu_options() if release.ubuntu else ([], debian.mirrors()[0])
    packages = "python3,python3-venv" + (",pipx" if release.pipx else "")
    # debootstrap has one script for all releases of Ubuntu, and newer ones are not among its names.
    done = subprocess.run(["debootstrap", "--variant=minbase", f"--include={packages}", *options, release.suite, part, mirror,
                           *(["gutsy"] if release.ubuntu else [])], capture_output=True, text=True)
    if done.returncode != 0:
        said = f"debootstrap {release.suite} failed:\n{done.stdout[-3000:]}{done.stderr}"
        if release.ubuntu and "Failed getting release file" in said:
            raise unittest.SkipTest(f"no mirror of Ubuntu can be reached: {release.title} (set PERFSHELF_UBUNTU_MIRROR)")
        raise AssertionError(said)
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

    def run_on_terminal(self, text):
        """As `run`, with a terminal as standard input and output."""
        ours, theirs = pty.openpty()
        said = b""
        with open(ours, "rb", buffering=0) as terminal, subprocess.Popen(self.command(text), stdin=theirs, stdout=theirs, stderr=theirs) as process:
            os.close(theirs)
            with contextlib.suppress(OSError):  # EIO: the last program has closed it
                while block := terminal.read(1 << 16):
                    said += block
        said = said.decode().replace("\r\n", "\n")
        if process.returncode != 0:
            raise AssertionError(f"{text}\nended with {process.returncode}:\n{said[-6000:]}")
        return said

    @contextlib.contextmanager
    def server(self, program, options):
        """Yields the port."""
        command = self.command(f"exec {program} serve {options} --listen 127.0.0.1:0")
        with tempfile.TemporaryFile("w+") as errors, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as server:
            try:
                started = re.search(r"https?://127\.0\.0\.1:(\d+)/", server.stdout.readline())
                if not started:
                    errors.seek(0)
                    raise AssertionError(errors.read())
                yield int(started[1])
            finally:
                server.kill()

    def bytes_changed(self):
        """What lies in files that were written or changed in this system."""
        changes = os.path.join(self.layers, "changes")
        return sum(os.lstat(os.path.join(path, name)).st_size for path, _, names in os.walk(changes) for name in names)

    def copy_in(self, path):
        shutil.copy(path, os.path.join(self.path, "root"))
        return os.path.join("/root", os.path.basename(path))


class InEachRelease(unittest.TestCase):
    """Runs the method `check` of a subclass in a bare system of each release."""

    @classmethod
    def setUpClass(cls):
        if why := clean_root.lacking():
            raise unittest.SkipTest(why)

    def each_release(self):
        for release in RELEASES:
            with self.subTest(system=release.title):
                self.release, self.root = release, BareRoot(release)
                try:
                    self.check()
                finally:
                    self.root.close()
