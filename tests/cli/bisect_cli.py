# SPDX-License-Identifier: MIT
"""perfshelf bisect: planted changes in repositories of 20 commits, commits that cannot be measured, and what it leaves behind."""
import json
import os
import re
import signal
import subprocess
import sys
import unittest

from program import PROGRAM, ShelfTest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from long import long_test  # noqa: E402
from wait import wait_until  # noqa: E402

PYTHON = os.path.realpath(sys.executable)
IDENTITY = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"))}
# Writes results with a noise of 5 %, which depends on nothing but the number of the call.
BENCH = """import json, os, random, sys
count = {count!r}
n = int(open(count).read()) if os.path.exists(count) else 0
open(count, "w").write(str(n + 1))
cost = {cost}
noise = random.Random(n).gauss
def row(name, cost):
    times = sorted(cost * (1 + noise(0, 0.05)) for _ in range(5))
    return {{"command": name, "mean": sum(times) / 5, "stddev": 0.1, "median": times[2], "user": 1.0, "system": 1.0, "min": times[0], "max": times[-1],
            "times": times, "exit_codes": [0] * 5}}
json.dump({{"results": [row("other", 1.0), row("sort", cost)]}}, open("out.json", "w"))
"""
# Work that is counted in CPU time, so that other programs of the machine hardly matter.
WORK = "n = 0\nfor i in range({loops}):\n    n += i\n"


class BisectTest(ShelfTest):
    def setUp(self):
        super().setUp()
        self.repository = os.path.join(self.folder, "repository")
        self.temporary = os.path.join(self.folder, "temporary")
        os.makedirs(self.repository)
        os.makedirs(self.temporary)
        self.environment = {**os.environ, **IDENTITY, "TMPDIR": self.temporary, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
        self.git("init", "-q")

    def git(self, *words, folder=None):
        done = subprocess.run(["git", "-C", folder or self.repository, *words], env=self.environment, capture_output=True, check=True)
        return done.stdout.decode().strip()

    def commit(self, subject, **files):
        """Commits files of these names, of which _ stands for a dot."""
        for name, text in files.items():
            with open(os.path.join(self.repository, name.replace("_", ".")), "w", encoding="utf-8") as file:
                file.write(text)
        self.git("add", ".")
        self.git("commit", "-q", "-m", subject)
        return self.git("rev-parse", "HEAD")

    def history(self, write, n=20):
        """The ids of n commits; write(i) returns the files of commit i, from 1."""
        return [self.commit(f"commit {i}", number_txt=str(i), **write(i)) for i in range(1, n + 1)]

    def benches(self, cost):
        count = os.path.join(self.folder, "count")
        return self.history(lambda i: {"bench_py": BENCH.format(cost=cost(i), count=count)})

    def bisect(self, *args, status=0, command=(PYTHON, "-S", "-E", "bench.py"), folder=None):
        done = subprocess.run([PROGRAM, "bisect", "--data", self.data, *args, "--", *command], cwd=folder or self.repository, env=self.environment,
                              capture_output=True, timeout=300)
        self.assertEqual(done.returncode, status, done.stderr.decode())
        self.assert_clean()
        return done

    def sort(self, *args, **options):
        return self.bisect("app", "wall clock: sort", "--file", "out.json", "--warmup", "0", *args, **options)

    def fails_with(self, *args, status=1, **options):
        """The last line of a failure. No other line of it may be one."""
        lines = [line for line in self.bisect(*args, status=status, **options).stderr.decode().splitlines() if line.startswith("perfshelf: ")]
        failures = [line for line in lines if ": note: " not in line]
        self.assertEqual(len(failures), 1, lines)
        return failures[0]

    def assert_clean(self):
        """Neither worktrees nor references nor files are left, and the checkout is what it was."""
        self.assertEqual(len(self.git("worktree", "list").splitlines()), 1)
        self.assertEqual(self.git("for-each-ref", "refs/bisect", "refs/worktree"), "")
        self.assertEqual(os.listdir(self.temporary), [])
        self.assertEqual(self.git("status", "--porcelain"), "")


class Found(BisectTest):
    def test_work_of_the_processor(self):
        commits = self.history(lambda i: {"work_py": WORK.format(loops=900_000 if i >= 13 else 300_000)})
        done = self.bisect("app", "user", "--good", commits[0], "--bad", "HEAD", command=(PYTHON, "-S", "-E", "work.py"))
        text, progress = done.stdout.decode(), done.stderr.decode()
        self.assertTrue(text.startswith(f"{commits[12]} is the first commit with the change\n  commit 13\n  Ada, "), text)
        self.assertRegex(text, r"\nover its parent: user .* ms → .* ms, pair by pair \+\d+\.\d %; 10 pairs: 95 % interval \+")
        wrong = float(re.search(r"\nprobability that a verdict of the search is wrong: (.*) % \(\d steps\)\n", text)[1])
        self.assertLessEqual(wrong, 1)
        self.assertGreater(wrong, 0)
        self.assertRegex(progress, r"\n19 commits, about 5 steps, at most 30 pairs each\nstep 1: ")
        runs = json.loads(self.ok("list", "--json"))
        self.assertEqual({run["series"] for run in runs}, {"app/bisect"})
        self.assertEqual(len({run["tags"]["bisect"] for run in runs}), 1)
        self.assertLessEqual({run["tags"]["commit"] for run in runs}, set(commits))
        self.assertIn(commits[12], {run["tags"]["commit"] for run in runs})
        # the pairs of the commit and its parent are compared as pairs
        last = max(run["tags"]["ab"] for run in runs if run["tags"]["commit"] == commits[12])
        sides = [",".join(run["id"] for run in runs if run["tags"]["ab"] == last and run["tags"]["commit"] == commits[i]) for i in (11, 12)]
        self.assertIn("10 pairs: 95 % interval +", self.ok("diff", *sides))

    def test_rows_of_a_file_and_json(self):
        commits = self.benches(lambda i: 2.0 if i >= 7 else 1.0)
        answer = json.loads(self.sort("--good", commits[0], "--bad", "HEAD", "--json", "--tag", "why=test").stdout)
        self.assertEqual((answer["commit"], answer["candidate"], answer["unit"]), (commits[6], commits[6], "s"))
        self.assertAlmostEqual(answer["change"]["change_pct"], 100, delta=20)
        self.assertLess(answer["error"], 0.01)
        self.assertLessEqual({step["verdict"] for step in answer["steps"]}, {"good", "bad"})
        known = {commit: i + 1 for i, commit in enumerate(commits)}
        for step in answer["steps"]:
            self.assertEqual(step["verdict"], "bad" if known[step["commit"]] >= 7 else "good")
            self.assertGreaterEqual(step["pairs"], 3)
        self.assertEqual({run["tags"]["why"] for run in json.loads(self.ok("list", "--json"))}, {"test"})

    @long_test
    def test_a_change_to_less(self):
        commits = self.benches(lambda i: 1.0 if i >= 18 else 2.0)
        text = self.sort("--good", commits[0], "--bad", "HEAD").stdout.decode()
        self.assertTrue(text.startswith(f"{commits[17]} is the first commit"), text)
        self.assertIn("pair by pair -5", text)

    def test_the_ends_from_the_trend_of_a_series(self):
        commits = self.benches(lambda i: 1.5 if i >= 9 else 1.0)[:14]
        for commit in commits:
            self.git("checkout", "-q", commit)
            subprocess.run([PYTHON, "-S", "-E", "bench.py"], cwd=self.repository, check=True)
            self.ok("add", os.path.join(self.repository, "out.json"), "--series", "app", "--tag", f"commit={commit}")
        os.unlink(os.path.join(self.repository, "out.json"))
        self.git("checkout", "-q", "-")
        answer = json.loads(self.sort("--json").stdout)
        self.assertEqual(answer["commit"], commits[8])
        # a change point is found one point off at times: the ends are one point further out
        self.assertIn(answer["good"], commits[5:8])
        self.assertIn(answer["bad"], commits[8:11])

    def test_a_range_of_one_commit_in_a_folder_of_the_repository(self):
        os.makedirs(os.path.join(self.repository, "sub"))
        commits = self.history(lambda i: {"sub/bench_py": BENCH.format(cost=i, count=os.path.join(self.folder, "count"))}, 2)
        answer = json.loads(self.sort("--good", commits[0], "--bad", commits[1], "--json", folder=os.path.join(self.repository, "sub")).stdout)
        self.assertEqual((answer["commit"], answer["steps"]), (commits[1], []))


class NotFound(BisectTest):
    def test_commits_that_do_not_build(self):
        broken = (10, 12, 14)
        count = os.path.join(self.folder, "count")
        commits = self.history(lambda i: {"bench_py": BENCH.format(cost=2 if i >= 13 else 1, count=count),
                                          "build_sh": f"echo {i} > built.txt; echo changed >> number.txt; exit {int(i in broken)}\n"})
        with open(os.path.join(self.repository, ".git", "info", "exclude"), "a", encoding="utf-8") as file:
            file.write("built.txt\n")
        done = self.sort("--good", commits[0], "--bad", "HEAD", "--build", "sh build.sh", status=1)
        text = done.stdout.decode()
        self.assertIn(": skipped: the build exited with status 1\n", done.stderr.decode())
        self.assertIn("All commits that are left cannot be measured.\nThe first commit with the change is one of 2 commits:\n", text)
        self.assertRegex(text, rf"  {commits[12][:7]}.* commit 13\n  {commits[11][:7]}.* commit 12\n")

    def test_a_commit_with_a_part_of_the_change(self):
        commits = self.benches(lambda i: 1.0 if i < 2 else 3.0 if i == 2 else 4.0)[:3]
        text = self.sort("--good", commits[0], "--bad", commits[2]).stdout.decode()
        self.assertTrue(text.startswith(f"{commits[1]} is the first commit with the change\n"), text)
        self.assertIn("\nother commits between the ends have a part of the change too\n", text)

    @long_test
    def test_skipped_commits_beside_the_change(self):
        broken = (9, 10, 11)
        commits = self.history(lambda i: {"bench_py": "import sys; sys.exit(3)" if i in broken else
                                          BENCH.format(cost=2 if i >= 13 else 1, count=os.path.join(self.folder, "count"))})
        answer = json.loads(self.sort("--good", commits[0], "--bad", "HEAD", "--json").stdout)
        self.assertEqual(answer["commit"], commits[12])
        self.assertEqual({step["why"] for step in answer["steps"] if step["verdict"] == "skipped"}, {"the command exited with status 3"})

    def test_no_change(self):
        commits = self.benches(lambda i: 1.0)
        done = self.sort("--good", commits[0], "--bad", "HEAD", "--pairs", "12", status=1)
        self.assertIn("No change to search for: the ends do not differ clearly.\nwall clock: sort ", done.stdout.decode())
        self.assertIn("; 12 pairs: 95 % interval ", done.stdout.decode())
        self.assertNotIn("step 1", done.stderr.decode())

    def test_a_commit_that_stays_unclear(self):
        # commit 10 costs as much as either end, by whether it is run first in its pair
        commits = self.benches(lambda i: 1.0 if i < 10 else "1.0 if n % 2 else 2.0" if i == 10 else 2.0)
        done = self.sort("--good", commits[0], "--bad", "HEAD", "--pairs", "12", status=1)
        text = done.stdout.decode()
        self.assertIn(f"Commit {commits[9][:12]} stays unclear after 12 pairs", text)
        self.assertIn("The first commit with the change is one of 19 commits:\n", text)


class Failures(BisectTest):
    def test_wrong_usage(self):
        self.commit("one", a_txt="1")
        self.assertIn("--good and --bad must be given together", self.fails_with("app", "cpu", "--good", "HEAD", status=2))
        self.assertIn("'sort' is no number of a command", self.fails_with("app", "sort", status=2))
        self.assertIn("invalid value '9' for --pairs", self.fails_with("app", "cpu", "--pairs", "9", status=2))
        self.assertIn("--tag commit: bisect sets this tag itself", self.fails_with("app", "cpu", "--tag", "commit=1", status=2))
        self.assertIn("missing argument", self.fails_with("app", "cpu", command=(), status=2))

    def test_repositories_and_commits(self):
        first = self.commit("one", bench_py=BENCH.format(cost=1, count=os.path.join(self.folder, "count")))
        second = self.commit("two", a_txt="2")
        ends = ("--good", first, "--bad", second)
        self.assertIn("not in a checkout of git", self.fails_with("app", "cpu", *ends, folder=self.folder))
        self.assertIn("--bad: no commit 'nosuch' in this repository", self.fails_with("app", "cpu", "--good", first, "--bad", "nosuch"))
        self.assertIn("--good: no commit '--help'", self.fails_with("app", "cpu", "--good=--help", "--bad", second))
        self.assertIn("is not an ancestor of the bad one", self.fails_with("app", "cpu", "--good", second, "--bad", first))
        self.assertIn(f"both ends are the commit {first[:12]}", self.fails_with("app", "cpu", "--good", first, "--bad", first))
        self.assertIn("no run has the series nosuch", self.fails_with("nosuch", "cpu"))
        self.assertIn(f"commit {first[:12]} cannot be measured: cannot find the program 'nosuch'", self.fails_with("app", "cpu", *ends, command=("nosuch",)))
        self.assertIn("cannot be measured: the build exited with status 1", self.fails_with("app", "cpu", *ends, "--build", "false"))
        self.assertIn("cannot be measured: the command did not write nosuch.json", self.fails_with("app", "x", "--file", "nosuch.json", *ends))
        self.assertIn("out.json has no row 'x'; it has wall clock: other, ", self.fails_with("app", "x", "--file", "out.json", *ends))
        environment = {**self.environment, "PATH": "/nonexistent"}
        done = subprocess.run([PROGRAM, "bisect", "--data", self.data, "app", "cpu", "--", "true"], cwd=self.repository, env=environment, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (1, b"perfshelf: bisect: cannot find git; install it, or check PATH\n"))

    def test_the_environment_of_a_hook_of_git(self):
        first = self.commit("one", bench_py=BENCH.format(cost=1, count=os.path.join(self.folder, "count")))
        self.commit("two", bench_py=BENCH.format(cost=2, count=os.path.join(self.folder, "count")))
        self.environment["GIT_INDEX_FILE"] = os.path.join(self.folder, "index")
        self.addCleanup(self.environment.pop, "GIT_INDEX_FILE", None)
        done = subprocess.run([PROGRAM, "bisect", "--data", self.data, "app", "wall clock: sort", "--file", "out.json", "--good", first, "--bad", "HEAD", "--",
                               PYTHON, "bench.py"], cwd=self.repository, env={**self.environment, "GIT_DIR": os.path.join(self.repository, ".git")},
                              capture_output=True, timeout=120)
        del self.environment["GIT_INDEX_FILE"]
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_clean()

    def test_an_interrupt_leaves_nothing_behind(self):
        started = os.path.join(self.folder, "started")
        files = {"work_py": f"import time\nopen({started!r}, 'a').write('x')\ntime.sleep(60)\n", "build_sh": f"echo x >> {started}; sleep 60\n"}
        first = self.commit("one", **files)
        self.commit("two", a_txt="2")
        for build in ((), ("--build", "sh build.sh")):
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                if os.path.exists(started):
                    os.unlink(started)
                running = subprocess.Popen([PROGRAM, "bisect", "--data", self.data, "app", "cpu", "--good", first, "--bad", "HEAD", *build, "--", PYTHON, "work.py"],
                                           cwd=self.repository, env=self.environment, stderr=subprocess.PIPE, start_new_session=True)
                wait_until(lambda: os.path.exists(started), 60, "the command")
                os.killpg(running.pid, number)
                _, text = running.communicate(timeout=60)
                self.assertEqual(running.returncode, 130, text)
                self.assertEqual(text.decode().splitlines()[-1], "perfshelf: bisect: interrupted")
                self.assert_clean()


if __name__ == "__main__":
    unittest.main()
