# SPDX-License-Identifier: MIT
"""The server under test on a free port with a shelf of its own, and small ways to talk to it."""
import cProfile
import functools
import gzip
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import kept  # noqa: E402, F401
from built import PROGRAM, sanitized  # noqa: E402, F401
from wait import wait_until  # noqa: E402

READY = re.compile(r"perfshelf (\S+) serves (.+) at http://(\S+):(\d+)/\n")
RUNS = "/api/v1/runs"
# What a start says of the machine and the build: which parts of the sandbox they lack.
OF_SANDBOX = re.compile(r"^perfshelf: (?:warning: )?(?:this kernel|built with AddressSanitizer).*importers.*\n", re.M)


def without_sandbox(said):
    return OF_SANDBOX.sub("", said)


@functools.cache
def import_log(statement="import json"):
    command = [sys.executable, "-X", "importtime", "-c", statement]
    return subprocess.run(command, capture_output=True, check=True).stderr


@functools.cache
def dump():
    """A cProfile dump of a small recursion."""
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    profile = cProfile.Profile()
    profile.runcall(fib, 10)
    with tempfile.NamedTemporaryFile() as file:
        profile.dump_stats(file.name)
        return file.read()


def big_log(rows, seed=0):
    """An import log that takes its time."""
    head = "import time: self [us] | cumulative | imported package\n"
    lines = (f"import time: {i % 97:9} | {i % 97:10} | package_{seed}.module_{i}\n" for i in range(rows))
    return (head + "".join(lines)).encode()


@functools.cache
def slow_log(seed=0, rows=1200000):
    """An import log that is small to make, to send and to store, and takes seconds to import: 0.5 MB, whose rows are a multiple of 100,000."""
    head, hundred = big_log(100, seed).split(b"\n", 1)
    return gzip.compress(head + b"\n") + gzip.compress(hundred * 1000) * (rows // 100000)


def cpu_ticks(pid):
    """What the process has used of the processors, in hundredths of a second."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json["error"]


class Server:
    def __init__(self, data, *args, listen="127.0.0.1:0"):
        self.process = subprocess.Popen([PROGRAM, "serve", "--data", data, "--listen", listen, *args],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.ready_line = self.process.stdout.readline()
        match = READY.fullmatch(self.ready_line)
        if not match:
            self.process.kill()
            raise AssertionError(f"no ready line: {self.ready_line!r} {self.process.stderr.read()}")
        self.host, self.port = match[3], int(match[4])

    def connect(self):
        return http.client.HTTPConnection(self.host, self.port, timeout=60)

    def request(self, method, path, body=None, headers=None):
        connection = self.connect()
        try:
            connection.request(method, path, body, headers or {})
            reply = connection.getresponse()
            return Answer(reply.status, reply.headers, reply.read())
        finally:
            connection.close()

    def socket(self):
        return socket.create_connection((self.host, self.port), timeout=30)

    def raw(self, data, shut=False):
        """What comes back for these bytes until the server closes."""
        with self.socket() as link:
            link.sendall(data)
            if shut:
                link.shutdown(socket.SHUT_WR)
            return read_all(link)

    def end(self, wait=30):
        """Stops it; its exit code and what it said on stderr."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            _, said = self.process.communicate(timeout=wait)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return self.process.returncode, without_sandbox(said)


def read_all(link):
    data = b""
    while True:
        try:
            more = link.recv(65536)
        except ConnectionResetError:
            return data
        if not more:
            return data
        data += more


def form(*parts, boundary="b0undary"):
    """A multipart body of (headers, bytes) and its content type."""
    body = b"".join(b"--%s\r\n%s\r\n\r\n%s\r\n" % (boundary.encode(), head.encode(), content) for head, content in parts)
    return body + b"--%s--\r\n" % boundary.encode(), f"multipart/form-data; boundary={boundary}"


def file_part(content, filename, name="file"):
    return f'Content-Disposition: form-data; name="{name}"; filename="{filename}"\r\nContent-Type: application/octet-stream', content


def field(name, value):
    return f'Content-Disposition: form-data; name="{name}"', value.encode()


class Events:
    """An event stream, read by a thread of its own."""

    def __init__(self, server, path="/api/v1/events"):
        self.connection = server.connect()
        self.connection.request("GET", path)
        self.reply = self.connection.getresponse()
        self.seen, self.ended = [], False
        self.changed = threading.Condition()
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        name = None
        try:
            for line in self.reply:
                line = line.decode().rstrip("\n")
                if line.startswith("event: "):
                    name = line[7:]
                elif line.startswith("data: "):
                    with self.changed:
                        self.seen.append((name, json.loads(line[6:])))
                        self.changed.notify_all()
        except (OSError, http.client.HTTPException, ValueError, AttributeError):
            pass
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def wait(self, wanted, seconds=20):
        """The first event for which wanted(name, data) holds; AssertionError when none comes."""
        with self.changed:
            found = self.changed.wait_for(lambda: next((e for e in self.seen if wanted(*e)), None), seconds)
        if not found:
            raise AssertionError(f"no such event among {self.seen}")
        return found[1]

    def wait_end(self, seconds=20):
        with self.changed:
            return self.changed.wait_for(lambda: self.ended, seconds)

    def close(self):
        if self.connection.sock:
            self.connection.sock.shutdown(socket.SHUT_RDWR)
        self.thread.join(10)
        self.connection.close()


class ShelfTest(unittest.TestCase):
    """A shelf of its own for each test, which starts its servers itself."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="perfshelf-http-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.data = os.path.join(self.folder, "shelf")

    def start(self, *args):
        server = Server(self.data, *args)
        self.addCleanup(server.process.stdout.close)
        self.addCleanup(server.process.stderr.close)
        self.addCleanup(lambda: server.process.poll() is None and server.process.kill())
        return server


class ServerTest(unittest.TestCase):
    """A server for all tests of a class."""
    maxDiff = 2000
    args = ()

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="perfshelf-http-")
        cls.data = os.path.join(cls.folder, "shelf")
        cls.server = Server(cls.data, *cls.args)

    @classmethod
    def tearDownClass(cls):
        code, said = cls.server.end()
        shutil.rmtree(cls.folder)
        if code != 0:
            raise AssertionError(f"the server ended with {code}: {said[-4000:]}")

    def request(self, method, path, body=None, **headers):
        return self.server.request(method, path, body, {k.replace("_", "-"): v for k, v in headers.items()})

    def get(self, path, **headers):
        return self.request("GET", path, **headers)

    def get_json(self, path):
        answer = self.get(path)
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json

    def add(self, content, **params):
        """A run on the shelf, uploaded and waited for. Of a list, such as tag=["a", "b"], each value is a parameter."""
        query = urllib.parse.urlencode(dict(params, wait=1), doseq=True)
        answer = self.request("POST", f"{RUNS}?{query}", content)
        self.assertIn(answer.status, (200, 201), answer.body)
        return answer.json

    def assertRefused(self, answer, status, code):
        self.assertEqual((answer.status, answer.error["code"]), (status, code), answer.body)
        self.assertEqual(list(answer.error), ["code", "text", "at", "hint"])
        self.assertTrue(answer.error["text"])

    def job(self, job_id, wanted=("done", "failed", "cancelled"), seconds=60, server=None):
        """A job as this server shows it, once it is in one of these states."""
        def ask():
            answer = (server or self.server).request("GET", f"/api/v1/jobs/{job_id}")
            self.assertEqual(answer.status, 200, answer.body)
            return answer.json

        return wait_until(lambda: (job := ask())["state"] in wanted and job, seconds, lambda: f"{wanted}: {ask()}")

    def spool(self):
        return os.listdir(os.path.join(self.data, "spool"))

    def assertSpoolEmpties(self, seconds=20):
        wait_until(lambda: not self.spool(), seconds, lambda: f"an empty spool folder: {self.spool()}")
