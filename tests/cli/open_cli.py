# SPDX-License-Identifier: MIT
"""perfshelf on a terminal, perfshelf FILE, open: which server shows the page, and what is said where no browser can be opened."""
import csv
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import time
import unittest

from program import DEMO, PROGRAM, ROOT, ShelfTest, call

sys.path.append(os.path.join(ROOT, "tests"))
from wait import wait_until  # noqa: E402

URL = re.compile(r"http://127\.0\.0\.1:(\d+)/")
SERVES = re.compile(r"serves (\S+) at (http://127\.0\.0\.1:\d+/)")


with open(os.path.join(ROOT, "demo", "samples.tsv"), encoding="utf-8", newline="") as file:
    SAMPLES = list(csv.DictReader(file, delimiter="\t"))


class Terminal:
    """The program on a pseudo-terminal; what it prints is gathered in `said`."""

    def __init__(self, *words, env, cwd):
        self.said = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.execve(PROGRAM, ["perfshelf", *words], env)

    def read(self, until, seconds=30):
        """Reads until the pattern appears, or to the end of the output without one."""
        end = time.monotonic() + seconds
        while not (until and re.search(until, self.said)):
            if time.monotonic() > end:
                raise AssertionError(f"{until} was not printed in {seconds} s:\n{self.said}")
            if not select.select([self.fd], [], [], 0.2)[0]:
                continue
            try:
                got = os.read(self.fd, 65536)
            except OSError:  # the program closed the terminal
                got = b""
            if not got:
                break
            self.said += got.decode().replace("\r\n", "\n")
        return re.search(until, self.said) if until else None

    def interrupt(self):
        os.write(self.fd, b"\x03")
        return self.end()

    def end(self):
        """The exit status."""
        self.read(None)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


class OpenTest(ShelfTest):
    def setUp(self):
        super().setUp()
        self.opened = os.path.join(self.folder, "opened")
        os.chmod(self.file("bin/xdg-open", f"#!/bin/sh\necho \"$1\" >> '{self.opened}'\n".encode()), 0o755)
        for name in ("home", "run"):
            os.mkdir(os.path.join(self.folder, name), 0o700)
        cleared = ("SSH_CONNECTION", "DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "PERFSHELF_SERVER", "PERFSHELF_STORE")
        self.env = {key: value for key, value in os.environ.items() if key not in cleared}
        self.env.update(PATH=f"{self.folder}/bin:{os.environ['PATH']}", DISPLAY=":9", HOME=f"{self.folder}/home",
                        XDG_DATA_HOME=f"{self.folder}/home", XDG_RUNTIME_DIR=f"{self.folder}/run")
        self.data = os.path.join(self.folder, "home", "perfshelf")
        self.running = []
        self.addCleanup(self.stop)

    def stop(self):
        for terminal in self.running:
            try:
                os.kill(terminal.pid, signal.SIGKILL)
                os.waitpid(terminal.pid, 0)
                os.close(terminal.fd)
            except OSError:
                pass  # the test ended it

    def on_terminal(self, *words, **env):
        terminal = Terminal(*words, env={**self.env, **env}, cwd=self.folder)
        self.running.append(terminal)
        return terminal

    def call(self, *words, **options):
        return call(*words, env=self.env, cwd=self.folder, **options)

    def addresses(self, n=1):
        """What the browser was given, once that is n addresses."""
        def seen():
            if not os.path.exists(self.opened):
                return []
            with open(self.opened, encoding="utf-8") as file:
                return file.read().split()
        wait_until(lambda: len(seen()) >= n, 20, "xdg-open was started")
        self.assertEqual(len(seen()), n)
        return seen()

    def only_run(self):
        runs = self.json("list")
        self.assertEqual(len(runs), 1)
        return runs[0]["id"]


class WithoutArguments(OpenTest):
    def test_a_terminal_gets_the_shelf(self):
        terminal = self.on_terminal()
        served = terminal.read(SERVES)
        self.assertEqual((self.data, [served[2]]), (served[1], self.addresses()))
        terminal.read("press Ctrl-C to stop\n")
        self.assertEqual(terminal.interrupt(), 0)

    def test_elsewhere_the_help_is_printed(self):
        self.assertEqual(self.call().returncode, 2)
        main, side = pty.openpty()  # a terminal on one side only
        for streams in ({"stdin": side}, {"stdout": side}):
            done = subprocess.run([PROGRAM], env=self.env, stderr=subprocess.PIPE, timeout=30,
                                  **{"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, **streams})
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"Usage: perfshelf", done.stderr)
        os.close(main)
        os.close(side)
        self.assertFalse(os.path.exists(self.data))

    def test_the_server_that_runs_is_used(self):
        first = self.on_terminal()
        url = first.read(SERVES)[2]
        second = self.on_terminal()
        self.assertEqual(second.end(), 0)
        self.assertIn(f"the shelf {self.data} is served already, at {url}\n", second.said)
        self.assertEqual(self.addresses(2), [url, url])
        self.assertEqual(first.interrupt(), 0)

    def test_two_at_once_share_a_server(self):
        terminals = [self.on_terminal() for _ in range(4)]
        for terminal in terminals:
            terminal.read(rf"{SERVES.pattern}|is served already, at \S+/\n")
        serving = [terminal for terminal in terminals if SERVES.search(terminal.said)]
        self.assertEqual(len(serving), 1, [terminal.said for terminal in terminals])
        url = SERVES.search(serving[0].said)[2]
        self.assertEqual(self.addresses(4), [url] * 4)
        self.assertEqual(serving[0].interrupt(), 0)


class Files(OpenTest):
    def test_a_file_is_added_and_its_report_opened(self):
        terminal = self.on_terminal(os.path.join(DEMO, "threads.log"))
        url = terminal.read(SERVES)[2]
        run = self.only_run()
        self.assertEqual(self.addresses(), [f"{url}#/run/{run}"])
        self.assertIn(run, terminal.said)
        again = self.call(os.path.join(DEMO, "threads.log"))  # not on a terminal, and the server runs
        self.assertEqual((again.returncode, again.stderr), (0, b""))
        self.assertTrue(again.stdout.endswith(f"the shelf {self.data} is served already, at {url}#/run/{run}\n".encode()), again.stdout)
        self.assertEqual(terminal.interrupt(), 0)

    def test_several_open_the_shelf(self):
        terminal = self.on_terminal(self.dump, self.log)
        url = terminal.read(SERVES)[2]
        self.assertEqual(self.addresses(), [url])
        self.assertEqual(terminal.interrupt(), 0)

    def test_standard_input(self):
        process = subprocess.Popen([PROGRAM, "-"], env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with open(self.log, "rb") as file:
            process.stdin.write(file.read())
        process.stdin.close()
        self.assertIn("#/run/", self.addresses()[0])
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 0)
        process.stdout.close()
        process.stderr.close()

    def test_a_file_that_is_no_profile_serves_nothing(self):
        path = self.file("notes.txt", b"nothing\n")
        done = self.call(path)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertRegex(done.stderr.decode(), rf"^perfshelf: {path}: .*\n$")

    def test_a_file_with_the_name_of_a_command(self):
        os.rename(self.dump, os.path.join(self.folder, "list"))
        self.assertNotIn(b"Usage", self.call("list", "--data", self.folder).stderr)  # the command
        for words in (["./list"], ["open", "list"]):
            terminal = self.on_terminal(*words)
            terminal.read(SERVES)
            self.only_run()
            self.assertEqual(terminal.interrupt(), 0)

    def test_a_word_that_is_nothing(self):
        for word, meant in (("lst", "list"), ("opne", "open"), ("samples", "demo")):
            done = self.call(word)
            self.assertEqual((done.returncode, done.stderr.decode()),
                             (2, f"perfshelf: unknown command '{word}'; did you mean `perfshelf {meant}`? `perfshelf help` lists the commands\n"))
        self.assertFalse(os.path.exists(self.data))

    def test_a_file_whose_name_is_not_utf8(self):
        path = os.path.join(os.fsencode(self.folder), b"it's \xff.prof")
        os.rename(self.dump, path)
        terminal = self.on_terminal(path)
        terminal.read(SERVES)
        self.only_run()
        self.assertEqual(terminal.interrupt(), 0)


class ThreeCommands(OpenTest):
    """What a new user types behind `tar`: one command answers why an import is slow, the next one shows its report."""

    def test_why_is_this_import_slow(self):
        recording = self.on_terminal("record", "importtime", "--", sys.executable, "-c", "import asyncio")
        self.assertEqual(recording.end(), 0, recording.said)
        run = self.only_run()
        self.assertRegex(recording.said.replace("\n", " "), r"\S+ takes [\d.]+ % of the import time\. ")
        self.assertIn(f"`perfshelf show {run[:8]}` prints the causes and the first table\n"
                      f"on the shelf {self.data}; open it with `perfshelf`\n", recording.said)
        self.assertEqual(self.call("show", run[:8]).returncode, 0)
        terminal = self.on_terminal()
        terminal.read(SERVES)
        self.assertEqual(terminal.interrupt(), 0)

    def test_a_pipe_gets_no_sentence(self):
        done = self.call("add", self.log)
        self.assertEqual(len(done.stdout.splitlines()), 2, done.stdout)


class Demo(OpenTest):
    def runs(self, folder):
        return json.loads(self.call("list", "--data", folder, "--json").stdout)

    def test_a_shelf_of_samples(self):
        folder = os.path.join(self.folder, "home", "perfshelf-demo")
        terminal = self.on_terminal("demo")
        served = terminal.read(SERVES)
        terminal.read(f"the sample profiles are in {folder}; delete this folder to remove them\n")
        self.assertEqual((served[1], self.addresses()), (folder, [served[2]]))
        wait_until(lambda: len(self.runs(folder)) == len(SAMPLES), 60, "all samples are imported")
        self.assertTrue(all(run["tags"]["sample"] == "yes" for run in self.runs(folder)))
        again = self.call("demo")
        self.assertEqual((again.returncode, again.stdout.decode()), (0, f"the shelf {folder} is served already, at {served[2]}\n"))
        # Runs of this user go to the shelf of the user, which `demo` has not created.
        self.assertFalse(os.path.exists(self.data))
        added = self.call("add", self.dump)
        self.assertIn(f"on the shelf {self.data}; open it with `perfshelf`\n", added.stdout.decode())
        self.assertEqual((len(self.runs(self.data)), terminal.interrupt()), (1, 0))
        times = {run["id"]: run["created_at"] for run in self.runs(folder)}
        terminal = self.on_terminal("demo")
        terminal.read("the sample profiles are in")
        self.assertEqual(terminal.interrupt(), 0)
        self.assertEqual({run["id"]: run["created_at"] for run in self.runs(folder)}, times)

    def test_another_folder(self):
        terminal = self.on_terminal("demo", "--data", f"{self.folder}/my samples", "--listen", "127.0.0.1:0")
        terminal.read("perfshelf .* serves .*/my samples at http")
        self.assertEqual(terminal.interrupt(), 0)

    def test_no_folder_for_it(self):
        del self.env["HOME"], self.env["XDG_DATA_HOME"]
        done = self.call("demo")
        self.assertEqual((done.returncode, done.stderr.decode()),
                         (2, "perfshelf: demo: no folder for the shelf: neither XDG_DATA_HOME nor HOME is set; name one with --data DIR\n"))


class NoBrowser(OpenTest):
    def said(self, pattern, **env):
        terminal = self.on_terminal(**env)
        found = terminal.read(pattern)
        self.assertEqual(terminal.interrupt(), 0)
        self.assertFalse(os.path.exists(self.opened))
        return found, terminal.said

    def test_ssh(self):
        found, said = self.said(r"ssh -N -L (\d+):127\.0\.0\.1:(\d+) -p 2222 \S+@192\.0\.2\.7`, then open (\S+) there\n", DISPLAY="",
                                SSH_CONNECTION="198.51.100.4 50000 192.0.2.7 2222")
        port = URL.search(said)[1]
        self.assertEqual(found.groups(), (port, port, f"http://127.0.0.1:{port}/"))

    def test_no_display(self):
        self.said(r"perfshelf: there is no display for a browser; open http://127\.0\.0\.1:\d+/ yourself\n", DISPLAY="")

    def test_no_xdg_open(self):
        self.said(r"cannot open the browser \(xdg-open: No such file or directory\); open http://127\.0\.0\.1:\d+/ yourself\n", PATH="/nowhere")

    def test_a_display_over_ssh_is_used(self):
        terminal = self.on_terminal(SSH_CONNECTION="198.51.100.4 50000 192.0.2.7 22")
        terminal.read(SERVES)
        self.addresses()
        self.assertEqual(terminal.interrupt(), 0)


class PortInUse(OpenTest):
    def test_the_default_port(self):
        """Another server on this machine may have the port, so what it is called is asked of a process of this test only."""
        other = socket.socket()
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            other.bind(("127.0.0.1", 7700))
            other.listen()
            owner = rf"\S+ \(process {os.getpid()}\)"
        except OSError:
            owner = ".+"
        with other:
            terminal = self.on_terminal()
            port = URL.search(terminal.read(SERVES)[0])[1]
            self.assertNotEqual(port, "7700")
            self.assertRegex(terminal.said, rf"(?m)^perfshelf: serve: note: {owner} uses port 7700, so this server uses port {port}$")
            self.assertEqual(terminal.interrupt(), 0)

    def test_a_port_that_was_asked_for(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            listen = f"127.0.0.1:{other.getsockname()[1]}"
            done = self.call("open", "--listen", listen)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr.decode(), rf"^perfshelf: serve: cannot listen on {listen}: \S+ \(process {os.getpid()}\) uses it; stop that program, or use ")

    def test_a_perfshelf_names_its_shelf(self):
        terminal = self.on_terminal("open", "--listen", "127.0.0.1:0")
        port = URL.search(terminal.read(SERVES)[0])[1]
        done = self.call("serve", "--data", os.path.join(self.folder, "other"), "--listen", f"127.0.0.1:{port}")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"perfshelf (process {terminal.pid}), which serves the shelf {self.data} uses it", done.stderr.decode())
        self.assertEqual(terminal.interrupt(), 0)


if __name__ == "__main__":
    unittest.main()
