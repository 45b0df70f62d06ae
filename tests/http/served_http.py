# SPDX-License-Identifier: MIT
"""Commands that name no shelf find the one that the same user serves, and say which it is."""
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from server import PROGRAM, RUNS, Server, dump, import_log


class Served(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="perfshelf-served-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.runtime, self.home = os.path.join(self.folder, "runtime"), os.path.join(self.folder, "home")
        os.mkdir(self.runtime, 0o700)
        kept = os.environ["XDG_RUNTIME_DIR"]
        os.environ["XDG_RUNTIME_DIR"] = self.runtime
        self.addCleanup(os.environ.__setitem__, "XDG_RUNTIME_DIR", kept)
        self.default = os.path.join(self.home, "perfshelf")
        self.created = f"perfshelf: {self.default}: note: created a new shelf\n"

    def serve(self, name):
        server = Server(os.path.join(self.folder, name) if name else self.default)
        self.addCleanup(server.end)
        return server

    def call(self, *words):
        env = dict(os.environ, XDG_DATA_HOME=self.home)
        return subprocess.run([PROGRAM, *words], capture_output=True, timeout=120, env=env, text=True)

    def file(self, content=None):
        path = os.path.join(self.folder, "app.prof")
        with open(path, "wb") as file:
            file.write(content or dump())
        return path

    def records(self):
        return glob.glob(os.path.join(self.runtime, "perfshelf", "*"))

    def test_add_fills_the_shelf_that_is_served(self):
        server = self.serve("demo")
        done = self.call("add", self.file())
        [run] = server.request("GET", RUNS).json["rows"]
        url = f"http://127.0.0.1:{server.port}/"
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout.splitlines()[1:], [f"on the shelf {self.folder}/demo, shown at {url}#/run/{run['id']}"])
        self.assertEqual(done.stderr, f"perfshelf: {self.folder}/demo: note: using the shelf that you serve at {url}; --data DIR chooses another\n")
        self.assertFalse(os.path.exists(self.default))
        self.assertIn(run["id"], self.call("list").stdout)
        self.assertEqual(self.call("sql", "@1", "SELECT name FROM run", "--csv").stdout, "name\napp.prof\n")

    def test_record_too(self):
        server = self.serve("demo")
        done = self.call("record", "cprofile", "--", sys.executable, "-c", "1")
        [run] = server.request("GET", RUNS).json["rows"]
        self.assertTrue(done.stdout.endswith(f"shown at http://127.0.0.1:{server.port}/#/run/{run['id']}\n"), done.stdout)

    def test_the_default_shelf_comes_first(self):
        self.serve("demo")
        self.call("add", self.file(), "--data", self.default)
        mine = self.serve("")
        self.serve("other")
        done = self.call("add", self.file(import_log()))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f"on the shelf {self.default}, shown at http://127.0.0.1:{mine.port}/#/run/", done.stdout)

    def test_of_several_the_last_is_taken_and_named(self):
        self.serve("demo")
        last = self.serve("other")
        done = self.call("add", self.file())
        self.assertIn(f"using the shelf that you serve at http://127.0.0.1:{last.port}/; you serve 2 shelves; --data DIR chooses another", done.stderr)
        self.assertEqual(last.request("GET", RUNS).json["total"], 1)

    def test_without_a_server_it_is_the_default(self):
        done = self.call("add", self.file())
        self.assertEqual((done.returncode, done.stderr), (0, self.created))
        self.assertTrue(done.stdout.endswith(f"on the shelf {self.default}; open it with `perfshelf`\n"), done.stdout)
        done = self.call("add", self.file(), "--data", os.path.join(self.folder, "named"))
        self.assertEqual(len(done.stdout.splitlines()), 1)

    def test_a_record_goes_with_its_server(self):
        server = self.serve("demo")
        self.assertEqual(len(self.records()), 1)
        self.assertEqual(server.end()[0], 0)
        self.assertEqual(self.records(), [])

    def test_a_record_that_was_left_is_not_believed(self):
        """Of a server that was killed, and one that anybody wrote: no lock, no trust."""
        server = self.serve("demo")
        with open(self.records()[0], encoding="utf-8") as file:
            text = file.read()
        server.process.send_signal(signal.SIGKILL)
        server.process.wait(timeout=30)
        with open(os.path.join(self.runtime, "perfshelf", "x.server"), "w", encoding="utf-8") as file:
            file.write(text)
        done = self.call("add", self.file())
        self.assertEqual((done.returncode, done.stderr), (0, self.created))
        self.assertIn(self.default, done.stdout)
        self.assertEqual(self.records(), [])

    def test_commands_about_the_shelf_itself_take_the_served_one_too(self):
        """A token of another shelf would be of no use, and a verdict about another one would be wrong."""
        server = self.serve("demo")
        self.call("add", self.file())
        self.call("add", self.file(), "--data", self.default)
        note = f"perfshelf: {self.folder}/demo: note: using the shelf that you serve at http://127.0.0.1:{server.port}/; --data DIR chooses another\n"
        for words in (["token", "add", "mei"], ["verify"], ["backup", os.path.join(self.folder, "copy")], ["renew"], ["prune", "--keep", "500"]):
            done = self.call(*words)
            self.assertEqual((done.returncode, done.stderr), (0, note), words)
        self.assertIn("mei", self.call("token", "list", "--data", os.path.join(self.folder, "demo")).stdout)
        self.assertNotIn("mei", self.call("token", "list", "--data", self.default).stdout)

    def test_rules_of_a_file_delete_nothing_on_another_shelf(self):
        server = self.serve("demo")
        self.call("add", self.file())
        self.call("add", self.file(), "--data", self.default)
        config = os.path.join(self.folder, "config")
        with open(config, "w", encoding="utf-8") as file:
            file.write("keep = 1h\n")
        env = dict(os.environ, XDG_DATA_HOME=self.home, PERFSHELF_CONFIG=config)
        done = subprocess.run([PROGRAM, "prune", "--dry-run"], capture_output=True, timeout=120, env=env, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(server.request("GET", RUNS).json["total"], 1)

    def test_json_holds_no_line_about_the_shelf(self):
        self.serve("demo")
        done = self.call("add", self.file(), "--json")
        self.assertEqual(json.loads(done.stdout)["kind"], "pstats")

    def test_json_holds_the_url_of_the_run(self):
        path = self.file()
        self.assertNotIn("url", json.loads(self.call("add", path, "--json").stdout))
        server = self.serve("demo")
        url = f"http://127.0.0.1:{server.port}"
        for words in (["add", path], ["add", path, "--server", url], ["record", "cprofile", "--", sys.executable, "-c", "1"],
                      ["record", "importtime", "--server", url, "--", sys.executable, "-c", "1"]):
            run = json.loads(self.call(words[0], "--json", *words[1:]).stdout.splitlines()[-1])
            self.assertEqual(run["url"], f"{url}/#/run/{run['id']}", words)

    def test_add_to_a_server_says_where_the_run_is(self):
        server = self.serve("demo")
        url = f"http://127.0.0.1:{server.port}"
        done = self.call("add", self.file(), "--server", url)
        [run] = server.request("GET", RUNS).json["rows"]
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (0, f"on the shelf {url}, shown at {url}/#/run/{run['id']}"))


if __name__ == "__main__":
    unittest.main()
