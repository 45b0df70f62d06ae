# SPDX-License-Identifier: MIT
"""Configuration files: which value a command uses, what is refused, and what `perfshelf config` says."""
import http.server
import json
import os
import shutil
import subprocess
import threading
import unittest

from program import DEMO, PROGRAM, ShelfTest, call, call_as_nobody

SLOW = os.path.join(DEMO, "bookshop-slow.prof")


def can_mount():
    """Whether a test may have files of the system of its own; root can."""
    return subprocess.run(["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/etc"], capture_output=True).returncode == 0 if shutil.which("unshare") else False


class Config(ShelfTest):
    def setUp(self):
        super().setUp()
        self.home = os.path.join(self.folder, "home")
        self.path = os.path.join(self.home, ".config", "perfshelf", "config")
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(("PERFSHELF_", "XDG_"))}
        self.env |= {"HOME": self.home, "XDG_RUNTIME_DIR": self.folder}

    def write(self, *lines, path=None, mode=0o644):
        path = path or self.path
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.writelines(os.fsencode(line) + b"\n" for line in lines)
        os.chmod(path, mode)
        return path

    def run_here(self, *words, **variables):
        return call(*words, env={**self.env, **variables}, cwd=self.folder)

    def shown(self, *words, **variables):
        done = self.run_here("config", "--json", *words, **variables)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return json.loads(done.stdout)

    def origins(self, *words, **variables):
        """{key: (value, where it is from)} of those that are no defaults."""
        rows = self.shown(*words, **variables)["values"]
        return {row["key"]: (row["value"], row.get("variable") or (row.get("line") and f"{os.path.relpath(row['file'], self.home)}:{row['line']}") or row["origin"])
                for row in rows if row["origin"] != "default"}

    def refused(self, *words, **variables):
        done = self.run_here(*(words or ("list",)), **variables)
        lines = done.stderr.decode("utf-8", "replace").splitlines()
        self.assertEqual((done.returncode, done.stdout, len(lines)), (2, b"", 1), lines)
        return lines[0]


class Precedence(Config):
    def shelves(self, *words, **variables):
        """The shelves of `list` and of `serve`."""
        shown = self.shown(*words, **variables)
        return shown["shelf"].removeprefix(self.home), shown["served_shelf"].removeprefix(self.home)

    def test_without_a_file(self):
        self.assertEqual(self.shelves(), ("/.local/share/perfshelf",) * 2)
        self.assertEqual(self.origins(), {})
        self.assertEqual([file["state"] for file in self.shown()["files"]][0], "not found")

    def test_a_folder(self):
        self.write("data = ~/a")
        self.assertEqual(self.shelves(), ("/a", "/a"))
        self.assertEqual(self.shelves("--data", "/b"), ("/b", "/b"))
        self.assertEqual(self.shelves("--server", "http://h"), ("http://h", "/a"))
        self.assertEqual(self.shelves(PERFSHELF_SERVER="http://h"), ("http://h", "/a"))
        # The folder of a file is not the cache of a store that is named elsewhere.
        for words, variables in ((("--store", "postgresql://h/d"), {}), ((), {"PERFSHELF_STORE": "postgresql://h/d"})):
            self.assertEqual(self.shelves(*words, **variables), ("postgresql://h/d",) * 2)
            self.assertNotIn("data", self.origins(*words, **variables))

    def test_a_server(self):
        self.write("server = http://a:1/")
        self.assertEqual(self.shelves(), ("http://a:1/", "/.local/share/perfshelf"))
        self.assertEqual(self.shelves("--data", "/b"), ("/b", "/b"))
        self.assertEqual(self.shelves("--store", "postgresql://h/d"), ("postgresql://h/d",) * 2)
        self.assertEqual(self.shelves("--server", "http://b"), ("http://b", "/.local/share/perfshelf"))
        self.assertEqual(self.shelves(PERFSHELF_SERVER="http://b"), ("http://b", "/.local/share/perfshelf"))
        self.assertEqual(self.shelves(PERFSHELF_STORE="postgresql://h/d"), ("postgresql://h/d",) * 2)
        self.assertEqual(self.shelves(PERFSHELF_SERVER=""), ("http://a:1/", "/.local/share/perfshelf"))

    def test_a_store(self):
        self.write("store = postgresql://mei@h/d", "data = ~/cache")
        self.assertEqual(self.shelves(), ("postgresql://h/d",) * 2)
        self.assertEqual(self.origins()["data"], (f"{self.home}/cache", ".config/perfshelf/config:2"))
        self.assertEqual(self.shelves("--data", "/b"), ("/b", "/b"))
        self.assertEqual(self.shelves("--server", "http://b"), ("http://b", "postgresql://h/d"))

    def test_a_server_and_a_folder(self):
        self.write("data = ~/a", "server = http://a")
        self.assertEqual(self.shelves(), ("http://a", "/a"))

    def test_commands_ignore_keys_of_other_commands(self):
        self.write("server = http://127.0.0.1:1", "quota = 5GiB", "host = a", "host = b")
        self.assertEqual(call("add", SLOW, "--data", self.data, env=self.env).returncode, 0)
        self.assertIn(b"http://127.0.0.1:1", self.run_here("list").stderr)
        self.assertEqual(self.run_here("formats").returncode, 0)
        for words in (["verify"], ["token", "add", "mei"], ["prune", "--keep", "5"]):
            self.assertIn("cannot be used over http://127.0.0.1:1; run it on the machine of that server, or name a shelf of this machine with --data DIR",
                          self.refused(*words))
        self.assertEqual(self.run_here("verify", "--data", self.data).returncode, 0)
        done = self.run_here("copy", "--from", self.data, "--to", os.path.join(self.folder, "other"))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_variables_and_options_replace_other_keys(self):
        self.write("server = http://a", "listen = 127.0.0.1:1", "keep = 5", "keep = 9d", "queue=7")
        self.assertEqual(self.origins("--queue", "8", "--keep", "3", PERFSHELF_SERVER="http://b"),
                         {"server": ("http://b", "PERFSHELF_SERVER"), "listen": ("127.0.0.1:1", ".config/perfshelf/config:2"), "keep": ("3", "option"), "queue": ("8", "option")})
        self.assertEqual([row["value"] for row in self.shown()["values"] if row["key"] == "keep"], ["5", "9d"])

    def test_rules_are_for_the_shelf_of_the_files(self):
        """A shelf that a command line names loses no runs to a rule that was written for another."""
        for name in ("a", "b"):
            self.assertEqual(self.run_here("add", SLOW, "--data", name).returncode, 0)
            self.assertEqual(self.run_here("add", os.path.join(DEMO, "bookshop-joined.prof"), "--data", name).returncode, 0)
        self.write(f"data = {self.folder}/a", "keep = 1")
        self.assertIn("missing --keep RULE", self.refused("prune", "--data", "b"))
        self.assertIn(b"1 run deleted", self.run_here("prune").stdout)
        self.assertNotIn("keep", self.origins("--data", "b"))

    def test_the_folder_of_xdg(self):
        path = self.write("queue = 3", path=os.path.join(self.folder, "xdg", "perfshelf", "config"))
        self.assertEqual(self.shown(XDG_CONFIG_HOME=os.path.join(self.folder, "xdg"))["files"][0], {"path": path, "state": "read"})
        self.assertEqual(self.origins(XDG_CONFIG_HOME="relative"), {})

    def test_a_named_file_replaces_both(self):
        self.write("queue = 3")
        path = self.write("quota = 3GiB", path=os.path.join(self.folder, "other.conf"))
        self.assertEqual(list(self.origins(PERFSHELF_CONFIG=path)), ["quota"])
        self.assertEqual(self.shown(PERFSHELF_CONFIG="")["files"], [])
        self.assertEqual(self.origins(PERFSHELF_CONFIG=""), {})
        self.assertRegex(self.refused(PERFSHELF_CONFIG="/nonexistent"), "^perfshelf: list: /nonexistent: there is no such file; .*PERFSHELF_CONFIG= ")

    def test_without_home(self):
        del self.env["HOME"]
        self.assertEqual(len(self.shown("--data", "a")["files"]), 1)

    @unittest.skipUnless(can_mount(), "this user cannot mount a file system")
    def test_the_file_of_the_system(self):
        """The user's file has precedence key by key, but names the shelf alone."""
        self.write("data = ~/mine", "queue = 5")
        system = self.write("server = http://system", "token-file = /t", "queue = 6", "quota = 6GiB", path=os.path.join(self.folder, "system"))
        done = subprocess.run(["unshare", "--mount", "sh", "-c", 'mount -t tmpfs tmpfs /etc && mkdir /etc/perfshelf && cp "$1" /etc/perfshelf/config && exec "$0" config --json',
                               PROGRAM, system], capture_output=True, env=self.env)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        shown = json.loads(done.stdout)
        self.assertEqual([file["state"] for file in shown["files"]], ["read", "read"])
        self.assertEqual({row["key"]: row["value"] for row in shown["values"] if row["origin"] == "file"}, {"data": f"{self.home}/mine", "queue": "5", "quota": "6GiB"})
        self.assertEqual((shown["shelf"], shown["served_shelf"]), (f"{self.home}/mine",) * 2)


class Files(Config):
    def test_comments_spaces_and_line_ends(self):
        self.write("\ufeff# a comment", "", "  data\t= ~/my shelf#1  # behind it\r", "\tqueue=4\t#x", "host = a=b")
        self.assertEqual(self.origins(), {"data": (f"{self.home}/my shelf#1", ".config/perfshelf/config:3"), "queue": ("4", ".config/perfshelf/config:4"), "host": ("a=b", ".config/perfshelf/config:5")})

    def test_mistakes(self):
        for lines, expected in ((["sever = http://a"], "1: unknown key 'sever'; did you mean server? See `perfshelf help config`"),
                                (["# x", "nonsense = 1"], "2: unknown key 'nonsense'; `perfshelf help config` lists the keys"),
                                (["[shelf]"], "1: the line is not KEY = VALUE; see `perfshelf help config`; comments begin with #"),
                                (["server ="], "1: server has no value; write a value, or remove the line"),
                                (["server = shelf.example.org"], "1: invalid value 'shelf.example.org' for --server; write http://HOST:PORT or https://HOST"),
                                (["data = shelf"], "1: the path shelf is relative; write an absolute path, or one that begins with ~/"),
                                (["quota = much"], "1: invalid value 'much' for --quota; write a size, such as 512MB or 8GiB"),
                                (["keep = all"], "1: invalid value 'all' for --keep; write a number of runs, an age or a size: 500, 90d or 50GiB; "
                                 "20/series for each series, nightly=20 for one series"),
                                (["store = /folder"], "1: store is not a URL of PostgreSQL; write postgresql://HOST/DATABASE, or use --data DIR for a folder"),
                                (["store = postgresql://mei:word@h/d"], "1: store contains a password, which other users of this machine can see; put the URL into "
                                 "$PERFSHELF_STORE, or the password into the file $PGPASSFILE"),
                                (["token = abc"], "1: a token cannot be written into this file; write it into a file of its own, and here token-file = FILE"),
                                (["json = yes"], "1: --json is an option, but no key of this file; see `perfshelf help config`"),
                                (["queue = 1", "queue = 2"], "2: queue is already set in line 1; remove one of the two lines"),
                                (["queue = 1\0"], "1: the line contains a control character; remove it")):
            self.write(*lines)
            self.assertEqual(self.refused(), f"perfshelf: list: {self.path}:{expected}")
        self.assertNotIn("word@", self.refused("list"))

    def test_a_mistake_does_not_hide_the_help(self):
        self.write("nonsense")
        for words in (["help"], ["help", "config"], ["list", "--help"], ["--version"], ["formats"]):
            self.assertEqual(self.run_here(*words).returncode, 0, words)

    def test_files_that_others_change(self):
        for mode in (0o666, 0o620, 0o602):
            self.write("queue = 1", mode=mode)
            self.assertEqual(self.refused(), f"perfshelf: list: {self.path}: other users can change this file; run chmod go-w on it, after you have checked its content")
        self.write("queue = 1", mode=0o644)
        self.assertEqual(self.origins()["queue"][0], "1")

    def test_what_is_no_file(self):
        os.makedirs(self.path)
        self.assertRegex(self.refused(), f"^perfshelf: list: {self.path}: not a regular file")
        os.rmdir(self.path)
        os.mkfifo(self.path)  # nobody writes to it: opening it does not wait
        self.assertRegex(self.refused(), "not a regular file")
        os.remove(self.path)
        self.write("#" * (64 << 10))
        self.assertRegex(self.refused(), "larger than 65536 bytes")
        os.remove(self.path)
        os.symlink(self.write("queue = 2", path=os.path.join(self.folder, "linked")), self.path)
        self.assertEqual(self.origins()["queue"][0], "2")

    @unittest.skipUnless(os.geteuid() == 0, "only root can become another user")
    def test_files_that_cannot_be_read(self):
        os.chmod(self.folder, 0o755)
        self.write("queue = 2", mode=0o600)
        done = call_as_nobody("list", env=self.env)
        self.assertEqual((done.returncode, done.stderr.decode()), (2, f"perfshelf: list: {self.path}: cannot be opened: Permission denied; check its permissions\n"))
        # The home folder of somebody else has no configuration for this user.
        os.chmod(self.home, 0o700)
        done = call_as_nobody("config", "--json", "--data", "/x", env=self.env)
        self.assertEqual([file["state"] for file in json.loads(done.stdout)["files"]][0], "cannot be reached")

    def test_names_that_are_no_utf_8(self):
        self.write(b"data = /tmp/\xff\x80 'x\" $(touch evil)".decode("utf-8", "surrogateescape"))
        self.assertEqual(self.shown()["shelf"], "/tmp/\ufffd\ufffd 'x\" $(touch evil)")
        self.assertIn(b"\\xff\\x80", self.run_here("config").stdout)


class Tokens(Config):
    def setUp(self):
        super().setUp()
        self.heard = []
        test = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                test.heard.append(self.headers.get("Authorization"))
                self.send_response(401)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def token(self, text="secret-1", mode=0o600, name="token"):
        return self.write(text, path=os.path.join(self.home, name), mode=mode)

    def sent(self, *words, **variables):
        self.heard.clear()
        self.run_here("list", *words, **variables)
        return self.heard[0] and self.heard[0].removeprefix("Bearer ")

    def test_where_it_is_from(self):
        self.write(f"server = {self.url}", "token-file = ~/token")
        self.token()
        other = self.token("secret-2", name="other")
        self.assertEqual(self.sent(), "secret-1")
        self.assertEqual(self.sent(PERFSHELF_TOKEN="secret-3"), "secret-3")
        self.assertEqual(self.sent("--token-file", other, PERFSHELF_TOKEN="secret-3"), "secret-2")
        self.assertEqual(self.sent("--token", "secret-4"), "secret-4")
        self.assertRegex(self.refused("list", "--token", "a", "--token-file", other), "--token and --token-file cannot be combined")

    def test_it_is_not_sent_to_another_server(self):
        self.token()
        self.write("server = https://shelf.example.org", "token-file = ~/token")
        self.assertIsNone(self.sent("--server", self.url))
        self.assertIsNone(self.sent(PERFSHELF_SERVER=self.url))
        self.write(f"server = {self.url}", "token-file = ~/token")
        self.assertEqual(self.sent("--server", self.url + "/"), "secret-1")
        self.write("token-file = ~/token")
        self.assertEqual(self.sent("--server", self.url), "secret-1")

    def test_a_command_without_a_server_does_not_read_it(self):
        self.write("token-file = ~/missing", f"server = {self.url}")
        self.assertIn(b"there is no shelf", self.run_here("list", "--data", "none").stderr)
        self.assertRegex(self.refused(), "missing: there is no such file")

    def test_files_that_are_refused(self):
        self.write(f"server = {self.url}", "token-file = ~/token")
        for text, mode, expected in (("secret", 0o644, "other users can read this file; run chmod 600 on it"), ("secret", 0o622, "other users can change this file"),
                                     ("two\nlines", 0o600, "not a token on a single line"), ("with space", 0o600, "not a token on a single line"),
                                     ("", 0o600, "the file is empty"), ("x" * 2000, 0o600, "larger than 1024 bytes")):
            path = self.token(text, mode)
            said = self.refused()
            self.assertTrue(said.startswith(f"perfshelf: list: {path}: {expected}"), said)
            self.assertEqual(self.heard, [])
        os.remove(path)
        os.mkfifo(path)
        self.assertRegex(self.refused(), "not a regular file")

    def test_config_never_prints_it(self):
        self.write(f"server = {self.url}", f"token-file = {self.token()}")
        for words, variables in (((), {}), (("--token", "secret-1"), {}), ((), {"PERFSHELF_TOKEN": "secret-1"})):
            for form in ((), ("--json",)):
                done = self.run_here("config", *words, *form, **variables)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                self.assertNotIn(b"secret-1", done.stdout)
                self.assertIn(b"(hidden)" if words or variables else b"token-file", done.stdout)


class Text(Config):
    def test_rows_files_and_what_is_not_used(self):
        self.write("server = http://a:1", "queue = 5")
        done = self.run_here("config", "--data", "b", "--queue", "6").stdout.decode()
        self.assertRegex(done, r"(?m)^data +b +option$")
        self.assertRegex(done, r"(?m)^queue +6 +option$")
        self.assertRegex(done, r"(?m)^quota +– +default$")
        self.assertRegex(done, r"(?m)^listen +127\.0\.0\.1:7700 +default$")
        self.assertIn(f"Not used:\n  server of {self.path}:1\n  queue of {self.path}:2\n", done)
        self.assertIn(f"Files, the first has precedence:\n  {self.path}: read\n  /etc/perfshelf/config: ", done)
        self.assertRegex(self.run_here("config").stdout.decode(), rf"(?m)^server +http://a:1 +{self.path}:1$")
        self.assertIn("none, because $PERFSHELF_CONFIG is empty", self.run_here("config", PERFSHELF_CONFIG="").stdout.decode())


if __name__ == "__main__":
    unittest.main()
