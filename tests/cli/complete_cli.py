# SPDX-License-Identifier: MIT
"""Completion of command lines: what `perfshelf --complete` offers, and what the shells make of it."""
import fcntl
import os
import pty
import select
import shutil
import signal
import socket
import struct
import subprocess
import termios
import unittest

from program import DEMO, PROGRAM, ROOT, ShelfTest
from wait import wait_until

COMPLETIONS = os.path.join(ROOT, "packaging", "completions")


class Complete(ShelfTest):
    def setUp(self):
        super().setUp()
        self.ok("add", os.path.join(DEMO, "bookshop-slow.prof"), "--name", "shop", "--series", "nightly", "--tag", "host=a", "--tag", "host2=b")
        self.ok("add", os.path.join(DEMO, "events-memory.txt"), "--name", "two words")

    def offered(self, *words):
        """{word: description} for the last of the words, and the requests for paths."""
        said = subprocess.run([PROGRAM, "--complete", *words], capture_output=True, text=True, env={**os.environ, "XDG_DATA_HOME": "/nonexistent"},
                              timeout=60)
        self.assertEqual((said.returncode, said.stderr), (0, ""), words)
        return {word or f"<{about}>": about for word, about in (line.split("\t") for line in said.stdout.splitlines())}

    def on_shelf(self, command, *words):
        return self.offered(command, "--data", self.data, *words)

    def test_commands(self):
        self.assertEqual(list(self.offered("sh")), ["show"])
        self.assertEqual(len(self.offered("")), 31)
        self.assertEqual(self.offered("help", "ed"), {"edit": "change the name, series, note or tags of runs"})
        self.assertEqual(self.offered("nonsense", ""), {})

    def test_options(self):
        self.assertEqual(list(self.offered("show", "--o")), ["--of"])
        self.assertIn("--help", self.offered("verify", "--"))
        self.assertNotIn("--of", self.offered("verify", "--"))

    def test_values(self):
        self.assertEqual(list(self.offered("diff", "--per", "")), ["step", "run", "call"])
        self.assertEqual(list(self.offered("token", "add", "x", "--role", "a")), ["admin"])
        self.assertEqual(list(self.offered("token", "")), ["add", "list", "revoke"])
        self.assertEqual(list(self.offered("record", "")), ["importtime", "cprofile", "lines", "memory", "torch", "serving", "time", "ab"])
        self.assertEqual(list(self.offered("record", "cprofile", "--", "")), ["<files>"])
        self.assertEqual(list(self.offered("add", "a.prof", "")), ["<files>"])
        self.assertEqual(list(self.offered("list", "--data", "")), ["<folders>"])
        self.assertEqual(self.offered("add", "--note", ""), {})

    def test_runs_series_and_tags(self):
        self.assertEqual(list(self.on_shelf("show", "")), ["two words", "@1", "shop", "@2"])
        self.assertRegex(self.on_shelf("show", "sh")["shop"], r"^pstats 1\.599 s, 20\d\d-\d\d-\d\d \d\d:\d\d$")
        self.assertEqual(self.on_shelf("rm", "@1", "@"), {"@1": "two words", "@2": "shop"})
        self.assertEqual(list(self.on_shelf("diff", "shop", "tw")), ["two words"])
        self.assertEqual(self.on_shelf("diff", "shop", "two words", ""), {})
        self.assertEqual(self.on_shelf("show", "series:"), {"series:nightly": "1 run"})
        self.assertEqual(list(self.on_shelf("show", "baseline:n")), ["baseline:nightly"])
        self.assertEqual(list(self.on_shelf("edit", "shop", "--series", "")), ["nightly"])
        self.assertEqual(list(self.on_shelf("trend", "")), ["nightly"])
        self.assertEqual(sorted(self.on_shelf("edit", "shop", "--untag", "")), ["host", "host2"])
        self.assertEqual(list(self.on_shelf("edit", "shop", "--tag", "host=")), ["host=a"])

    def test_a_value_behind_an_equals_sign_selects_the_shelf(self):
        self.assertEqual(list(self.offered("show", f"--data={self.data}", "sh")), ["shop"])

    def test_a_shelf_that_cannot_be_read_offers_nothing(self):
        self.assertFalse(os.path.exists("/nonexistent"))
        said = subprocess.run([PROGRAM, "--complete", "show", "--data", "/nonexistent", ""], capture_output=True, text=True)
        self.assertEqual((said.returncode, said.stdout), (0, ""))

    def test_names_that_a_shell_cannot_show_are_left_out(self):
        self.ok("add", os.path.join(DEMO, "bookshop-joined.prof"), "--name", "evil\x1b[31m\nname")
        self.assertEqual(list(self.on_shelf("show", ""))[:2], ["@1", "two words"])
        self.assertEqual(self.on_shelf("show", "@1")["@1"], "evil\\x1b[31m\\nname")

    def test_tables_metrics_and_categories(self):
        self.assertEqual(list(self.on_shelf("show", "shop", "--of", "")), ["functions"])
        self.assertEqual(list(self.on_shelf("diff", "shop", "@2", "--of", "f")), ["functions"])
        self.assertEqual(list(self.on_shelf("trend", "nightly", "--of", "")), ["functions"])
        self.assertIn("ncalls", self.on_shelf("show", "shop", "--of", "functions", "--metric", ""))
        self.assertEqual(self.on_shelf("show", "--of", ""), {})
        self.assertIn("people", self.offered("export", "@1", "--redact", ""))
        self.assertEqual(list(self.offered("export", "@1", "--redact", "paths,ho")), ["paths,hosts"])

    def test_a_value_behind_an_equals_sign(self):
        self.assertEqual(list(self.offered("diff", "--per=")), ["--per=step", "--per=run", "--per=call"])
        self.assertEqual(list(self.on_shelf("edit", "shop", "--series=n")), ["--series=nightly"])
        self.assertEqual(list(self.offered("list", "--data=")), ["<folders>"])

    def test_names_that_are_options_are_left_out(self):
        """A name that others chose must not become an option of the command."""
        self.ok("add", os.path.join(DEMO, "threads.log"), "--name=--server=http://evil", "--series=--data=/evil", "--tag", "--x=1")
        self.assertEqual([word for word in self.on_shelf("show", "") if word.startswith("-")], [])
        self.assertEqual([word for word in self.on_shelf("show", "-") if "evil" in word], [])
        self.assertEqual([word for word in self.on_shelf("trend", "") if word.startswith("-")], [])
        self.assertEqual(list(self.on_shelf("show", "series:-")), ["series:--data=/evil"])

    def test_a_server_that_does_not_answer(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            self.assertEqual(self.offered("show", "--server", f"http://127.0.0.1:{silent.getsockname()[1]}", ""), {})
            self.assertEqual(silent.accept()[0].close(), None)

    def in_bash(self, line, breaks=" \t\n\"'@><=;|&(:"):
        done = subprocess.run([PROGRAM, "--complete-bash", breaks, line.replace("DATA", self.data)], capture_output=True, text=True, check=True, env={**os.environ, "HOME": self.folder})
        self.assertEqual(done.stderr, "")
        return done.stdout.splitlines()

    def test_lines_of_bash(self):
        self.ok("add", os.path.join(DEMO, "threads.log"), "--name", "it's $(touch evil) `a` \"b\" !c;d|e&f*~\\g", "--series", "a:b")
        hostile = "it\\'s\\ \\$\\(touch\\ evil\\)\\ \\`a\\`\\ \\\"b\\\"\\ \\!c\\;d\\|e\\&f\\*\\~\\\\g"
        for line, expected in (("perfshelf sh", ["show"]), ("A=1 ~/bin/perfshelf sh", ["show"]), ("perfshelf show --data DATA tw", ["two\\ words"]),
                               ("perfshelf show --data DATA two\\ w", ["two\\ words"]), ("perfshelf show --data DATA 'two w", ["two words"]),
                               ('perfshelf show --data DATA "tw', ["two words"]), ("perfshelf show --data ~/shelf tw", ["two\\ words"]),
                               ("perfshelf show --data 'DATA' tw", ["two\\ words"]), ("perfshelf show --data $(touch evil) tw", []), ("perfshelf show --data DATA 'two words'", []),
                               ("perfshelf show --data DATA it", [hostile]), ("perfshelf show --data DATA 'it", []), ('perfshelf show --data DATA "it', []),
                               ("perfshelf show --data DATA series:a", ["a:b"]), ("perfshelf show --data DATA series:a:", ["b"]), ("perfshelf show --data DATA 'series:a", ["series:a:b"]),
                               ("perfshelf edit x --data DATA --series=n", ["nightly"]), ("perfshelf show --data DATA @3", ["3"]), ("perfshelf", []), ("", []), ("perfshelf add ", ["\tfiles"])):
            self.assertEqual(self.in_bash(line), expected, line)
        self.assertEqual(self.in_bash("perfshelf show --data DATA series:a", " \t\n"), ["series:a:b"])
        self.assertFalse(os.path.exists("evil"))


class Terminal:
    """An interactive shell. `typed` presses Tab and Enter behind a line."""
    def __init__(self, command, environment, folder, prompt):
        self.prompt, self.read = prompt, b""
        pid, self.fd = pty.fork()
        if pid == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        self.pid = pid
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))

    def wait_for(self, condition, what):
        def more():
            if select.select([self.fd], [], [], 0)[0]:
                try:
                    self.read += os.read(self.fd, 65536)
                except OSError:
                    pass
            return condition()
        wait_until(more, 30, lambda: f"{what}; the terminal shows {self.read[-2000:]!r}")

    def begin(self):
        self.wait_for(lambda: self.prompt in self.read, "the prompt")

    def typed(self, line, path):
        """The words that the program got."""
        for name in (path, path + ".completed"):
            if os.path.exists(name):
                os.remove(name)
        os.write(self.fd, line.encode() + b"\t")
        self.wait_for(lambda: os.path.exists(path + ".completed"), f"the completion of {line!r}")
        seen = -1
        while seen != len(self.read):  # the shell writes what it inserts
            seen = len(self.read)
            select.select([self.fd], [], [], 0.3)
            self.wait_for(lambda: True, "")
        os.write(self.fd, b"\r")
        self.wait_for(lambda: os.path.exists(path), f"the words of {line!r}")
        with open(path, "rb") as file:
            return [word.rstrip("/") for word in file.read().decode().split("\0")[:-1]]  # of a folder, with its slash or without

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


class Shells(ShelfTest):
    """What a person gets who presses Tab in the shell itself: the words that the program is called with."""
    NAMES = ["two words", "it's", 'say "hi"', "$(touch evil)", "`touch evil`", "a;touch evil", "b|touch evil&", "c*?[x]", "~d", "e\\f", "#g", "h!i", "{j,k}", "l:m=n", "<o>p", "(q", "é r", "%s%n"]

    def setUp(self):
        super().setUp()
        tools = os.path.join(self.folder, "bin")
        os.mkdir(tools)
        self.words = os.path.join(self.folder, "words")
        with open(os.path.join(tools, "perfshelf"), "w", encoding="utf-8") as file:
            file.write(f"""#!/bin/sh
case $1 in --complete*) {PROGRAM} "$@"; : >{self.words}.completed; exit ;; esac
printf '%s\\0' "$@" >{self.words}.new
mv {self.words}.new {self.words}
""")
        os.chmod(file.name, 0o755)
        for i, name in enumerate(self.NAMES):
            self.ok("add", os.path.join(DEMO, "bookshop-slow.prof"), "--name", f"{i:02} {name}") if i == 0 else None
        for i, name in enumerate(self.NAMES[1:], 1):
            self.ok("add", self.file(f"{i}.log", b"import time: self [us] | cumulative | imported package\nimport time:      %d |      %d | m%d\n" % (i, i, i)), "--name", f"{i:02}{name}")
        self.environment = {"PATH": f"{tools}:{os.environ['PATH']}", "HOME": self.folder, "TERM": "xterm", "LC_ALL": "C.UTF-8", "PERFSHELF_CONFIG": "", "XDG_RUNTIME_DIR": self.folder, "XDG_DATA_HOME": self.folder}
        os.rename(self.data, os.path.join(self.folder, "perfshelf"))

    def completes(self, command, prompt=b"READY>", cases=()):
        terminal = Terminal(command, self.environment, self.folder, prompt)
        self.addCleanup(terminal.end)
        terminal.begin()
        for line, expected in cases:
            self.assertEqual(terminal.typed(line, self.words), expected, line)
        for i, name in list(enumerate(self.NAMES))[1:]:
            self.assertEqual(terminal.typed(f"perfshelf show {i:02}", self.words), ["show", f"{i:02}{name}"], name)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "evil")))

    CASES = [("perfshelf sho", ["show"]), ("perfshelf diff --pe", ["diff", "--per"]), ("perfshelf diff --per=s", ["diff", "--per=step"]),
             ("perfshelf show '00 tw", ["show", "00 two words"]), ('perfshelf show "00 tw', ["show", "00 two words"]), ("perfshelf show 00\\ tw", ["show", "00 two words"]),
             ("perfshelf add a\\ pro", ["add", "a profile.log"]), ("perfshelf list --data a\\ fol", ["list", "--data", "a folder"]), ("perfshelf show --data ~/perf", ["show", "--data", "HOME/perfshelf"])]

    def cases(self):
        self.file("a profile.log", b"")
        os.mkdir(os.path.join(self.folder, "a folder"))
        return [(line, [word.replace("HOME", self.folder) for word in expected]) for line, expected in self.CASES]

    @unittest.skipUnless(shutil.which("bash"), "no bash here")
    def test_bash(self):
        rc = self.file("rc", f"PS1='READY>'; set +o history; source {COMPLETIONS}/perfshelf.bash\n".encode())
        self.completes(["bash", "--noprofile", "--rcfile", rc, "-i"], cases=self.cases())

    @unittest.skipUnless(shutil.which("zsh"), "no zsh here")
    def test_zsh(self):
        self.file(".zshrc", f"PS1='READY>'; fpath=({COMPLETIONS} $fpath); autoload -Uz compinit; compinit -u -D\n".encode())
        self.environment["ZDOTDIR"] = self.folder
        self.completes(["zsh", "-d", "-i"], cases=self.cases())

    @unittest.skipUnless(shutil.which("fish"), "no fish here")
    def test_fish(self):
        self.completes(["fish", "--private", "--no-config", "--init-command", f"function fish_prompt; echo -n 'READY>'; end; source {COMPLETIONS}/perfshelf.fish"], cases=self.cases())


if __name__ == "__main__":
    unittest.main()
