# SPDX-License-Identifier: MIT
"""perfshelf record ab and record time: pairs on the shelf, their statistics in check and diff, failures that leave no half pair."""
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
import unittest

from program import PROGRAM, ShelfTest, call

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "http"))
from wait import wait_until  # noqa: E402

PYTHON = os.path.realpath(sys.executable)
SLEEPS = b"import sys, time\nprint('noise')\ntime.sleep(float(sys.argv[1]))\n"
FAST, SLOW = "sleep 0.02", "sleep 0.5"  # far apart: machines that run the tests are busy


class AbTest(ShelfTest):
    def path(self, name):
        return os.path.join(self.folder, name)

    def ab(self, *args, status=0, **options):
        done = self.run_verb("record", "ab", *args, **options)
        self.assertEqual(done.returncode, status, done.stderr.decode())
        return done

    def listed(self):
        done = self.run_verb("list", "--json")
        return json.loads(done.stdout) if done.returncode == 0 else []  # else nothing has created the shelf

    def runs(self, series):
        return [run for run in self.listed() if run["series"] == series]


class Pairs(AbTest):
    def test_two_series_with_tags(self):
        done = self.ab("--base", FAST, "--new", SLOW, "--pairs", "8", "--series", "nap", "--tag", "why=test", "--json")
        answer = json.loads(done.stdout)
        base, new = self.runs("nap/base"), self.runs("nap/new")
        self.assertEqual((len(base), len(new)), (8, 8))
        self.assertEqual(sorted(int(run["tags"]["pair"]) for run in base), list(range(1, 9)))
        self.assertEqual(len({run["tags"]["ab"] for run in base + new}), 1)
        self.assertEqual({run["tags"]["command"] for run in new}, {SLOW})
        self.assertEqual({run["tags"]["why"] for run in new}, {"test"})
        firsts = {(run["tags"]["pair"], side) for side, runs in (("base", base), ("new", new)) for run in runs if run["tags"]["order"] == "first"}
        self.assertEqual(sum(side == "base" for _, side in firsts), 4)
        self.assertEqual(len(firsts), 8)
        headline = answer["headline"]
        self.assertEqual((headline["label"], headline["verdict"], headline["pairs"]["n"], headline["no_pairs"]), ("real", "up", 8, None))
        self.assertGreater(headline["pairs"]["low_pct"], 100)
        self.assertEqual(headline["p"], 2 / 256)
        lines = done.stderr.decode().splitlines()
        self.assertEqual(lines[0], "8 pairs, 1 before for warm-up, order by seed 1")
        self.assertEqual(len([line for line in lines if re.match(r"pair \d of 8: base .*s, new .*s \(\+", line)]), 8)
        self.assertIn("slower: real ", self.ok("diff", "series:nap/base", "series:nap/new"))
        self.assertIn("8 pairs: 95 % interval +", self.ok("diff", "series:nap/base", "series:nap/new"))
        table = self.ok("diff", "series:nap/base", "series:nap/new")
        self.assertNotIn("removed", table)

    def test_fail_on(self):
        args = ("--base", FAST, "--new", SLOW, "--pairs", "8", "--warmup", "0")
        done = self.ab(*args, "--fail-on", "+5%", status=1)
        self.assertRegex(done.stdout.decode(), r"^over    real .*, significant\n")
        self.assertIn(b"8 pairs, 0 before", done.stderr)
        self.ab(*args, "--fail-on", "+5000%")
        markdown = self.ab(*args, "--markdown").stdout.decode()
        self.assertIn("### perfshelf: 1 of 1 over the limit", markdown)
        self.assertIn("| **over** | real |", markdown)
        self.assertRegex(markdown, r"signed rank test p = 0\.00")

    def test_order_follows_the_seed(self):
        def order(series, seed):
            self.ab("--base", "true", "--new", "true", "--pairs", "8", "--warmup", "0", "--series", series, "--seed", seed)
            return [run["tags"]["order"] for run in sorted(self.runs(f"{series}/base"), key=lambda run: int(run["tags"]["pair"]))]
        first = order("a", "1")
        self.assertEqual(order("b", "1"), first)
        self.assertNotEqual(order("c", "2"), first)
        for pair in range(0, 8, 2):
            self.assertEqual({first[pair], first[pair + 1]}, {"first", "second"})

    def test_folders_commands_and_output(self):
        for side, text in (("one dir", "import sys; sys.stderr.write('from base ' + sys.argv[1])"), ("two dir", "print('from new')")):
            os.makedirs(self.path(side), exist_ok=True)
            self.file(f"{side}/app.py", text.encode())
        args = ("--base", f"{PYTHON} app.py 'a  b'\"$HOME\"\\ c", "--new", f"{PYTHON} ./app.py", "--base-dir", self.path("one dir"),
                "--new-dir", self.path("two dir"), "--pairs", "1", "--warmup", "0")
        done = self.ab(*args)
        self.assertNotIn(b"from base", done.stdout + done.stderr)
        done = self.ab(*args, "--show-output")
        self.assertIn(b"from base a  b$HOME c", done.stderr)
        self.assertIn(b"from new", done.stderr)
        self.assertNotIn(b"from new", done.stdout)

    def test_a_relative_shelf(self):
        os.makedirs(self.path("side"))
        done = call("record", "ab", "--base", "true", "--new", "true", "--new-dir", "side", "--pairs", "1", "--data", "my shelf", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.data = self.path("my shelf")
        self.assertEqual(len(self.listed()), 2)

    def test_other_recorders(self):
        app = self.file("app.py", b"def work(n):\n    return sum(range(n))\nwork(1000)\n")
        done = self.ab("--base", f"{PYTHON} {app}", "--new", f"{PYTHON} {app}", "--pairs", "1", "--recorder", "cprofile", "--series", "c")
        self.assertEqual({run["kind"] for run in self.runs("c/new")}, {"pstats"})
        self.assertIn(b"One run each", done.stdout)
        self.ab("--base", f"{PYTHON} {app}", "--new", f"{PYTHON} {app}", "--pairs", "1", "--recorder", "importtime", "--series", "i")
        self.assertEqual({run["kind"] for run in self.runs("i/base")}, {"importtime"})


class Failures(AbTest):
    def test_wrong_usage(self):
        for args, text in (
                (("--base", "true"), "missing --new"),
                (("--base", "echo 'a", "--new", "true"), "--base: a quote is not closed: 'a"),
                (("--base", "true", "--new", ""), "--new: there is no command in it"),
                (("--base", "true", "--new", "true \\"), "quotes nothing"),
                (("--base", "true", "--new", "true", "--pairs", "0"), "--pairs"),
                (("--base", "true", "--new", "true", "--pairs", "201"), "--pairs"),
                (("--base", "true", "--new", "true", "--fail-on", "fast"), "--fail-on"),
                (("--base", "true", "--new", "true", "--repeat", "3"), "use --pairs"),
                (("--base", "true", "--new", "true", "--tag", "pair=1"), "--tag pair"),
                (("--base", "true", "--new", "true", "--recorder", "stopwatch"), "unknown recorder"),
                (("--base", "true", "--new", "true", "true"), "unexpected argument 'true'")):
            with self.subTest(text):
                self.assertIn(text, self.ab(*args, status=2).stderr.decode())
        self.assertIn("option of `perfshelf record ab`", self.fails("record", "time", "--pairs", "3", "--", "true", status=2))
        done = self.ab("--base", "true", "--new", "true", "--base-dir", self.path("none"), status=1)
        self.assertIn(f"cannot open the folder {self.path('none')}", done.stderr.decode())
        self.assertEqual(self.listed(), [])

    def test_no_such_program(self):
        done = self.ab("--base", "true", "--new", "no-such-program-here", status=1)
        self.assertIn(b"--new: cannot find the program 'no-such-program-here'", done.stderr)
        script = self.file("text", b"#!/no/such/interpreter\n")
        os.chmod(script, 0o755)
        done = self.ab("--base", "true", "--new", script, "--warmup", "0", status=1)
        self.assertIn(b"new of pair 1 of 10: cannot run", done.stderr)
        self.assertEqual(self.listed(), [])

    def test_a_command_that_fails_stops_it(self):
        count = self.path("count")
        app = self.file("app.py", f"import sys\nopen({count!r}, 'a').write('x')\nsys.exit(7 if len(open({count!r}).read()) == 4 else 0)\n".encode())
        done = self.ab("--base", "true", "--new", f"{PYTHON} {app}", "--series", "f", status=7)
        self.assertIn(b"note: the command exited with status 7; this pair is not on the shelf; --show-output shows its output", done.stderr)
        self.assertIn(b"record ab: new of pair 3 of 10", done.stderr)
        self.assertIn(b"2 complete pairs on the shelf, series f/base and f/new", done.stderr)
        self.assertEqual((len(self.runs("f/base")), len(self.runs("f/new"))), (2, 2))

    def test_a_command_that_is_killed(self):
        app = self.file("app.py", b"import os\nos.kill(os.getpid(), 9)\n")
        done = self.ab("--base", f"{PYTHON} {app}", "--new", "true", "--warmup", "0", status=137)
        self.assertIn(b"killed by signal 9", done.stderr)

    def test_recordings_that_cannot_be_added_are_kept(self):
        spare = self.path("spare")
        os.mkdir(spare)
        script = self.file("loses.py", f"import os\nos.rename({self.data!r}, {self.data!r} + '.gone')\n".encode())
        done = self.ab("--base", FAST, "--new", f"{PYTHON} {script}", "--pairs", "1", "--warmup", "0", status=1, env={**os.environ, "TMPDIR": spare})
        kept = sorted(os.path.join(folder, name) for folder, _, names in os.walk(spare) for name in names)
        self.assertEqual(len(kept), 2, done.stderr)
        for path in kept:
            self.assertIn(f"perfshelf: {path}: note: the recording is kept in this file; `perfshelf add` adds it\n", done.stderr.decode())
            self.ok("add", path)

    def test_an_interrupt_leaves_complete_pairs(self):
        with subprocess.Popen([PROGRAM, "record", "ab", "--data", self.data, "--base", FAST, "--new", "sleep 0.3", "--pairs", "100", "--warmup", "0", "--series", "s"],
                              stderr=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
                              preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as process:
            wait_until(lambda: len(self.listed()) >= 4, 60, "two pairs on the shelf")
            time.sleep(0.1)
            os.killpg(process.pid, signal.SIGINT)
            _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertRegex(err.decode(), r"interrupted; \d+ complete pairs? on the shelf")
        pairs = [{run["tags"]["pair"] for run in self.runs(f"s/{side}")} for side in ("base", "new")]
        self.assertEqual(*pairs)
        self.assertGreaterEqual(len(pairs[0]), 2)


class Check(AbTest):
    """On reports of time that are written here, so that every number is known."""

    def add(self, series, pair, seconds, ab="20260101T000000Z-1", cpu=None):
        self.n = getattr(self, "n", 0) + 1  # no two runs have the same bytes
        text = (f'\tCommand being timed: "app"\n\tUser time (seconds): {cpu or seconds / 2:.6f}\n\tSystem time (seconds): 0.000000\n'
                f"\tElapsed (wall clock) time (h:mm:ss or m:ss): 0:{seconds:012.9f}\n\tSwaps: {self.n}\n\tExit status: 0\n")
        tags = ("--tag", f"ab={ab}", "--tag", f"pair={pair}") if pair else ()
        return self.json("add", self.file(f"{self.n}.txt", text.encode()), "--series", series, *tags)["id"]

    def add_pairs(self, changes, machine=lambda i: 1 + 0.2 * i, **more):
        for i, change in enumerate(changes):
            self.add("x/base", i + 1, machine(i), **more)
            self.add("x/new", i + 1, machine(i) * (1 + change), **more)

    def check(self, *args, status):
        done = self.run_verb("check", "series:x/new", "--against", "series:x/base", *args)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout.decode()

    def test_pairs_see_what_groups_do_not(self):
        # the machine becomes three times slower meanwhile
        self.add_pairs([0.100 + 0.001 * (i % 3) for i in range(10)])
        text = self.check("--fail-on", "+5%", status=1)
        self.assertRegex(text, r"^over    real .*  \+10\.\d %, significant\n")
        self.assertIn("10 pairs: 95 % interval +10.", text)
        self.assertIn("base drifted: ", text)
        self.assertIn("slower at the end (Mann-Kendall test p < 0.0001)", text)
        # without the tags of a single run the groups are compared, and the drift hides the change
        self.add("x/new", None, 3.0)
        text = self.check("--fail-on", "+5%", status=0)
        self.assertIn("within noise", text)
        self.assertIn("compared as groups, not pair by pair: 1 of the 21 runs are not of a pair", text)

    def test_why_not_in_pairs(self):
        for i in range(8):
            self.add("x/base", i + 1, 1 + i / 100)
            self.add("x/new", i + 2, 1 + i / 100 + 0.001)
        self.assertIn("has no counterpart in the other group", self.check(status=0))
        for i in range(3):
            self.add("y/base", i + 1, 1 + i / 100)
            self.add("y/new", i + 1, 1 + i / 100 + 0.001)
        self.assertIn("3 of the 8 pairs that a test needs", self.ok("check", "series:y/new", "--against", "series:y/base"))

    def test_noise_and_modes(self):
        changes = [-0.3, 0.31, -0.25, 0.28, 0.3, -0.29, 0.26, -0.3, 0.27, -0.28]
        for i, change in enumerate(changes):
            self.add("x/base", i + 1, 0.5 + (0.2 if i in (1, 4, 7) else 0) + i * 1e-4)
            self.add("x/new", i + 1, 0.5 * (1 + change))
        text = self.check("--fail-on", "+3%", status=0)
        self.assertRegex(text, r"noise of this machine is ±\d+ %: a change below that cannot be seen with 10 pairs; more than 200 pairs would be needed to find "
                               r"one of 3 %")
        self.assertIn("base has two modes: 500.5 ms (pairs 1, 3, 4, 6, 7, 9, 10) and 700.4 ms (pairs 2, 5, 8)", text)
        answer = json.loads(self.check("--json", status=0))["headline"]
        self.assertEqual(answer["pairs"]["modes"]["base"]["high"]["pairs"], [2, 5, 8])
        self.assertIsNone(answer["pairs"]["drift"]["base"])

    def test_another_metric(self):
        for i in range(8):
            self.add("x/base", i + 1, 1 + i / 1000, cpu=0.5 + i / 1000)
            self.add("x/new", i + 1, 1 + i / 1000, cpu=0.6 + i / 1000)
        self.check("--fail-on", "+5%", status=0)
        text = self.check("--fail-on", "+5%", "--metric", "cpu_s", status=1)
        self.assertRegex(text, r"^over    cpu_s  603\.5 ms  baseline 503\.5 ms  \+19\.\d %, significant\n")
        self.assertIn("has no metric gpu_s", self.fails("check", "series:x/new", "--against", "series:x/base", "--metric", "gpu_s", status=2))

    def test_two_recordings_in_one_series(self):
        self.add_pairs([0.09] * 4, ab="20260101T000000Z-1")
        self.add_pairs([0.09] * 4, machine=lambda i: 2 + i, ab="20260102T000000Z-1")
        self.assertIn("8 pairs: 95 % interval +9.0 % to +9.0 %", self.check(status=0))

    def test_markdown_notifies_nobody(self):
        self.add("x/base", None, 1.0)
        run = self.add("x/new", None, 2.0)
        text = self.ok_with_status(1, "check", run, "--against", "series:x/base", "--markdown")
        self.assertIn("| **over** | real |", text)
        log = self.file("hostile.log", b"import time: self [us] | cumulative | imported package\n"
                        b"import time:       100 |        100 | @team/<b>[x](https://e.org)|`~~$a$#12!3\n")
        slow = self.file("slow.log", b"import time: self [us] | cumulative | imported package\n"
                         b"import time:       900 |        900 | @team/<b>[x](https://e.org)|`~~$a$#12!3\n")
        base, new = self.json("add", log)["id"], self.json("add", slow)["id"]
        text = self.ok_with_status(1, "check", new, "--against", base, "--markdown")
        self.assertIn("@\u200bteam/\\<b\\>\\[x\\](https:\u200b//e.org)\\|\\`\\~", text)
        self.assertIn("#\u200b12!\u200b3", text)

    def ok_with_status(self, status, *args):
        done = self.run_verb(*args)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout.decode()


class Time(ShelfTest):
    def test_any_program(self):
        done = self.run_verb("record", "time", "--", "sh", "-c", "echo out; sleep 0.2; exit 3")
        self.assertEqual(done.returncode, 3)
        self.assertTrue(done.stdout.startswith(b"out\n"))
        run = self.json("show", "@1")
        self.assertEqual((run["kind"], run["headline"]["label"]), ("time", "real"))
        self.assertTrue(0.2 <= run["headline"]["value"] < 30, run["headline"])

    def test_numbers_are_those_of_the_kernel(self):
        """Children count; a process that is not large has no maximum, since Linux counts that of perfshelf."""
        work = "import os, sys\nif not os.fork():\n    sum(i * i for i in range(3000000))\n    os._exit(0)\nos.wait()\nx = bytearray(100 << 20)\n"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.run_verb("record", "time", "--", PYTHON, "-c", work)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        rows = {row["name"]: row["value"] for row in self.rows("@1")}
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.assertTrue(0.05 < rows["user"] + rows["sys"] <= cpu, (rows, cpu))
        self.assertTrue(100 << 10 < rows["max RSS"] < 200 << 10, rows)
        self.run_verb("record", "time", "--", "true")
        self.assertNotIn("max RSS", {row["name"] for row in self.rows("@1")})

    def rows(self, run):
        return self.json("sql", run, "SELECT name, value FROM measurements")


if __name__ == "__main__":
    unittest.main()
