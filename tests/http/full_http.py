# SPDX-License-Identifier: MIT
"""A disk that fills up, at every step of an upload: one clear error, a clean shelf, and on it goes when there is room again.

The tests run in a mount namespace of their own with a small tmpfs; where none may be had they are skipped.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

from server import PROGRAM, RUNS, Server, big_log, dump, file_part, form

MIB = 1 << 20
SIZE = 6 * MIB


def unshare(*command):
    return ["unshare", *([] if os.geteuid() == 0 else ["-Ur"]), "-m", *command]


def run_inside(test, size, module, tests):
    """The tests of class Inside of that module, so many, with a tmpfs of that size as PERFSHELF_INSIDE."""
    with tempfile.TemporaryDirectory(prefix="perfshelf-full-") as folder:
        mount = f"mount -t tmpfs -o size={size} none '{folder}'"
        if subprocess.run(unshare("sh", "-c", mount), capture_output=True, check=False).returncode != 0:
            test.skipTest("no mount namespace with a tmpfs may be made here")
        done = subprocess.run(unshare("sh", "-c", f"{mount} && exec '{sys.executable}' -m unittest -v {module}.Inside"),
                              cwd=os.path.dirname(os.path.abspath(__file__)), capture_output=True, text=True, timeout=500,
                              env=dict(os.environ, PERFSHELF_INSIDE=folder, PERFSHELF=os.path.abspath(PROGRAM), PYTHONDONTWRITEBYTECODE="1"))
    test.assertEqual(done.returncode, 0, done.stderr[-6000:])
    test.assertIn(f"Ran {tests} tests", done.stderr)


@unittest.skipIf(os.environ.get("PERFSHELF_INSIDE"), "the tests inside are run below")
class FullDisk(unittest.TestCase):
    def test_in_a_small_tmpfs(self):
        run_inside(self, SIZE, "full_http", 7)


@unittest.skipUnless(os.environ.get("PERFSHELF_INSIDE"), "run by FullDisk")
class Inside(unittest.TestCase):
    def setUp(self):
        self.folder = os.environ["PERFSHELF_INSIDE"]
        self.assertLessEqual(os.statvfs(self.folder).f_blocks * os.statvfs(self.folder).f_frsize, SIZE)
        self.data = os.path.join(self.folder, "shelf")
        self.ballast = os.path.join(self.folder, "ballast")
        self.server = Server(self.data)
        self.seed = 0
        self.addCleanup(lambda: subprocess.run(["rm", "-rf", self.data, self.ballast], check=True))
        self.addCleanup(self.end)

    def end(self):
        if self.server.process.poll() is None:
            self.assertEqual(self.server.end()[0], 0)

    def leave(self, free):
        """Only so many bytes are free."""
        with open(self.ballast, "wb") as file:
            about = os.statvfs(self.folder)
            rest = about.f_bavail * about.f_frsize - free
            file.truncate(0)
            os.posix_fallocate(file.fileno(), 0, max(rest, 1))

    def make_room(self):
        os.unlink(self.ballast)

    def content(self, rows=800):
        self.seed += 1
        return big_log(rows, self.seed)

    def upload(self, content, query="wait=1"):
        return self.server.request("POST", f"{RUNS}?{query}", content)

    def assert_full(self, answer):
        self.assertEqual((answer.status, answer.json["error"]["code"]), (507, "full"), answer.body)
        self.assertRegex(answer.json["error"]["text"], "No space left on device|insufficient storage")
        self.assertIn("free some disk space", answer.json["error"]["hint"])

    def assert_clean(self):
        done = subprocess.run([PROGRAM, "verify", "--data", self.data], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertEqual(os.listdir(os.path.join(self.data, "spool")), [])
        left = [name for sub in ("runs", "originals", "labels", "sources") for name in os.listdir(os.path.join(self.data, sub))
                if name.endswith(".part")]
        self.assertEqual(left, [])

    def assert_goes_on(self):
        answer = self.upload(self.content())
        self.assertEqual(answer.status, 201, answer.body)
        self.assertEqual(self.server.request("GET", f"{RUNS}/{answer.json['id']}/imports?limit=2").status, 200)
        self.assertEqual(self.server.request("DELETE", f"{RUNS}/{answer.json['id']}").status, 204)

    def steps(self, most, step):
        """Room for ever more of what is to be written."""
        for free in range(0, most, step):
            self.leave(free)
            yield free
            self.make_room()
            self.assert_clean()
        self.assert_goes_on()

    def test_who_reads_is_let_in(self):
        """When a token was last used is written down; that this finds no room keeps nobody out."""
        secrets = [subprocess.run([PROGRAM, "token", "add", str(n), "--data", self.data], capture_output=True, text=True, check=True).stdout.strip()
                   for n in range(3)]
        for free, secret in zip((0, 4 << 10, 12 << 10), secrets):
            self.leave(free)
            for _ in range(2):
                answer = self.server.request("GET", RUNS, headers={"Authorization": "Bearer " + secret})
                self.assertEqual(answer.status, 200, answer.body)
            self.make_room()
        self.assert_clean()

    def test_uploads(self):
        seen = set()
        for _ in self.steps(900 << 10, 12 << 10):
            answer = self.upload(self.content())
            seen.add(answer.status)
            if answer.status == 201:
                self.assertEqual(self.server.request("GET", f"{RUNS}/{answer.json['id']}/imports?limit=2").status, 200)
                self.assertEqual(self.server.request("DELETE", f"{RUNS}/{answer.json['id']}").status, 204)
            else:
                self.assert_full(answer)
        self.assertEqual(seen, {201, 507})
        self.assertEqual(self.server.request("GET", RUNS).json["total"], 0)

    def test_uploads_that_are_accepted_first(self):
        seen = set()
        for _ in self.steps(900 << 10, 36 << 10):
            answer = self.upload(self.content(), "")
            if answer.status == 202:
                job = answer.json["job"]
                while job["state"] in ("queued", "running"):
                    job = self.server.request("GET", f"/api/v1/jobs/{job['id']}").json
                seen.add((202, job["state"]))
                if job["state"] == "failed":
                    self.assertEqual(job["error"]["code"], "full", job)
                else:
                    self.assertEqual(self.server.request("DELETE", f"{RUNS}/{job['run']}").status, 204)
            else:
                self.assert_full(answer)
                seen.add(507)
        self.assertEqual(seen, {507, (202, "failed"), (202, "done")})

    def test_labels_sources_and_removals(self):
        from sources_http import SOURCE, lprof
        run = self.upload(self.content()).json["id"]
        lines = self.upload(lprof(ticks=77)).json["id"]
        path = self.server.request("GET", f"{RUNS}/{lines}/sources").json["rows"][0]["path"]
        for free in self.steps(80 << 10, 4 << 10):
            name = f"free {free}"
            before = self.server.request("GET", f"{RUNS}/{run}").json["name"]
            answer = self.server.request("PATCH", f"{RUNS}/{run}", json.dumps({"name": name, "tags": {"n": name}}))
            if answer.status != 200:
                self.assert_full(answer)
                name = before
            self.assertEqual(self.server.request("GET", f"{RUNS}/{run}").json["name"], name)
            answer = self.server.request("PUT", f"{RUNS}/{lines}/sources?path={path}", SOURCE + b"# %d\n" % free)
            if answer.status != 200:
                self.assert_full(answer)
        for free in (0, 4096):
            run = self.upload(self.content()).json["id"]
            self.leave(free)
            answer = self.server.request("DELETE", f"{RUNS}/{run}")
            self.assertEqual(answer.status, 204, answer.body)  # that is how room is made
            self.make_room()
        self.assert_clean()

    def test_filling_it_up(self):
        runs, content = [], []
        while True:
            content.append(self.content(3000))
            answer = self.upload(content[-1])
            if answer.status != 201:
                break
            runs.append(answer.json["id"])
        self.assert_full(answer)
        self.assertGreater(len(runs), 3)
        self.assertEqual(self.server.request("GET", RUNS).json["total"], len(runs))
        for run, sent in zip(runs, content):
            self.assertEqual(self.server.request("GET", f"{RUNS}/{run}/original").body, sent)
        for run in runs[:2]:
            self.assertEqual(self.server.request("DELETE", f"{RUNS}/{run}").status, 204)
        self.assertEqual(self.upload(content[0]).status, 201)
        self.assert_clean()

    def test_forms_and_archives(self):
        body, kind = form(file_part(self.content(3000), "a"), file_part(dump(), "b"))
        for free in (0, 40 << 10, 120 << 10, 400 << 10):
            self.leave(free)
            answer = self.server.request("POST", f"{RUNS}?wait=1", body, {"Content-Type": kind})
            codes = {run["error"]["code"] for run in answer.json["runs"] if "error" in run} if "runs" in answer.json else {answer.error["code"]}
            self.make_room()
            self.assertLessEqual(codes, {"full"})
            self.assert_clean()

    def test_the_command_line(self):
        self.end()
        path = os.path.join(self.folder, "a.log")
        self.addCleanup(os.unlink, path)
        seen = set()
        for free in range(0, 700 << 10, 28 << 10):
            with open(path, "wb") as file:
                file.write(self.content())
            self.leave(free)
            done = subprocess.run([PROGRAM, "add", "--data", self.data, path], capture_output=True, text=True, timeout=60)
            self.make_room()
            seen.add(done.returncode)
            if done.returncode:
                self.assertRegex(done.stderr, "^perfshelf: .*(No space left on device|insufficient storage).*; free some disk space")
                self.assertEqual(done.stderr.count("\n"), 1)
            else:
                subprocess.run([PROGRAM, "rm", "--data", self.data, "@1"], check=True, capture_output=True, timeout=60)
            self.assert_clean()
        self.assertEqual(seen, {0, 1})


if __name__ == "__main__":
    unittest.main()
