# SPDX-License-Identifier: MIT
"""The files for arm64 of `./dev package all` on an emulated machine: used as install_package.py uses those for this machine, and what
both programs make of the demo profiles.

build/package/installed-arm64.md gets a row for each file.
"""
import base64
import contextlib
import glob
import json
import os
import platform
import re
import shlex
import sqlite3
import subprocess
import tempfile
import unittest
import urllib.request

import install_package
import machine
from roots import DIST, ROOT, Release
from wait import wait_until

PROFILES = os.path.join(ROOT, "demo", "profiles")
LINES = 300000  # of a log that is read for seconds
WHEN = re.compile(r"^(when +).*$", re.M)  # the run was added


def setUpModule():
    if not glob.glob(os.path.join(DIST, "*-linux-aarch64.tar.gz")):
        raise unittest.SkipTest("dist/ has no files for arm64: ./dev package all builds them")
    if why := machine.lacking():
        raise unittest.SkipTest(why)
    install_package.setUpModule()


def tearDownModule():
    print(f"\n{install_package.write_table(OnMachine.table_name)}", flush=True)


def install(root, folder, architecture):
    """The program of the archive, below the folder of the root."""
    archive = root.copy_in(install_package.artifact(f"perfshelf-*-linux-{architecture}.tar.gz"))
    root.run(f"mkdir -p {folder} && tar -xzf {archive} -C {folder} --strip-components=1")


# --- As on other systems


class OnMachine:
    architecture, debian, table_name = "aarch64", "arm64", "installed-arm64.md"

    def each_release(self):
        self.release, self.root = Release("Debian 12, arm64", machine.SUITE, pipx=False), machine.Machine()
        self.addCleanup(self.root.close)
        self.check()


class Tarball(OnMachine, install_package.Tarball):
    pass


class DebianPackage(OnMachine, install_package.DebianPackage):
    pass


class Wheel(OnMachine, install_package.Wheel):
    pass


# --- The same numbers


class Here:
    """A folder of this machine, with what a Machine has."""

    def __init__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.home = self.temporary.name

    def close(self):
        self.temporary.cleanup()

    def run(self, text):
        environment = {"PATH": f"{self.home}/bin:{os.environ['PATH']}", "HOME": self.home, "LC_ALL": "C.UTF-8"}
        done = subprocess.run(["sh", "-ec", text], cwd=self.home, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise AssertionError(f"{text}\nended with {done.returncode}:\n{done.stdout[-6000:]}")
        return done.stdout

    @staticmethod
    def copy_in(path):
        return shlex.quote(path)


def tables_of(root, run):
    """Every row of the run's file but those that say when it was made."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(base64.b64decode(root.run(f"base64 shelf/runs/{run}.db")))
        file.flush()
        with contextlib.closing(sqlite3.connect(f"file:{file.name}?immutable=1", uri=True)) as database:
            names = database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY 1").fetchall()
            rows = {name: database.execute(f'SELECT * FROM "{name}"').fetchall() for name, in names}
    rows["meta"] = [row for row in rows["meta"] if row[0] not in ("created_at", "label")]
    return rows


class SameNumbers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.roots = []
        for make, folder, architecture in ((Here, ".", platform.machine()), (machine.Machine, "/usr/local", "aarch64")):
            root = make()
            cls.addClassCleanup(root.close)
            install(root, folder, architecture)
            for path in sorted(glob.glob(os.path.join(PROFILES, "*"))):
                root.run(f"perfshelf add --data shelf {root.copy_in(path)}")
            cls.roots.append(root)
        cls.runs = sorted(row["id"] for row in json.loads(root.run("perfshelf list --data shelf --json")))

    def each(self, answer_of):
        """Compares the answers of both for every run."""
        self.assertEqual(len(self.runs), len(os.listdir(PROFILES)))
        for run in self.runs:
            with self.subTest(run=run):
                here, there = (answer_of(root, run) for root in self.roots)
                self.assertTrue(here)
                self.assertEqual(here, there)

    def test_tables(self):
        self.each(tables_of)

    def test_show(self):
        self.each(lambda root, run: WHEN.sub(r"\1", root.run(f"perfshelf show {run} --data shelf")))

    def test_sql(self):
        statement = "SELECT (SELECT count(*) FROM functions), (SELECT sum(tottime_s) FROM functions), (SELECT sum(self_us) FROM imports), " \
                    "(SELECT avg(duration_ns) FROM slices), (SELECT count(*) FROM lines)"
        self.each(lambda root, run: root.run(f"perfshelf sql {run} {shlex.quote(statement)} --json --data shelf"))


# --- The sandbox of importers


class Sandbox(unittest.TestCase):
    def test_importer_is_confined(self):
        """Also by Landlock: the server logs what is missing."""
        root = machine.Machine()
        self.addCleanup(root.close)
        install(root, "/usr/local", "aarch64")
        log = "import time: self [us] | cumulative | imported package\n" + "".join(f"import time: {i} | {i} | m{i}\n" for i in range(LINES))
        with root.server("perfshelf", "--data shelf") as port:
            url = f"http://127.0.0.1:{port}/api/v1"
            with urllib.request.urlopen(urllib.request.Request(f"{url}/runs?name=big.log", log.encode(), method="POST")) as answer:
                job = json.load(answer)["job"]["id"]

            def confined():
                """What the kernel says of the process, once it has the filter."""
                status = root.run("found=$(grep -la '[-]-importer' /proc/[0-9]*/cmdline 2>/dev/null | head -n 1); cat ${found%cmdline}status 2>/dev/null || true")
                return status if re.search(r"^Seccomp:\t2$", status, re.M) else None

            self.assertRegex(wait_until(confined, 60, "an importer with a filter"), r"(?m)^NoNewPrivs:\t1$")

            def ended():
                with urllib.request.urlopen(f"{url}/jobs/{job}") as answer:
                    state = json.load(answer)["state"]
                return state if state in ("done", "failed", "cancelled") else None

            self.assertEqual(wait_until(ended, 300, "the import"), "done")
            self.assertRegex(root.run("cat served"), r"\Aperfshelf [0-9.]+ serves shelf at \S+\ncreated a new shelf in shelf\n\Z")


# --- The image


class Image(unittest.TestCase):
    """docker/image.sh, as a step of docker/Dockerfile runs it, and the server in nothing but its files."""

    def test_files_suffice(self):
        root = machine.Machine()
        self.addCleanup(root.close)
        run, archive = root.run, root.copy_in(install_package.artifact("perfshelf-*-linux-aarch64.tar.gz"))
        run(f"sh {root.copy_in(os.path.join(ROOT, 'docker', 'image.sh'))} {archive} /image")
        libraries = set(run("find /image -name '*.so*' -printf '%f\\n'").split())
        self.assertEqual(libraries, {"ld-linux-aarch64.so.1", "libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0"})
        run("mkdir /image/proc /image/dev && mount -t proc proc /image/proc && mount --bind /dev /image/dev")
        with root.server("chroot --userspec=999:999 /image perfshelf", "--data /data") as port:
            run(f"chroot --userspec=999:999 /image wget -q -O /dev/null http://127.0.0.1:{port}/api/v1/health")
            with open(install_package.PROFILE, "rb") as file:
                upload = urllib.request.Request(f"http://127.0.0.1:{port}/api/v1/runs?wait=1", file.read(), method="POST")
            with urllib.request.urlopen(upload) as answer:
                self.assertEqual(json.load(answer)["kind"], "pstats")


if __name__ == "__main__":
    unittest.main()
