# SPDX-License-Identifier: MIT
"""perfshelf report: one document of two groups, as Markdown and HTML, with the cause from profiles recorded beside the runs."""
import html.parser
import json
import os
import re
import shlex
import unittest

from program import ShelfTest, call, dump_of, fibonacci

HOSTILE = "</code></td><script>alert(1)</script>|`x`&amp;<img src=//e.org>"
VOID = {"meta", "br", "img", "link", "input", "hr"}


class Page(html.parser.HTMLParser):
    """The elements of a page. Fails where one is not closed, or is not of the few that a report has."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.text, self.links = [], set(), "", []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        if tag == "a":
            self.links.append(dict(attrs)["href"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, tag

    def handle_data(self, data):
        self.text += data


def slower():
    return [fibonacci(12) for _ in range(5)]


class ReportTest(ShelfTest):
    def add_time(self, series, seconds, *tags):
        self.n = getattr(self, "n", 0) + 1  # no two runs have the same bytes
        text = f'\tCommand being timed: "app"\n\tElapsed (wall clock) time (h:mm:ss or m:ss): 0:{seconds:012.9f}\n\tSwaps: {self.n}\n\tExit status: 0\n'
        return self.json("add", self.file(f"{self.n}.txt", text.encode()), "--series", series, *self.tags(*tags))["id"]

    def add_dump(self, function, *tags):
        self.n = getattr(self, "n", 0) + 1
        return self.json("add", dump_of(function, os.path.join(self.folder, f"{self.n}.prof")), *self.tags(*tags))["id"]

    def tags(self, *tags):
        return [word for tag in tags for word in ("--tag", tag)]

    def add_sides(self, base=("commit=aaaaaaa1",), new=("commit=bbbbbbb2",)):
        for i in range(5):
            self.add_time("app/base", 1 + i / 1000, *base)
            self.add_time("app/new", 2 + i / 1000, *new)

    def report(self, *args):
        return self.ok("report", "series:app/base", "series:app/new", *args)


class Documents(ReportTest):
    def test_markdown(self):
        self.add_sides(base=("commit=aaaaaaa1", "command=./app --fast 'a b'"), new=("commit=bbbbbbb2", "command=./app --fast 'a b'"))
        text = self.report()
        self.assertTrue(text.startswith("## Performance report\n\n- base: 5 runs: "), text[:200])
        self.assertIn("\nslower: real 1.002 s → 2.002 s, +1.000 s (+99.8 %)\n", text)
        self.assertIn("| Commit | `aaaaaaa1` | `bbbbbbb2` | differs |\n", text)
        self.assertIn("| command | `./app --fast 'a b'` | `./app --fast 'a b'` |  |\n", text)
        commands = [shlex.split(line) for line in re.search(r"```\n(.*?)```", text, re.S)[1].splitlines()]
        self.assertEqual(commands[0], ["git", "worktree", "add", "--detach", "../perfshelf-base", "aaaaaaa1"])
        self.assertEqual(commands[2][:7], ["perfshelf", "record", "ab", "--base", "./app --fast 'a b'", "--new", "./app --fast 'a b'"])
        # the last two mean the same runs, whatever is added later
        self.add_time("app/new", 9)
        self.assertIn("rank sum test of 5 and 6 runs", self.report())
        self.assertIn("rank sum test of 5 and 5 runs", self.ok(*commands[3][1:]))
        self.assertEqual(self.run_verb(*commands[4][1:]).returncode, 1)

    def test_commands_of_which_the_tags_tell_too_little(self):
        self.add_sides(base=("command=app --token (masked)",), new=("command=app2",))
        self.assertNotIn("record ab", self.report())
        self.add_sides()
        self.assertNotIn("record ab", self.report())

    def test_measurements_over_the_limit_come_first(self):
        def file(name, scale):
            rows = [{"name": f"b{i}", "fullname": f"b{i}", "group": None, "params": None, "param": None, "extra_info": {}, "options": {},
                     "stats": {"data": [x * (scale if i == 5 else 1) * (1 + 0.01 * k) for k, x in enumerate([1e-3 * (i + 1)] * 12)]}} for i in range(8)]
            for row in rows:
                data = row["stats"]["data"]
                row["stats"].update(min=min(data), max=max(data), mean=sum(data) / 12, stddev=1e-5, rounds=12, median=sorted(data)[6], iqr=1e-5, q1=data[3],
                                    q3=data[9], iqr_outliers=0, stddev_outliers=0, outliers="0;0", ld15iqr=min(data), hd15iqr=max(data), ops=1 / data[0],
                                    total=sum(data), iterations=1)
            body = {"machine_info": {}, "commit_info": {}, "benchmarks": rows, "datetime": "2026-11-20T10:00:00", "version": "5.1.0"}
            return self.json("add", self.file(name, json.dumps(body).encode()))["id"]
        base, new = file("base.json", 1), file("new.json", 1.5)
        text = self.ok("report", base, new, "--max-rows", "3")
        rows = re.search(r"### Measurements, those over the limit first\n\n.*\n.*\n((?:\|.*\n)+)", text)[1].splitlines()
        self.assertEqual(len(rows), 3)
        self.assertRegex(rows[0], r"^\| over \|.*b5` \|$")
        self.assertRegex(rows[1], r"^\| within \|")
        self.assertIn("\n3 of 8 rows shown.\n", text)
        self.assertIn("\nLimits: 1 of 8 over the limit; 7 within.\n", text)
        self.assertIn("\nLimits: 0 of 8 over the limit; 8 within.\n", self.ok("report", base, new, "--fail-on", "+80%"))

    def test_html_with_hostile_names(self):
        self.add_sides(base=(f"why={HOSTILE}", f"{HOSTILE[:40]}=k"), new=(f"why={HOSTILE}\u202e",))
        run = self.ok("list", "--json")
        for listed in json.loads(run):
            self.ok("edit", listed["id"], "--name", HOSTILE + listed["id"][:3])
        path = os.path.join(self.folder, "report.html")
        self.assertEqual(self.report("--html", "-o", path), "")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        page = Page(text)
        self.assertLessEqual(page.seen, {"html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "dl", "dt", "dd", "p", "div", "table", "thead",
                                         "tbody", "tr", "th", "td", "code", "pre"})
        self.assertIn(HOSTILE, page.text)
        self.assertNotIn("\u202e", text)
        self.assertIn("prefers-color-scheme:dark", text)
        self.assertIn("@media print", text)
        self.assertIn("slower: real 1.002 s → 2.002 s", page.text)
        self.assertIn("already exists", self.fails("report", "series:app/base", "series:app/new", "--html", "-o", path))
        self.assertEqual(self.report("--html", "-o", path, "--force"), "")
        # Markdown shows them as code, of which nothing can get out
        for line in self.report().splitlines():
            self.assertNotRegex(re.sub(r"(`+) ?.*?[^`]\1(?!`)", "", line), r"(?<!\\)<(script|img)")


class Profiles(ReportTest):
    def test_the_cause_from_profiles_of_both_commits(self):
        self.add_sides()
        self.assertNotIn("### Cause", self.report())
        base = self.add_dump(fibonacci, "commit=aaaaaaa1")
        self.assertNotIn("### Cause", self.report())  # one side explains nothing
        self.add_dump(slower, "commit=ccccccc3")
        self.assertNotIn("### Cause", self.report())  # another commit is another program
        self.add_dump(slower, "commit=bbbbbbb2", "dirty=yes")
        self.assertNotIn("### Cause", self.report())  # so is a changed one
        self.add_dump(lambda: fibonacci(13), "commit=bbbbbbb2")
        new = self.add_dump(slower, "commit=bbbbbbb2")  # the newest is taken
        text = self.report()
        cause = text.split("### Cause")[1].split("###")[0]
        self.assertRegex(cause, rf"- base profile: `.*` \(run {base}\), commit `aaaaaaa1`, added ")
        self.assertIn(f"(run {new}), commit `bbbbbbb2`", cause)
        self.assertIn(f"perfshelf diff {base} {new}\n", cause)
        self.assertIn(self.ok("diff", base, new, "--markdown").split("significance unknown")[1].split("\n\n")[1], cause)

    def test_the_environment_and_a_commit_of_the_files(self):
        def file(name, scale, commit, cpu):
            data = [1e-3 * scale * (1 + 0.01 * k) for k in range(12)]
            stats = dict(data=data, min=data[0], max=data[-1], mean=sum(data) / 12, stddev=1e-5, rounds=12, median=(data[5] + data[6]) / 2, iqr=1e-5, q1=data[3],
                         q3=data[9], iqr_outliers=0, stddev_outliers=0, outliers="0;0", ld15iqr=data[0], hd15iqr=data[-1], ops=1 / data[0], total=sum(data),
                         iterations=1)
            row = {"name": "b", "fullname": "b", "group": None, "params": None, "param": None, "extra_info": {}, "options": {}, "stats": stats}
            body = {"machine_info": {"node": "box", "cpu": {"brand_raw": cpu, "count": 4}, "python_version": "3.13.1"},
                    "commit_info": {"id": commit, "time": "2026-11-20T10:00:00+00:00", "dirty": False, "branch": "main"}, "benchmarks": [row],
                    "datetime": "2026-11-20T10:00:00", "version": "5.1.0"}
            return self.json("add", self.file(name, json.dumps(body).encode()))["id"]
        commits = "a" * 40, "b" * 40
        base, new = file("base.json", 1, commits[0], "Fast CPU"), file("new.json", 2, commits[1], "Slow <CPU>")
        text = self.ok("report", base, new)
        self.assertIn("| CPU | `Fast CPU` | `Slow <CPU>` | differs |\n", text)
        self.assertIn("| Python | `3.13.1` | `3.13.1` |  |\n", text)
        self.assertIn(f"| Commit | `{commits[0]}` | `{commits[1]}` | differs |\n", text)
        self.assertIn("Recorded in different environments: CPU Fast CPU against ", text)
        self.assertNotIn("### Cause", text)
        self.add_dump(fibonacci, f"commit={commits[0]}")
        self.add_dump(slower, f"commit={commits[1]}")
        self.assertIn("### Cause", self.ok("report", base, new))
        other = file("other.json", 1.001, commits[1], "Fast CPU")
        text = self.ok("report", base, other)
        self.assertIn("### Profiles\n", text)
        self.assertNotIn("### Cause", text)

    def test_what_one_side_does_not_know_is_not_said_of_it(self):
        self.add_sides(base=("cpu=Fast CPU", "memory=2147483648"), new=("commit=bbbbbbb2",))
        text = self.report()
        self.assertIn("| CPU | `Fast CPU` |  |  |\n", text)
        self.assertIn("| Memory | `2.00 GiB` |  |  |\n", text)

    def test_profiles_of_other_commands_are_not_taken(self):
        self.add_sides(base=("commit=aaaaaaa1", "command=app"), new=("commit=bbbbbbb2", "command=app"))
        self.add_dump(fibonacci, "commit=aaaaaaa1", "command=other")
        self.add_dump(slower, "commit=bbbbbbb2", "command=other")
        self.assertNotIn("### Cause", self.report())
        self.add_dump(fibonacci, "commit=aaaaaaa1", "command=app")
        self.add_dump(lambda: slower(), "commit=bbbbbbb2", "command=app")
        self.assertIn("### Cause", self.report())

    def test_runs_that_are_profiles_have_their_own_cause(self):
        base, new = self.add_dump(fibonacci), self.add_dump(slower)
        text = self.ok("report", base, new)
        self.assertIn("fibonacci", text.split("### Verdict")[1].split("###")[0])
        self.assertIn("### Functions by Self time, largest change first", text)

    def test_versions_that_are_equally_fast_have_no_cause(self):
        for i in range(5):
            self.add_time("app/base", 1 + i / 100, "commit=aaaaaaa1")
            self.add_time("app/new", 1.005 + i / 100, "commit=bbbbbbb2")
        self.add_dump(fibonacci, "commit=aaaaaaa1")
        self.add_dump(slower, "commit=bbbbbbb2")
        text = self.report()
        self.assertIn("within noise: ", text)
        self.assertIn("### Profiles\n", text)
        self.assertNotIn("### Cause", text)


class Usage(ReportTest):
    def test_failures(self):
        self.assertIn("usage: perfshelf report BASE NEW", self.fails("report", "@1", status=2))
        self.assertIn("invalid value 'x' for --fail-on", self.fails("report", "a", "b", "--fail-on", "x", status=2))
        self.assertIn("--max-rows", self.fails("report", "a", "b", "--max-rows", "0", status=2))
        self.add_sides()
        self.assertIn("no run nosuch on this shelf", self.fails("report", "nosuch", "@1"))
        self.assertIn("unknown option --markdown", call("report", "@1", "@2", "--markdown").stderr.decode())


if __name__ == "__main__":
    unittest.main()
