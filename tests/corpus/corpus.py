# SPDX-License-Identifier: MIT
"""Real profiles with oracles (what the original tool says of them), imported into one shelf; the tests of this folder query that shelf.

The project carries a corpus of its own in tests/corpus/samples. A larger one of the same layout, which includes the first, replaces it:
where PERFSHELF_CORPUS says, or ../shared/corpus beside the checkout, which is long. Tests of files that only the larger one has are skipped
without it.
"""
import atexit
import functools
import gzip
import hashlib
import http.client
import json
import os
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from built import PROGRAM, sanitized  # noqa: E402, F401
from long import SHORT  # noqa: E402

SAMPLES = os.path.join(ROOT, "tests", "corpus", "samples")
BESIDE = os.path.join(ROOT, "..", "shared", "corpus")
CORPUS = os.environ.get("PERFSHELF_CORPUS", BESIDE if os.path.isdir(BESIDE) and not SHORT else SAMPLES)
ONLY_LARGER = "only the larger corpus has"


EMPTY_LISTS = ("torch113_nothing_profiled.trace.json", "array_empty.json")  # only `[]`: refused, as recognition_corpus.py asks


def has(path):
    return os.path.exists(os.path.join(CORPUS, path))


def present(*names):
    """The paths of those files that the corpus has."""
    return [os.path.join(CORPUS, name) for name in names if has(name)]


def needs(path):
    """Skips a test where the corpus lacks that file or folder."""
    return unittest.skipUnless(has(path), f"{ONLY_LARGER} {path}")


def paths(*folders):
    """Every file of those folders that the corpus has which is a profile, not an oracle; skips the test when there is none."""
    found = []
    for folder in filter(has, folders):
        top = os.path.join(CORPUS, folder)
        for name in sorted(os.listdir(top)):
            if ".oracle.json" not in name and not name.endswith((".tsv", ".expect.json")) and name not in EMPTY_LISTS:
                found.append(os.path.join(top, name))
    if not found:
        raise unittest.SkipTest(f"{ONLY_LARGER} {', '.join(folders)}")
    return found


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def oracle(path):
    """What the original tool says of the profile; None when it has no oracle."""
    stem = os.path.splitext(path)[0]
    for name, opener in ((stem + ".oracle.json", open), (stem + ".oracle.json.gz", gzip.open)):
        if os.path.exists(name):
            with opener(name, "rb") as file:
                return json.loads(file.read().decode("utf-8", "surrogatepass"))
    return None


def number(value):
    """A number with its type and every bit, so that 0, 0.0 and -0.0 differ; integers beyond 64 bits are doubles with us."""
    if isinstance(value, bool) or (isinstance(value, int) and not -2**63 <= value < 2**63):
        value = float(value)
    return ("double", struct.pack(">d", value)) if isinstance(value, float) else value


def text(value):
    """Lone surrogates, which a database in UTF-8 cannot hold, are U+FFFD on the shelf."""
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Shelf:
    """A data folder and what `perfshelf add` said when each file was put on it."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="perfshelf-corpus-")
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        self.runs = {}    # sha256 -> what add --json said
        self.refused = {} # path -> the line on stderr

    def run(self, verb, *args):
        return subprocess.run([PROGRAM, verb, "--data", self.folder, *args], capture_output=True, timeout=600)

    def add(self, files):
        """One process for all files. Every file must come back as one line, on stdout or on stderr."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        done = self.run("add", "--json", "--", *files)
        self.peak_kib = max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
        for line in done.stdout.decode().splitlines():
            run = json.loads(line)
            self.runs.setdefault(run["sha256"], run)
        waiting = list(files)
        for line in done.stderr.decode("utf-8", "replace").splitlines():
            if line == f"perfshelf: {self.folder}: note: created a new shelf":
                continue
            path = next((p for p in waiting if line.startswith(f"perfshelf: {p}: ")), None)
            if path is None:
                raise AssertionError(f"not a line about one of the files: {line}")
            waiting.remove(path)
            self.refused[path] = line
        if done.returncode != (1 if len(waiting) < len(files) else 0):
            raise AssertionError(f"exit status {done.returncode} with {len(files) - len(waiting)} failures")
        missing = [p for p in waiting if sha256(p) not in self.runs]
        if missing:
            raise AssertionError(f"no word about {missing[:5]}; the program ended with {done.returncode}")

    def of(self, path):
        """What add said of the file, or None when it was refused."""
        return None if path in self.refused else self.runs.get(sha256(path))

    @functools.cached_property
    def connection(self):
        """To a server on this shelf: one for all questions, where a process each would take most of the time."""
        return served(self)

    def ask(self, method, path, body=None):
        sent = method, "/api/v1" + path, body and json.dumps(body)
        try:
            self.connection.request(*sent)
            answer = self.connection.getresponse()
        except http.client.RemoteDisconnected:  # the test computed for so long that the server closed an idle connection
            self.connection.request(*sent)
            answer = self.connection.getresponse()
        said = answer.read()
        if answer.status == 503 and b'"too_slow"' in said:
            return None
        if answer.status != 200:
            raise AssertionError(f"{path}: {answer.status} {said[:1000]}")
        return json.loads(said)

    def sql(self, path, statement):
        run = self.of(path)["id"]
        rows = self.ask("POST", "/sql", {"run": run, "sql": statement, "format": "rows"})
        if rows is not None:
            return rows
        done = self.run("sql", run, statement, "--json")  # which has 600 s, not 10
        if done.returncode:
            raise AssertionError(done.stderr.decode())
        return json.loads(done.stdout)

    def show(self, path):
        return self.ask("GET", f"/runs/{self.of(path)['id']}")

    def files_in(self, folder):
        top = os.path.join(self.folder, folder)
        return sorted(os.listdir(top)) if os.path.isdir(top) else []


def stop(server, connection):
    connection.close()
    server.terminate()
    server.communicate(timeout=30)


def served(shelf):
    """A connection to a server on that shelf, which is stopped before the shelf is removed."""
    server = subprocess.Popen([PROGRAM, "serve", "--data", shelf.folder, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
    host, port = re.search(r"http://([^:/]+):(\d+)/", server.stdout.readline()).groups()
    connection = http.client.HTTPConnection(host, int(port), timeout=120)
    atexit.register(stop, server, connection)
    return connection


class CorpusTest(unittest.TestCase):
    """A test whose shelf is filled before the first of its class, so that a failure to fill it is told once."""
    maxDiff = 2000
    fill = None

    @classmethod
    def setUpClass(cls):
        cls.shelf = cls.fill()


@functools.cache
def good_shelf():
    """All import logs and cProfile dumps of the corpus."""
    shelf = Shelf()
    shelf.add(paths("made/importtime", "made/pstats", "wild/importtime", "wild/pstats"))
    return shelf
