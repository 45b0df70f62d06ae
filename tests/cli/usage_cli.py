# SPDX-License-Identifier: MIT
"""Wrong usage of each command and option: status 2, one line on stderr, no shelf made."""
import os
import re
import subprocess
import unittest

from program import PROGRAM, ShelfTest, call

# A value that the option cannot have, by its name or by what the help calls its value. Options that take any text, and
# files, are not here: OTHERS names them, so that a new option has to be put into one of the two.
BAD = {"SIZE": "lots", "BYTES": "9xB", "SECONDS": "soon", "N": "0", "RULE": "5/day", "ADDR:PORT": "7794", "ROLE": "boss", "K=V": "novalue",
       "B": "nothing", "+N%": "+5 apples", "WORDS": "shoes", "--server": "example.org", "--store": "folder"}
OTHERS = {"DIR", "FILE", "NAME", "S", "T", "RUNS", "TABLE", "M", "P", "K", "SERIES", "BASELINE", "STORE", "TEXT", "KEY"}
OPERANDS = {"record": ["cprofile", "--", "python3", "-c", "1"], "export": ["@1"], "token": ["add", "a"], "prune": [], "check": ["@1"]}


def commands():
    return re.findall(r"(?m)^  perfshelf ([a-z]+)", call("--help").stdout.decode())


def options_of(verb):
    """{option: what the help calls its value, or None}"""
    text = call(verb, "--help").stdout.decode()
    return {name: value or None for name, value in re.findall(r"(?m)^  (--?[a-z-]+)(?: (\S+))?(?:  +| )\S", text) if name != "--help"}


class Usage(ShelfTest):
    def wrong(self, *args):
        env = {**os.environ, "XDG_DATA_HOME": self.folder, "PERFSHELF_STORE": ""}
        done = call(*args, env=env)
        self.assertEqual((done.returncode, done.stdout), (2, b""), (args, done.stderr))
        self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "perfshelf")), args)

    def test_each_option_of_each_command_with_a_value_it_cannot_have(self):
        tried = set()
        for verb in commands():
            for option, value in options_of(verb).items():
                bad = BAD.get(option, BAD.get(value))
                if value is None or bad is None:
                    self.assertTrue(value is None or value in OTHERS, f"{verb} {option} {value}: is there a value that it cannot have?")
                    continue
                with self.subTest(f"{verb} {option} {bad}"):
                    self.wrong(verb, option, bad, *OPERANDS.get(verb, ["@1", "SELECT 1"][:{"sql": 2, "diff": 2, "list": 0, "verify": 0, "rebuild": 0,
                                                                                       "serve": 0}.get(verb, 1)]))
                tried.add(option)
        self.assertLessEqual({"--listen", "--role", "--rows", "--seconds", "--repeat", "--keep", "--quota", "--queue", "--cache-size", "--budget",
                              "--fail-on", "--redact", "--tag", "--import-memory", "--import-cpu"}, tried)

    def test_each_command_with_an_unknown_option_and_each_option_without_its_value(self):
        for verb in commands():
            self.wrong(verb, "--no-such-option")
            for option, value in options_of(verb).items():
                if value:
                    self.wrong(verb, option)

    def test_operands(self):
        for args in (["export"], ["export", "a", "--new", "b"], ["export", "--base", "a"], ["record", "cprof", "--", "python3", "x.py"], ["token", "add"],
                     ["token", "frob"], ["baseline"], ["prune"], ["check", "@1"], ["copy"], ["serve", "--tls-cert", "x"]):
            with self.subTest(args):
                self.wrong(*args)


class Tokens(ShelfTest):
    def test_a_token_that_nobody_saw_is_revoked(self):
        self.ok("add", self.dump)
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "token", "--data", self.data, "add", "ci"], stdout=full, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"no token ci was added; add it again", done.stderr)
        self.assertEqual(self.json("token", "list"), [])

    def test_revoke_as_json(self):
        self.ok("add", self.dump)
        self.ok("token", "add", "ci")
        self.assertEqual(self.json("token", "revoke", "ci"), {"name": "ci", "revoked": True})


class Folders(ShelfTest):
    def test_an_unreadable_folder_does_not_stop_the_others(self):
        with open(self.log, "rb") as file:
            self.file("many/a.log", file.read())
        deep = os.path.join(self.folder, "many", *["d"] * 70)  # deeper than is followed: cannot be read even by root
        os.makedirs(deep)
        done = self.run_verb("add", os.path.join(self.folder, "many"), "--json")
        self.assertEqual((done.returncode, len(done.stdout.splitlines()), done.stderr.count(b"\n")), (1, 1, 1), done.stderr)
        self.assertIn(b"folders are more than 64 deep", done.stderr)


if __name__ == "__main__":
    unittest.main()
