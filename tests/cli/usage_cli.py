# SPDX-License-Identifier: MIT
"""The help, wrong usage of each command and option (status 2, one line on stderr, no shelf made), and what is suggested then."""
import os
import re
import shlex
import subprocess
import tempfile
import unittest

from program import PROGRAM, ROOT, ShelfTest, call, dump_of, fibonacci

# A value that the option cannot have, by its name or by what the help calls its value. Options that take any text, and
# files, are not here: OTHERS names them, so that a new option has to be put into one of the two.
BAD = {"SIZE": "lots", "SECONDS": "soon", "N": "0", "RULE": "5/day", "ADDR:PORT": "7794", "ROLE": "boss", "PER": "week", "KEY=VALUE": "novalue",
       "BUDGET": "nothing", "GROWTH": "+5 apples", "FACTS": "cpu,colour", "URL": "example.org", "CATEGORIES": "shoes", "--server": "example.org", "--store": "folder"}
OTHERS = {"COMMAND", "COMMIT", "RECORDER", "DIR", "FILE", "NAME", "TOKEN", "RUNS", "TABLE", "METRIC", "PLACE", "KEY", "SERIES", "BASELINE", "STORE", "TEXT", "LIMITS"}
OPERANDS = {"record": ["cprofile", "--", "python3", "-c", "1"], "export": ["@1"], "token": ["add", "a"], "prune": [], "check": ["@1"]}
GROUPS = ["Record and add", "Look", "Compare and check", "Share", "Operate"]


def help_of(*words):
    done = call("help", *words)
    assert (done.returncode, done.stderr) == (0, b""), done
    return done.stdout.decode()


def commands():
    return re.findall(r"(?m)^  ([a-z]+) +\S", help_of())


def section(text, title):
    """The lines below a title of a help."""
    return re.search(rf"(?m)^{title}:\n((?:  .*\n)+)", text)


def options_of(command):
    """{option: what the help calls its value, or None}"""
    text = "".join(found[1] for found in (section(help_of(command), title) for title in ("Options", "Shelf options")) if found)
    return {name: value or None for name, value in re.findall(r"(?m)^  (--?[a-z-]+)(?: (\S+))?(?:  +\S|\n)", text) if name != "--help"}


def examples_of(command):
    return section(help_of(command), "Examples")[1].splitlines()


class Help(unittest.TestCase):
    maxDiff = 2000

    def test_the_commands_fit_on_one_screen(self):
        lines = help_of().splitlines()
        self.assertLessEqual(len(lines), 48)
        self.assertLessEqual(max(map(len, lines)), 80)

    def test_each_command_is_in_one_group(self):
        text = help_of()
        parts = re.split(r"(?m)^(" + "|".join(GROUPS) + r")\n", text)
        self.assertEqual(parts[1::2], GROUPS)
        self.assertEqual(len(commands()), len(set(commands())))
        with open(os.path.join(ROOT, "server", "main.c"), encoding="utf-8") as file:
            run = set(re.findall(r"case PS_COMMAND_([A-Z]+):", file.read())) - {"NONE"}
        self.assertEqual({command.upper() for command in commands()}, run)
        for command in commands():
            self.assertEqual(len(re.findall(rf"(?m)^  {command}  +[a-z]", "".join(parts[2::2]))), 1, command)

    def test_all_spellings_print_the_same(self):
        for words in (["--help"], ["-h"], ["help", "help"], ["help", "--help"]):
            self.assertEqual(call(*words).stdout.decode(), help_of(), words)
        for command in commands():
            for words in ([command, "--help"], [command, "-h"], ["--help", command]):
                done = call(*words)
                self.assertEqual((done.returncode, done.stdout.decode()), (0, help_of(command)), words)

    def test_without_a_command_the_help_is_on_stderr(self):
        done = call()
        self.assertEqual((done.returncode, done.stdout, done.stderr.decode()), (2, b"", help_of()))

    def test_each_command_has_all_parts(self):
        for command in commands():
            text = help_of(command)
            with self.subTest(command):
                self.assertLessEqual(max(map(len, text.splitlines())), 90)
                self.assertRegex(text, rf"^[A-Z].*\.\n\nUsage: perfshelf {command}\b")
                for title in ("Options", "Examples"):
                    self.assertTrue(section(text, title), title)
                self.assertNotRegex(text, r"(?m) $|\t|\n\n\n|  perfshelf .*--help")
                self.assertTrue(1 <= len(examples_of(command)) <= 4)

    def test_each_option_that_a_command_takes_is_in_its_help(self):
        with open(os.path.join(ROOT, "server", "cli", "options", "command_options.c"), encoding="utf-8") as file:
            known = dict(re.findall(r'\{"(--?[a-z-]+)", ("[^"]+"|NULL)', file.read()))
        self.assertEqual(set(known), {option for command in commands() for option in options_of(command)})
        words = {option: [option] if value == "NULL" else [option, "k=v"] for option, value in known.items()}
        lacking = {}  # option: a command that has it not
        for command in commands():
            shown = options_of(command)
            done = call(command, *(word for option in shown for word in words[option]), "--help")
            self.assertEqual(done.returncode, 0, (command, done.stderr))
            lacking.update((option, command) for option in known if option not in shown)
        self.assertEqual(set(lacking), set(known))
        for option, command in lacking.items():
            self.assertEqual(call(command, *words[option], "--help").returncode, 2, (command, option))

    def test_the_examples_are_right_usage(self):
        env = {**os.environ, "XDG_DATA_HOME": "/nowhere"}
        for command in commands():
            for example in examples_of(command):
                words = shlex.split(example)
                with self.subTest(example):
                    self.assertEqual(words[0], "perfshelf")
                    at = words.index("--") if "--" in words else len(words)
                    done = call(*words[1:at], "--help", *words[at:], env=env)
                    self.assertEqual((done.returncode, done.stdout.decode()), (0, help_of(words[1])), done.stderr)
                    if words[1] in ("add", "bisect", "config", "copy", "demo", "formats", "open", "record", "serve") or "--server" in words:
                        continue
                    done = call(*words[1:], *([] if "--data" in words else ["--data", "/nowhere"]), env=env)
                    self.assertIn(b"no shelf", done.stderr)


class Suggestions(unittest.TestCase):
    def stderr(self, *words):
        # in a folder without files: a word that names a file, such as the folder compare/ here, is opened
        with tempfile.TemporaryDirectory() as folder:
            done = call(*words, env={**os.environ, "XDG_DATA_HOME": "/nowhere"}, cwd=folder)
        self.assertEqual((done.returncode, done.stdout), (2, b""), words)
        return done.stderr.decode()

    def test_commands(self):
        for typed, meant in (("lst", "list"), ("shwo", "show"), ("trned", "trend"), ("verfy", "verify"), ("remove", "rm"), ("compare", "diff")):
            for words in ([typed], ["help", typed]):
                self.assertEqual(self.stderr(*words), f"perfshelf: unknown command '{typed}'; did you mean `perfshelf {meant}`? "
                                                      "`perfshelf help` lists the commands\n")
        for typed in ("xyzzy", "nonsense", "q", ""):
            self.assertNotIn("did you mean", self.stderr(typed))

    def test_options(self):
        for command, typed, meant in (("list", "--jsno", "--json"), ("list", "-json", "--json"), ("serve", "--liste=x", "--listen"),
                                      ("diff", "--metrics", "--metric"), ("prune", "--dryrun", "--dry-run"), ("add", "--hepl", "--help")):
            self.assertIn(f"unknown option {typed.split('=')[0]}; did you mean {meant}? See `perfshelf help {command}`", self.stderr(command, typed))
        for words in (["list", "--nonsense"], ["list", "-x"], ["list", "--listne"]):
            self.assertNotIn("did you mean", self.stderr(*words))

    def test_options_of_other_programs(self):
        for words, meant in ((["serve", "--port", "80"], "--listen"), (["serve", "-p", "80"], "--listen"), (["show", "@1", "--top", "5"], "--rows"),
                             (["export", "@1", "--output", "f"], "-o"), (["check", "@1", "--base", "@2"], "--against"), (["list", "--dir", "d"], "--data")):
            self.assertIn(f"did you mean {meant}?", self.stderr(*words))

    def test_addresses_of_serve(self):
        for host, listen in (("0.0.0.0", "0.0.0.0:7700"), ("192.168.1.5:80", "192.168.1.5:80"), ("[::]", "[::]:7700"), ("shelf.lan:80", "shelf.lan:80")):
            self.assertIn(f"invalid value '{host}' for --host: not a host name; --listen {listen} serves at an address", self.stderr("serve", "--host", host))
        self.assertNotIn("--host", self.stderr("serve", "--host", "192.168.1.5", "--proxy", "--nonsense"))
        for word, listen in (("8000", "127.0.0.1:8000"), ("0.0.0.0", "0.0.0.0:7700"), ("0.0.0.0:80", "0.0.0.0:80")):
            self.assertIn(f"perfshelf: serve: {word}: no such file; did you mean --listen {listen}?", self.stderr("serve", word))

    def test_options_of_other_commands(self):
        self.assertIn("it is an option of sql; see `perfshelf help list`", self.stderr("list", "--csv"))
        self.assertIn("it is an option of show and sql; see", self.stderr("list", "--rows", "3"))
        self.assertRegex(self.stderr("serve", "--json"), r"it is an option of record, add, list and \d+ more; see")


    def test_values(self):
        for words, meant in ((["record", "cprofil", "--", "python3"], "did you mean cprofile?"), (["token", "add", "a", "--role", "amdin"], "did you mean admin?"),
                             (["export", "@1", "--redact", "hosts,poeple"], "did you mean people?"), (["token", "revok", "a"], "did you mean `perfshelf token revoke`?")):
            self.assertIn(meant, self.stderr(*words))
        for words, meant in ((["record", "xyzzy", "--", "python3"], "the recorders are"), (["token", "add", "a", "--role", "xyzzy"], "the roles are"),
                             (["token", "frob"], "usage: perfshelf token add NAME")):
            said = self.stderr(*words)
            self.assertIn(meant, said)
            self.assertNotIn("did you mean", said)


class Words(ShelfTest):
    """Lines that commands print: the nearest table and metric, and plurals."""
    def test_tables_and_metrics(self):
        self.ok("add", self.log)
        self.assertIn("no table 'import'; did you mean imports? Available tables: imports, packages", self.fails("diff", "@1", "@1", "--of", "import"))
        self.assertIn("no metric 'selfus'; did you mean self_us? Available metrics: ", self.fails("show", "@1", "--metric", "selfus"))
        self.assertNotIn("did you mean", self.fails("show", "@1", "--of", "xyzzy"))

    def test_metrics_without_their_unit(self):
        self.ok("add", self.dump)
        self.assertEqual(self.ok("show", "@1", "--sort", "cumtime").replace("by cumtime\n", "by cumtime_s\n"), self.ok("show", "@1", "--sort", "cumtime_s"))
        self.assertEqual(self.ok("show", "@1", "--metric", "cumtime"), self.ok("show", "@1", "--metric", "cumtime_s"))
        self.assertIn("cumtime", self.ok("show", "@1", "--sort", "cumtime", "--markdown"))
        self.assertIn("no metric 'cum'", self.fails("show", "@1", "--metric", "cum"))

    def test_a_limit_without_a_unit(self):
        self.ok("add", self.dump)
        self.ok("add", self.other_dump())
        self.assertIn("--fail-on +20: the unit is missing; write +20% or, since the headline is measured in s, +20s",
                      self.fails("check", "@1", "--against", "@2", "--fail-on", "+20", status=2))

    def other_dump(self):
        return dump_of(lambda: fibonacci(5), os.path.join(self.folder, "other.prof"))

    def test_a_file_in_place_of_a_run(self):
        """Newcomers compare files."""
        self.ok("add", self.dump)
        other = self.other_dump()
        for words in (["show", other], ["show", other, "--markdown"], ["diff", self.dump, other], ["check", "@1", "--against", other], ["sql", other, "SELECT 1"], ["whatif", other], ["export", other]):
            self.assertRegex(self.fails(*words), r"no run /.*\.prof on this shelf; it is a file: add it with `perfshelf add`, then use the id that is printed$")
        self.assertIn("`perfshelf list` shows the runs", self.fails("show", other + "x"))

    def test_a_mistyped_name(self):
        self.ok("add", self.dump, "--name", "nightly")
        for word in ("NIGHTLY", "nihgtly", "nightl"):
            self.assertIn(f"no run {word} on this shelf; did you mean 'nightly'? `perfshelf list` shows the runs", self.fails("show", word))
        self.assertNotIn("did you mean", self.fails("show", "something else"))

    def test_a_profile_that_is_on_the_shelf(self):
        self.ok("add", self.dump)
        self.ok("add", self.other_dump())
        said = self.ok("add", self.dump)
        self.assertIn(f", already on the shelf: `perfshelf show {said[:16]}`)\n", said)

    def test_plurals(self):
        backup, other = (os.path.join(self.folder, name) for name in ("backup", "other"))
        for count, profile in (("1 run", self.log), ("2 runs", self.dump)):
            self.ok("add", profile, "--series", "s", "--tag", "k=v")
            self.assertRegex(self.ok("verify"), rf"^{count}, \d+ files, .*: no problem found\n$")
            self.assertRegex(self.ok("backup", backup), rf"^{count} in the backup: ")
            self.assertRegex(call("copy", "--from", self.data, "--to", other).stdout.decode(), r"^1 run copied \(2 files, ")
        self.assertRegex(self.ok("trend", "s"), r"left out +1 run: ")
        self.ok("rm", "@1", "@2")
        self.assertRegex(self.ok("verify"), r"^0 runs, ")


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
        self.assertIn(b"token ci was not added: it could not be printed; run the command again", done.stderr)
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
        self.assertIn(b"folders are nested more than 64 deep", done.stderr)


if __name__ == "__main__":
    unittest.main()
