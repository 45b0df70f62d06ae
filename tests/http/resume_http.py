# SPDX-License-Identifier: MIT
"""Uploads that were accepted, and a server that ends before their import does: the next one goes on with them."""
import os
import signal
import sqlite3
import subprocess
import unittest

from server import PROGRAM, RUNS, ShelfTest, dump, file_part, form, import_log, sanitized, slow_log
from long import long_test  # where server.py looks
from wait import wait_until

SLOW = slow_log()
FEWER = 2 if sanitized() else 1  # an import that is stopped must notice it within two seconds


def pending(pid):
    """Whether a signal waits for the process."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return any(int(line.split()[1], 16) for line in file if line.startswith(("SigPnd", "ShdPnd")))


class Resume(ShelfTest):
    def kill(self, server):
        server.process.kill()
        server.process.wait(30)

    def accept(self, server, content, query="", headers=None):
        answer = server.request("POST", f"{RUNS}?{query}", content, headers or {})
        self.assertEqual(answer.status, 202, answer.body)
        return answer.json["job"]

    def jobs(self, server):
        return server.request("GET", "/api/v1/jobs").json["rows"]

    def wait(self, server, wanted, seconds=90):
        return wait_until(lambda: wanted(jobs := self.jobs(server)) and jobs, seconds, lambda: f"other states than {self.jobs(server)}")

    def wait_ended(self, server):
        return self.wait(server, lambda jobs: jobs and all(job["state"] not in ("queued", "running") for job in jobs))

    def spool(self):
        return os.listdir(os.path.join(self.data, "spool"))

    def log(self):
        with sqlite3.connect(os.path.join(self.data, "catalog.db")) as db:
            rows = db.execute("SELECT name, run, code FROM import_log ORDER BY id").fetchall()
        db.close()
        return rows

    def assert_clean(self):
        done = subprocess.run([PROGRAM, "verify", "--data", self.data], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_a_killed_server_goes_on_at_its_next_start(self):
        server = self.start()
        self.accept(server, slow_log(0, 400000), "name=slow&series=s&note=two%0Alines&tag=branch=main&tag=a%22b=%27&who=mei&filename=slow.log")
        self.accept(server, slow_log(1, 400000), "name=slow+too&filename=too.log")
        body, kind = form(file_part(import_log(), "a.log"), file_part(dump(), "b.prof"))
        self.accept(server, body, "tag=two=files", {"Content-Type": kind})
        self.kill(server)
        before = sorted(self.spool())
        self.assertEqual(len(before), 4)
        # Others that open the shelf meanwhile leave the uploads alone.
        subprocess.run([PROGRAM, "list", "--data", self.data], check=True, capture_output=True, timeout=60)
        self.assertEqual(sorted(self.spool()), before)
        server = self.start()
        jobs = self.wait_ended(server)
        self.assertEqual([job["state"] for job in jobs], ["done"] * 4)
        runs = {run["name"]: run for run in server.request("GET", RUNS).json["rows"]}
        self.assertEqual(set(runs), {"slow", "slow too", "a.log", "b.prof"})
        self.assertEqual((runs["slow"]["series"], runs["slow"]["note"], runs["slow"]["tags"], runs["slow"]["who"], runs["slow"]["rows"]),
                         ("s", "two\nlines", {"branch": "main", 'a"b': "'"}, "mei", 400000))
        self.assertEqual(runs["a.log"]["tags"], {"two": "files"})
        self.assertEqual(self.spool(), [])
        self.assertEqual(server.end()[0], 0)
        self.assertEqual([row for row in self.log() if row[2]],
                         [(name, None, "interrupted") for name in ("slow.log", "too.log", "a.log", "b.prof")])
        self.assert_clean()

    def test_what_a_server_dies_of_twice_is_not_tried_again(self):
        server = self.start()
        self.accept(server, SLOW, "filename=deadly.log")
        for _ in range(2):
            self.wait(server, lambda jobs: jobs[0]["state"] == "running" and jobs[0]["bytes_done"] > 0)
            self.kill(server)
            server = self.start()
        job, = self.wait_ended(server)
        self.assertEqual((job["state"], job["error"]["code"]), ("failed", "interrupted"), job)
        self.assertIn("2 times", job["error"]["text"])
        self.assertEqual((self.spool(), server.request("GET", RUNS).json["total"]), ([], 0))
        self.assertEqual(server.end()[0], 0)
        self.assertEqual(self.log()[-1], ("deadly.log", None, "interrupted"))
        self.assert_clean()

    def hurry(self, server):
        """Its first signal; the kernel would make one of two that come before it has read the first."""
        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: server.process.poll() is not None or not pending(server.process.pid), 20, "the signal is read")

    def test_a_server_that_is_hurried_leaves_them_to_the_next(self):
        server = self.start()
        for seed in range(4):
            self.accept(server, slow_log(seed, 200000 // FEWER), f"name=n{seed}")
        self.wait(server, lambda jobs: any(job["state"] == "running" for job in jobs))
        self.hurry(server)
        code, said = server.end()
        self.assertEqual(code, 0)
        self.assertRegex(said, r"stopping: [1-4] accepted uploads? will be imported at the next start")
        for _ in range(3): # in good order, this does not count as a death
            server = self.start()
            self.hurry(server)
            self.assertEqual(server.end()[0], 0)
        server = self.start()
        self.wait(server, lambda jobs: all(job["state"] not in ("queued", "running") for job in jobs))
        self.assertEqual({run["name"] for run in server.request("GET", RUNS).json["rows"]}, {f"n{i}" for i in range(4)})
        self.assertEqual((server.end()[0], self.spool()), (0, []))
        self.assert_clean()

    @long_test
    def test_a_cancelled_upload_does_not_come_back(self):
        server = self.start()
        self.accept(server, slow_log(), "name=slow")
        job = self.accept(server, slow_log(7), "name=unwanted")
        server.request("DELETE", f"/api/v1/jobs/{job['id']}")
        self.wait(server, lambda jobs: any(job["state"] == "cancelled" for job in jobs))
        self.kill(server)
        server = self.start()
        self.wait_ended(server)
        self.assertEqual([run["name"] for run in server.request("GET", RUNS).json["rows"]], ["slow"])
        self.assertEqual((server.end()[0], self.spool()), (0, []))

    @long_test
    def test_sources_come_along(self):
        from sources_http import SOURCE, lprof, part
        server = self.start()
        self.accept(server, slow_log())
        self.accept(server, slow_log(3))
        body, kind = form(file_part(lprof(ticks=900), "a.lprof"), file_part(lprof(ticks=901), "b.lprof"), part(SOURCE, "src/app.py"))
        self.accept(server, body, headers={"Content-Type": kind})
        self.kill(server)
        server = self.start()
        jobs = self.wait_ended(server)
        self.assertEqual([[source["state"] for source in job.get("sources", [])] for job in jobs if job["kind"] == "line_profiler"],
                         [["attached"], ["attached"]])
        self.assertEqual((server.end()[0], self.spool()), (0, []))
        self.assert_clean()


if __name__ == "__main__":
    unittest.main()
