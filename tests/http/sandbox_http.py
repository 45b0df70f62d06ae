# SPDX-License-Identifier: MIT
"""Imports run in a process of their own: what it may not exceed, and what becomes of a job whose process ends."""
import glob
import io
import os
import signal
import sqlite3
import subprocess
import unittest
import zipfile

from server import PROGRAM, RUNS, ServerTest, big_log, dump, import_log, sanitized, slow_log
from wait import wait_until  # where server.py looks

SLOW = big_log(600000)


def children(server):
    """The importers of a server, by their command lines."""
    found = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
            pid = int(path.split("/")[2])
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                command = file.read().split(b"\0")
        except (OSError, IndexError, ValueError):
            continue
        if parent == server.process.pid and b"--importer" in command:
            found.append(pid)
    return found


class Base(ServerTest):
    def failed(self, content, query=""):
        """The error of an import, and the shelf clean after it."""
        answer = self.request("POST", f"{RUNS}?wait=1{query}", content)
        self.assertGreaterEqual(answer.status, 400, answer.body[:300])
        return self.settled(answer.error)

    def settled(self, error):
        with sqlite3.connect(os.path.join(self.data, "catalog.db")) as catalog:
            text, = catalog.execute("SELECT text FROM import_log ORDER BY id DESC LIMIT 1").fetchone()
        catalog.close()
        self.assertIn(error["text"], text)
        self.assertSpoolEmpties()
        self.assertEqual(glob.glob(os.path.join(self.data, "runs", "*.part")), [])
        verify = subprocess.run([PROGRAM, "verify", "--data", self.data], capture_output=True, text=True, check=False)
        self.assertEqual(verify.returncode, 0, verify.stdout)
        self.assertEqual(self.add(import_log())["kind"], "importtime", "the shelf goes on")
        return error


class Ends(Base):
    """The importer ends before its work does."""

    def begin(self):
        answer = self.request("POST", RUNS, SLOW + os.urandom(4).hex().encode())
        self.assertEqual(answer.status, 202, answer.body)
        job = answer.json["job"]["id"]
        found = wait_until(lambda: self.get_json(f"/api/v1/jobs/{job}")["bytes_done"] > 0 and children(self.server), 20, "an importer")
        return job, found[0]

    def ended_by(self, number):
        job, pid = self.begin()
        os.kill(pid, number)
        error = self.job(job)["error"]
        self.assertEqual(children(self.server), [])
        return self.settled(error)

    def test_killed(self):
        error = self.ended_by(signal.SIGKILL)
        self.assertEqual(error["code"], "interrupted")
        self.assertEqual(error["text"], "the importer was killed (SIGKILL)")
        self.assertGreater(error["at"], 0, "how far it had read")

    def test_crashed(self):
        error = self.ended_by(signal.SIGSEGV)
        self.assertIn(error["code"], ("internal",))
        # Under a sanitizer, which catches the signal, the process exits.
        self.assertRegex(error["text"], "crashed with signal 11|ended without a result")

    def test_stopped(self):
        error = self.ended_by(signal.SIGSTOP)
        self.assertEqual(error["code"], "interrupted")
        self.assertEqual(error["text"], f"the importer was stopped by signal {int(signal.SIGSTOP)}")

    def test_cancelled(self):
        job, _ = self.begin()
        self.assertEqual(self.request("DELETE", f"/api/v1/jobs/{job}").status, 200)
        self.assertEqual(self.job(job)["state"], "cancelled")
        self.assertEqual(children(self.server), [])

    def test_killed_with_an_archive(self):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("one.prof", dump())
            archive.writestr("two.log", SLOW)
            archive.writestr("three.log", import_log("import decimal"))
        job = self.request("POST", f"{RUNS}?name=a.zip", packed.getvalue()).json["job"]["id"]
        wait_until(lambda: len(children(self.server)) == 2 and self.get_json(f"/api/v1/jobs/{job}")["records"] >= 1000, 20,
                   "one takes it apart, one reads a member")
        os.kill(min(children(self.server)), signal.SIGKILL)
        ended = self.job(job)
        self.assertEqual(ended["state"], "done", "what was there before is there")
        self.assertEqual(bool(ended["members"][0]["run"]), True)
        self.assertIn("the importer was killed (SIGKILL)", str(ended["members"][-1]))
        self.assertEqual(children(self.server), [])
        self.assertSpoolEmpties()

    def test_what_it_may(self):
        """The kernel's own word for it."""
        job, pid = self.begin()
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            status = dict(line.split(":", 1) for line in file.read().splitlines())
        with open(f"/proc/{pid}/limits", encoding="ascii") as file:
            limits = file.read()
        files = os.listdir(f"/proc/{pid}/fd")
        self.assertEqual((status["NoNewPrivs"].strip(), status["Seccomp"].strip()), ("1", "2"))
        self.assertRegex(limits, r"Max cpu time +600 +605")
        self.assertRegex(limits, r"Max core file size +0 +0")
        if not sanitized():
            self.assertRegex(limits, rf"Max data size +{4 << 30} ")
            self.assertRegex(limits, rf"Max stack size +{8 << 20} ")
        self.assertLessEqual(len(files), 7, "null three times, the socket, the input, the run file")
        with open(f"/proc/{pid}/environ", "rb") as file:
            self.assertNotIn(b"HOME=", file.read())
        self.request("DELETE", f"/api/v1/jobs/{job}")
        self.job(job)


class Queue(Base):
    args = ("--queue", "2")

    def test_full(self):
        jobs = [self.request("POST", RUNS, SLOW + str(i).encode()).json["job"]["id"] for i in range(2)]
        for query in ("", "?wait=1"):
            answer = self.request("POST", RUNS + query, import_log())
            self.assertRefused(answer, 503, "unavailable")
            self.assertEqual((answer.headers["Retry-After"], answer.error["text"]), ("1", "2 imports are already waiting"))
        for job in jobs:
            self.request("DELETE", f"/api/v1/jobs/{job}")
            self.job(job)
        self.assertSpoolEmpties()
        self.assertEqual(self.add(import_log())["kind"], "importtime", "there is room again")


class Time(Base):
    args = ("--import-cpu", "1s")

    def test_too_long(self):
        error = self.failed(slow_log(rows=6000000))
        self.assertEqual(error["code"], "too_slow")
        # Whichever limit is reached first: on a busy machine the importer may wait longer than it runs.
        self.assertRegex(error["text"], r"^the importer was stopped: it (used more than 1 s of CPU time$|ran for more than 6 s)")
        if "CPU time" in error["text"]:
            self.assertGreater(error["at"], 0)
        self.assertIn("--import-cpu", error["hint"])


@unittest.skipIf(sanitized(), "AddressSanitizer needs more memory than any limit")
class Memory(Base):
    args = ("--import-memory", "24MiB")

    def test_too_much(self):
        error = self.failed(SLOW)
        self.assertEqual((error["code"], error["text"]), ("too_large", "the importer was stopped: it used more than 24 MiB of memory"))
        self.assertIn("--import-memory", error["hint"])

    def test_small_ones_pass(self):
        self.assertEqual(self.add(dump())["kind"], "pstats")


class Options(unittest.TestCase):
    def test_wrong(self):
        for option, value in (("--import-memory", "4s"), ("--import-memory", "much"), ("--import-cpu", "0"), ("--import-cpu", "1e99"), ("--queue", "2s")):
            with self.subTest(option=option, value=value):
                done = subprocess.run([PROGRAM, "serve", "--data", "/nonexistent", option, value], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("perfshelf: serve: ", done.stderr)

    def test_not_for_people(self):
        done = subprocess.run([PROGRAM, "--importer", "x"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
