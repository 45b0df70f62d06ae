# SPDX-License-Identifier: MIT
"""Completion of command lines: what `perfshelf --complete` offers, and what the shells make of it."""
import os
import shutil
import subprocess
import unittest

from program import DEMO, PROGRAM, ROOT, ShelfTest

COMPLETIONS = os.path.join(ROOT, "packaging", "completions")


class Complete(ShelfTest):
    def setUp(self):
        super().setUp()
        self.ok("add", os.path.join(DEMO, "bookshop-slow.prof"), "--name", "shop", "--series", "nightly", "--tag", "host=a", "--tag", "host2=b")
        self.ok("add", os.path.join(DEMO, "events-memory.txt"), "--name", "two words")

    def offered(self, *words):
        """{word: description} for the last of the words, and the requests for paths."""
        said = subprocess.run([PROGRAM, "--complete", *words], capture_output=True, text=True, env={**os.environ, "XDG_DATA_HOME": "/nonexistent"})
        self.assertEqual((said.returncode, said.stderr), (0, ""), words)
        return dict((line.split("\t") + [""])[:2] for line in said.stdout.splitlines())

    def on_shelf(self, command, *words):
        return self.offered(command, "--data", self.data, *words)

    def test_commands(self):
        self.assertEqual(list(self.offered("sh")), ["show"])
        self.assertEqual(len(self.offered("")), 25)
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
        self.assertEqual(list(self.offered("record", "")), ["importtime", "cprofile", "lines", "memory", "torch"])
        self.assertEqual(list(self.offered("record", "cprofile", "--", "")), [":files"])
        self.assertEqual(list(self.offered("add", "a.prof", "")), [":files"])
        self.assertEqual(list(self.offered("list", "--data", "")), [":folders"])
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

    def in_bash(self, *words):
        script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; _perfshelf; printf "%s\\n" "${COMPREPLY[@]}"'
        return subprocess.run(["bash", "-c", script, "bash", os.path.join(COMPLETIONS, "perfshelf.bash"), PROGRAM, *words], capture_output=True, text=True, check=True, cwd=self.data).stdout.splitlines()

    def test_bash(self):
        self.assertEqual(self.in_bash("sh"), ["show"])
        self.assertEqual(self.in_bash("show", "--data", self.data, "tw"), ["two\\ words"])
        self.assertIn("catalog.db", self.in_bash("add", "cata"))

    @unittest.skipUnless(shutil.which("fish"), "no fish here")
    def test_fish(self):
        script = f'set -x PATH {os.path.dirname(PROGRAM)} $PATH; source {COMPLETIONS}/perfshelf.fish; complete -C "perfshelf show --data {self.data} sh"'
        said = subprocess.run(["fish", "-c", script], capture_output=True, text=True, check=True).stdout
        self.assertRegex(said, r"(?m)^shop\tpstats 1\.599 s")

    @unittest.skipUnless(shutil.which("zsh"), "no zsh here")
    def test_zsh_parses(self):
        subprocess.run(["zsh", "-n", os.path.join(COMPLETIONS, "_perfshelf")], check=True)


if __name__ == "__main__":
    unittest.main()
