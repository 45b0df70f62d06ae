# SPDX-License-Identifier: MIT
"""Every command that works on runs, on a served shelf (--server) and on the folder (--data): the same words come out."""
import http.server
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import unittest

from server import PROGRAM, ROOT, Server

PROFILES = os.path.join(ROOT, "demo", "profiles")
ANSWERED = re.compile(rb" \(http://127\.0\.0\.1:\d+ answered \d+\)")
# Commands that are about a folder, a database or the machine, or that import bytes again.
LOCAL = {"demo", "serve", "formats", "renew", "verify", "token", "rebuild", "backup", "copy", "prune"}

# Read-only questions, by command.
ASKED = [
    ["list"], ["list", "--json"],
    ["show", "@1"], ["show", "@2", "--json"], ["show", "slow one"], ["show", "a/b, c?d=e&f#g %41"], ["show", "series:ipython"],
    ["show", "tag:kind=warm", "--json"], ["show", "a,b"], ["show", "nope"], ["show", ""], ["show", "@99"], ["show", "baseline:none"],
    ["show", "twice"],
    ["sql", "slow one", "SELECT count(*) AS n FROM functions"], ["sql", "slow one", "SELECT * FROM functions ORDER BY id", "--json"],
    ["sql", "slow one", "SELECT * FROM callers", "--csv"], ["sql", "slow one", "SELECT nothing"], ["sql", "nope", "SELECT 1"],
    ["sql", "slow one", "SELECT 1 UNION SELECT 2", "--rows", "1"],
    ["diff", "cached one", "slow one"], ["diff", "cached one", "slow one", "--json"], ["diff", "series:ipython", "@1"],
    ["diff", "slow one", "series:ipython"], ["diff", "cached one", "slow one", "--of", "nothing"],
    ["check", "slow one", "--against", "cached one"], ["check", "slow one", "--budget", "headline=1ms", "--markdown"],
    ["check", "series:ipython", "--budget", "imports.IPython=1ms"],
    ["trend", "ipython"], ["trend", "ipython", "--json"], ["trend", "tag:kind=warm", "--of", "imports", "--row", "IPython"], ["trend", "none"],
    ["whatif", "ipython-warm.log"], ["whatif", "ipython-warm.log", "IPython", "--json"], ["whatif", "slow one", "x"],
    ["baseline"],
    ["explore", "slow one", "author_of", "--json"], ["explore", "slow one", "nothing"],
    ["report", "cached one", "slow one"], ["report", "cached one", "slow one", "--html"], ["report", "cached one", "nope"],
    ["bisect", "none", "wall", "--", "true"],
]


class Commands(unittest.TestCase):
    maxDiff = 4000

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="perfshelf-commands-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.data = os.path.join(self.folder, "shelf")
        for name, *words in (("ipython-warm.log", "--series", "ipython", "--tag", "kind=warm"),
                             ("ipython-warm-again.log", "--series", "ipython", "--tag", "kind=warm"),
                             ("bookshop-cached.prof", "--name", "cached one"), ("bookshop-slow.prof", "--name", "slow one"),
                             ("stdlib.log", "--name", "a/b, c?d=e&f#g %41"), ("threads.log", "--name", "twice"), ("awscli.log", "--name", "twice")):
            self.run_on("--data", self.data, "add", os.path.join(PROFILES, name), *words)
        self.server = Server(self.data)
        self.addCleanup(self.server.end)
        self.url = f"http://127.0.0.1:{self.server.port}"

    def run_on(self, option, shelf, command, *words, cwd=None):
        done = subprocess.run([PROGRAM, command, *words, option, shelf], capture_output=True, timeout=120, cwd=cwd)
        return done.returncode, done.stdout, done.stderr

    def same(self, *words):
        here, there = self.run_on("--data", self.data, *words), self.run_on("--server", self.url, *words)
        self.assertEqual((*there[:2], ANSWERED.sub(b"", there[2])), here, words)
        return here

    def test_what_is_asked(self):
        for words in ASKED:
            with self.subTest(words=words):
                status, said, failed = self.same(*words)
                self.assertTrue(said or failed)
                self.assertNotIn(b"internal", failed)

    def test_every_command_is_here(self):
        text = subprocess.run([PROGRAM, "--help"], capture_output=True, check=True, timeout=60).stdout.decode()
        commands = set(re.findall(r"^  (\w+) +\S", text, re.M))
        remote = {name for name in commands if "--server" in subprocess.run([PROGRAM, name, "--help"], capture_output=True, check=True).stdout.decode()}
        self.assertEqual(commands - remote, LOCAL & commands)
        tested = {words[0] for words in ASKED} | {"add", "edit", "export", "open", "record", "rm", "undelete", "mcp"}
        tested.add("config")  # opens no shelf
        self.assertEqual(remote - tested, set())

    def test_changes_are_the_same(self):
        """On the server, and on the folder: the second finds what the first left, and says the same."""
        for words in (["baseline", "ipython-warm.log"], ["baseline", "ipython-warm.log", "--json"]):
            self.same(*words)
        self.assertEqual(self.run_on("--server", self.url, "baseline", "--clear", "ipython")[:2], (0, b"ipython  has no baseline any more\n"))
        self.assertIn(b"has no baseline", self.run_on("--server", self.url, "baseline", "--clear", "ipython")[2])
        for words in (["edit", "slow one", "--tag", "a=b c", "--series", "shop"], ["edit", "slow one", "--untag", "a", "--json"],
                      ["edit", "slow one", "--note", "two\nlines"], ["show", "slow one"], ["edit", "slow one", "--note", "\x1b"],
                      ["edit", "slow one", "--name", ""], ["edit", "nope", "--name", "x"]):
            self.same(*words)
        path = os.path.join(PROFILES, "bookshop-slow.prof")
        self.assertIn(b"keeps its labels", self.same("add", path, "--json", "--name", "other", "--tag", "c=d")[2])
        self.assertEqual(self.run_on("--server", self.url, "add", path, "--update", "--tag", "c=d", "--json")[0::2], (0, b""))
        self.assertIn(b'"c":"d"', self.same("show", "slow one", "--json")[1])
        status, said, failed = self.run_on("--server", self.url, "rm", "@1", "@2", "@1")
        self.assertEqual((status, said.count(b"deleted"), failed), (0, 2, b""))
        self.same("list")
        removed = re.findall(rb"[0-9a-f]{16}", said)[0].decode()
        self.assertEqual(self.run_on("--server", self.url, "undelete", removed)[0::2], (0, b""))
        self.assertIn(removed.encode(), self.same("list")[1])
        self.assertIn(b"nothing deleted", self.same("rm", "slow one", "nope")[2])
        self.same("show", "slow one")

    def members(self, path):
        """What each member of a bundle holds."""
        names = subprocess.run(["tar", "--zstd", "-tf", path], capture_output=True, check=True).stdout.decode().split()
        return {name: subprocess.run(["tar", "--zstd", "-xOf", path, name], capture_output=True, check=True).stdout for name in names}

    def test_export(self):
        """Once from the folder, once from the server: the same words, files and contents."""
        folders = {option: os.path.join(self.folder, option) for option in ("--data", "--server")}
        for folder in folders.values():
            os.mkdir(folder)
            os.mkfifo(os.path.join(folder, "fifo"))
            os.symlink("behind", os.path.join(folder, "link"))
        for words in (["slow one"], ["slow one"], ["slow one", "--json"], ["cached one", "slow one"], ["--base", "cached one", "--new", "slow one", "--json"],
                      ["slow one", "-o", "out", "--redact", "all"], ["slow one", "-o", "out"], ["cached one", "-o", "out", "--force", "--json"],
                      ["slow one", "-o", "link"], ["series:ipython", "--json"], ["a/b, c?d=e&f#g %41"], ["@3"], ["slow one", "--preview"],
                      ["slow one", "cached one", "--preview", "--json"], ["nope"], ["nope", "-o", "none"], [""], ["slow one", "--redact", "path"],
                      ["--new", "slow one", "--preview"], ["slow one", "-o", "nowhere/out"]):
            with self.subTest(words=words):
                (status, said, failed), there = [self.run_on(option, shelf, "export", *words, cwd=folders[option])
                                                 for option, shelf in (("--data", self.data), ("--server", self.url))]
                self.assertEqual((there[0], ANSWERED.sub(b"", there[2])), (status, failed))
                self.assertTrue(said or failed or "-o" in words)
                if "--json" in words and status == 0 and "--preview" not in words:  # zstd of other lengths
                    said, there = [{**json.loads(words), "bytes": 0} for words in (said, there[1])]
                    self.assertEqual(there, said)
                else:
                    self.assertEqual(there[1], said)
        self.assertEqual(*(sorted(os.listdir(folder)) for folder in folders.values()))
        for name in os.listdir(folders["--data"]):
            if name != "fifo":
                self.assertEqual(*(self.members(os.path.join(folder, name)) for folder in folders.values()), name)
        self.assertIn("a-b, c-d=e&f#g %41.perfshelf", os.listdir(folders["--server"]))
        self.assertTrue(os.path.islink(os.path.join(folders["--server"], "link")))

        into = os.path.join(folders["--server"], "fifo")
        reader = os.open(into, os.O_RDONLY | os.O_NONBLOCK)  # the bundle is less than a pipe holds
        self.addCleanup(os.close, reader)
        self.assertEqual(self.run_on("--server", self.url, "export", "slow one", "-o", into), (0, b"", b""))
        self.assertEqual(os.read(reader, 4), b"\x28\xb5\x2f\xfd")
        self.assertEqual(self.run_on("--server", self.url, "export", "slow one", "-o", "-")[1][:4], b"\x28\xb5\x2f\xfd")

    def test_export_from_a_server_that_is_not_ours(self):
        """Its name for the file does not choose the folder, and half an answer is not a file."""
        class Answer(http.server.BaseHTTPRequestHandler):
            def do_GET(self):  # the name is that of http.server
                self.send_response(200)
                self.send_header("Content-Disposition", "attachment; filename*=UTF-8''..%2F.evil%1b")
                self.send_header("Content-Length", "10" if "half" in self.path else "4")
                self.end_headers()
                self.wfile.write(b"four")

            def log_message(self, *_):
                pass

        other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(other.server_close)
        self.addCleanup(other.shutdown)
        inside = os.path.join(self.folder, "inside")
        os.mkdir(inside)
        before = sorted(os.listdir(self.folder))
        url = f"http://127.0.0.1:{other.server_address[1]}"
        self.assertEqual(self.run_on("--server", url, "export", "x", cwd=inside), (0, b"..-.evil-.perfshelf\n", b""))
        self.assertEqual((os.listdir(inside), sorted(os.listdir(self.folder))), (["..-.evil-.perfshelf"], before))
        status, said, failed = self.run_on("--server", url, "export", "half", cwd=inside)
        self.assertEqual((status, said), (1, b""))
        self.assertRegex(failed.decode(), "^perfshelf: export: http://127.0.0.1:.*(outstanding|bytes)")
        self.assertEqual(os.listdir(inside), ["..-.evil-.perfshelf"])

    def test_failures_name_the_server_and_its_answer(self):
        status, _, failed = self.run_on("--server", self.url, "show", "nope")
        self.assertEqual((status, failed.decode()), (1, f"perfshelf: nope: no run nope on this shelf ({self.url} answered 404); `perfshelf list` shows the runs\n"))
        status, _, failed = self.run_on("--server", "http://127.0.0.1:1", "list")
        self.assertEqual(status, 1)
        self.assertRegex(failed.decode(), "^perfshelf: list: http://127.0.0.1:1: .*onnect")
        status, _, failed = self.run_on("--server", self.url, "list", "--data", self.data)
        self.assertEqual((status, failed.decode()), (2, "perfshelf: list: --server and --data cannot be combined: each names a shelf; see `perfshelf help list`\n"))

    def test_the_environment_names_the_server(self):
        env = dict(os.environ, PERFSHELF_SERVER=self.url, XDG_DATA_HOME=self.folder)
        done = subprocess.run([PROGRAM, "show", "slow one"], capture_output=True, timeout=60, env=env)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        other = os.path.join(self.folder, "other")
        self.run_on("--data", other, "add", os.path.join(PROFILES, "threads.log"))
        done = subprocess.run([PROGRAM, "list", "--json", "--data", other], capture_output=True, timeout=60, env=env)
        self.assertEqual((done.returncode, done.stdout.count(b'"id"')), (0, 1))


if __name__ == "__main__":
    unittest.main()
