# SPDX-License-Identifier: MIT
"""perfshelf add finds the sources that line profiles measured, and sums several profiles into one run."""
import gzip
import json
import os
import shutil
import sys
import unittest

from program import ROOT, ShelfTest, import_log

sys.path += [os.path.join(ROOT, "tests", "bench"), os.path.join(ROOT, "tests", "http")]
import make_lprof  # noqa: E402
import server  # noqa: E402
from wait import wait_until  # noqa: E402

SAMPLES = os.path.join(ROOT, "tests", "corpus", "samples", "made", "line-profiler")
SOURCE = b"def work(n):\n    total = 0\n    return total\n"
EARLY, LATE = 1_000_000_000, 1_000_000_500


def lprof(*paths, ticks=100):
    return make_lprof.dump({(path, 1, "work"): [(2, 1, ticks), (3, 2, 2 * ticks)] for path in paths})


class SourceTest(ShelfTest):
    def at(self, name, content, when=EARLY):
        """A file written at a time of our choice."""
        path = self.file(name, content)
        os.utime(path, (when, when))
        return path

    def add_lprof(self, *paths, options=(), note=None, cwd=None, profile="prof/app.lprof"):
        """path -> state of the run of a profile of these paths; `note` is what stderr must hold."""
        profile = self.at(profile, lprof(*paths), LATE)
        done = self.run_verb("add", profile, "--json", *options, cwd=cwd or self.folder)
        said = done.stderr.decode()
        self.assertEqual(done.returncode, 0, said)
        self.assertEqual(said.count("\n"), 1 if note else 0, said)
        self.assertIn(note or "", said)
        return self.states(json.loads(done.stdout)["id"])

    def ask(self, path):
        serving = server.Server(self.data)
        try:
            return serving.request("GET", f"/api/v1/runs/{path}").json
        finally:
            serving.end()

    def states(self, run):
        return {row["path"]: row["state"] for row in self.ask(f"{run}/sources")["rows"]}


class WhereItWas(SourceTest):
    """Without --source-root: the recorded path on this machine."""

    def test_an_absolute_path(self):
        path = self.at("src/app.py", SOURCE)
        self.assertEqual(self.add_lprof(path), {path: "attached"})

    def test_beside_the_profile_and_below_the_current_folder(self):
        self.at("prof/src/near.py", SOURCE)
        self.at("src/here.py", SOURCE)
        states = self.add_lprof("src/near.py", "src/here.py", "src/gone.py", "<stdin>")
        self.assertEqual(states, {"src/near.py": "attached", "src/here.py": "attached", "src/gone.py": "missing",
                                  "<stdin>": "missing"})

    def test_standard_input(self):
        path = self.at("src/app.py", SOURCE)
        run = self.json("add", "-", input=lprof(path))
        self.assertEqual(self.states(run["id"]), {path: "attached"})

    def test_a_folder_of_profiles(self):
        path = self.at("src/app.py", SOURCE)
        self.at("many/a.lprof", lprof(path, ticks=1), LATE)
        self.at("many/b.lprof", lprof(path, ticks=2), LATE)
        runs = [json.loads(line) for line in self.ok("add", os.path.join(self.folder, "many"), "--json").splitlines()]
        self.assertEqual([self.states(run["id"]) for run in runs], [{path: "attached"}] * 2)

    def test_serve_finds_them_too(self):
        path = self.at("src/app.py", SOURCE)
        profile = self.at("app.lprof", lprof(path), LATE)
        serving = server.Server(self.data, profile)
        try:
            rows = wait_until(lambda: serving.request("GET", "/api/v1/runs").json["rows"], 20, "a run")
            wait_until(lambda: serving.request("GET", f"/api/v1/runs/{rows[0]['id']}/sources").json["rows"][0]["sha256"], 20, "its source")
        finally:
            serving.end()

    def test_what_is_no_python_stays_where_it_is(self):
        """A profile may name any file of this machine."""
        secret = self.at("id_rsa", b"-----BEGIN OPENSSH PRIVATE KEY-----\n")
        noted = self.at("notes.txt", b"x\n")
        script = self.at("bin/tool", b"#!/usr/bin/env python3\n" + SOURCE)
        shell = self.at("bin/other", b"#!/bin/sh\n")
        states = self.add_lprof(secret, noted, script, shell, "/dev/zero", "/etc/passwd", "prof")
        self.assertEqual([path for path, state in states.items() if state != "missing"], [script])

    def test_pipes_folders_and_giants(self):
        os.mkfifo(os.path.join(self.folder, "fifo.py"))
        os.mkdir(os.path.join(self.folder, "folder.py"))
        with open(os.path.join(self.folder, "giant.py"), "wb") as file:
            file.truncate((16 << 20) + 1)
        states = self.add_lprof("fifo.py", "folder.py", "giant.py")
        self.assertEqual(set(states.values()), {"missing"})

    def test_changed(self):
        path = self.at("src/app.py", SOURCE, LATE + 10)
        self.assertEqual(self.add_lprof(path, note="note: changed after the profile was written"), {path: "changed"})

    def test_what_is_attached_stays(self):
        path = self.at("src/app.py", SOURCE)
        self.assertEqual(self.add_lprof(path), {path: "attached"})
        self.at("src/app.py", b"edited\n", LATE + 10)
        self.assertEqual(self.add_lprof(path), {path: "attached"})
        states = self.add_lprof(path, options=("--source-root", os.path.join(self.folder, "src")), note="changed")
        self.assertEqual(states, {path: "changed"})

    def test_many_changed_are_one_note(self):
        paths = [self.at(f"src/m{i}.py", SOURCE, LATE + 10) for i in range(5)]
        self.assertEqual(set(self.add_lprof(*paths, note="m2.py and 2 more").values()), {"changed"})


class Root(SourceTest):
    """--source-root: below that folder, and nowhere else."""

    def below(self, *paths, note=None, root="root"):
        return self.add_lprof(*paths, options=("--source-root", os.path.join(self.folder, root)), note=note)

    def test_whole_path_then_shorter_tails(self):
        self.at("root/home/mei/pkg/whole.py", SOURCE)
        self.at("root/pkg/tail.py", SOURCE)
        self.at("root/last.py", SOURCE)
        paths = ("/home/mei/pkg/whole.py", "/home/mei/pkg/tail.py", "/home/mei/pkg/last.py", "C:\\work\\pkg\\tail.py")
        self.assertEqual(self.below(*paths), {path: "attached" for path in paths})

    def test_the_longest_tail_wins(self):
        self.at("root/pkg/app.py", SOURCE)
        self.at("root/app.py", b"# another\n")
        run = self.json("add", self.at("app.lprof", lprof("/srv/pkg/app.py"), LATE), "--source-root",
                        os.path.join(self.folder, "root"))
        self.assertEqual(self.ask(f"{run['id']}/source?file=1")["text"], SOURCE.decode().splitlines())

    def test_a_name_that_every_package_has_needs_its_folder(self):
        self.at("root/__init__.py", SOURCE)
        self.at("root/pkg/__init__.py", SOURCE)
        states = self.below("/srv/other/__init__.py", "/srv/pkg/__init__.py", note="other/__init__.py")
        self.assertEqual(list(states.values()), ["missing", "attached"])

    def test_never_out_of_it(self):
        outside = self.at("outside.py", SOURCE)
        self.at("root/inside.py", SOURCE)
        os.symlink(outside, os.path.join(self.folder, "root", "link.py"))
        os.symlink(self.folder, os.path.join(self.folder, "root", "up"))
        os.symlink("inside.py", os.path.join(self.folder, "root", "fine.py"))
        states = self.below("../outside.py", "../../outside.py", outside, "link.py", "up/outside.py", "fine.py",
                            "x/../../outside.py", note="sources not found below --source-root")
        self.assertEqual([path for path, state in states.items() if state != "missing"], ["fine.py"])

    def test_a_root_that_begins_alike(self):
        self.at("root-beside/app.py", SOURCE)
        os.mkdir(os.path.join(self.folder, "root"))
        self.assertEqual(set(self.below("../root-beside/app.py", note="no source found below --source-root").values()), {"missing"})

    def test_a_root_that_is_none(self):
        profile = self.at("app.lprof", lprof("app.py"), LATE)
        done = self.run_verb("add", profile, "--json", "--source-root", os.path.join(self.folder, "nowhere"))
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"--source-root is not a folder", done.stderr)
        self.assertEqual(json.loads(done.stdout)["kind"], "line_profiler")

    def test_other_kinds_have_no_sources(self):
        self.ok("add", self.log, "--source-root", self.folder)

    def test_a_profile_of_line_profiler_itself(self):
        with open(os.path.join(SAMPLES, "lp50_basics.lprof"), "rb") as file:
            profile = self.at("basics.lprof", file.read(), LATE)
        copy = os.path.join(self.folder, "src", "basics.py")
        shutil.copytree(os.path.join(SAMPLES, "src"), os.path.dirname(copy))
        os.utime(copy, (EARLY, EARLY))
        run = self.json("add", profile, "--source-root", os.path.dirname(copy))
        self.assertEqual(self.states(run["id"]), {"basics.py": "attached"})
        text = self.ask(f"{run['id']}/source?file=1")["text"]
        with open(copy, encoding="utf-8") as file:
            self.assertEqual(text, file.read().splitlines())
        with open(copy, "a", encoding="utf-8") as file:
            file.write("# edited\n")
        os.utime(copy, (LATE + 1, LATE + 10))
        done = self.run_verb("add", profile, "--source-root", os.path.dirname(copy))
        self.assertIn(b"basics.py", done.stderr)
        self.assertEqual(self.states(run["id"]), {"basics.py": "changed"})


class Merge(SourceTest):
    def test_two_become_one(self):
        one, two = self.at("one.lprof", lprof("app.py", ticks=5)), self.at("two.lprof", gzip.compress(lprof("app.py", "b.py", ticks=7)))
        run = self.json("add", "--merge", one, two)
        self.assertEqual((run["kind"], run["name"]), ("line_profiler", "one.lprof and 1 more"))
        lines = self.json("sql", run["id"], "SELECT file, line, hits, ticks FROM lines ORDER BY 1, 2")
        self.assertEqual([tuple(row.values()) for row in lines],
                         [("app.py", 2, 2, 12), ("app.py", 3, 4, 24), ("b.py", 2, 1, 7), ("b.py", 3, 2, 14)])
        self.assertEqual(self.json("add", "--merge", one, two)["already"], True)
        self.assertEqual(len(self.json("list")), 1)

    def test_sources_of_the_first(self):
        self.at("prof/app.py", SOURCE)
        one, two = self.at("prof/one.lprof", lprof("app.py"), LATE), self.at("two.lprof", lprof("app.py", ticks=9), LATE + 50)
        run = self.json("add", "--merge", one, two, "--name", "both")
        self.assertEqual((run["name"], self.states(run["id"])), ("both", {"app.py": "attached"}))
        self.at("prof/app.py", SOURCE, LATE + 20)
        third = self.at("three.lprof", lprof("app.py", ticks=10), LATE + 60)
        done = self.run_verb("add", "--merge", one, third)
        self.assertIn(b"changed", done.stderr)  # after the first, though before the last

    def test_all_or_nothing(self):
        one = self.at("one.lprof", lprof("app.py"))
        for bad, why in ((self.log, "neither an .lprof file nor a trace"), (os.path.join(self.folder, "gone"), "No such file"),
                         (self.folder, "--merge cannot read a folder"), (self.file("none", b""), "neither an .lprof file nor a trace")):
            self.assertIn(why, self.fails("add", "--merge", one, bad))
        self.assertEqual(self.json("list"), [])
        self.assertTrue(all(not names for names in self.left_over().values()), self.left_over())

    def test_sums_equal_those_of_the_oracles(self):
        names = ("lp40_basics", "lp42_basics", "lp50_basics")
        wanted = {}
        for name in names:
            with open(os.path.join(SAMPLES, f"{name}.oracle.json"), encoding="utf-8") as file:
                for timing in json.load(file)["timings"]:
                    for line, hits, ticks in timing["lines"]:
                        key = (timing["file"], timing["line"], timing["function"].rpartition(".")[2], line)
                        was = wanted.get(key, (0, 0))
                        wanted[key] = (was[0] + hits, was[1] + ticks)
        done = self.run_verb("add", "--json", "--merge", *(os.path.join(SAMPLES, f"{name}.lprof") for name in names))
        rows = self.json("sql", json.loads(done.stdout)["id"], "SELECT file, first_line, function, line, hits, ticks FROM lines")
        have = {}
        for row in rows:
            key = (row["file"], row["first_line"], row["function"].rpartition(".")[2], row["line"])
            was = have.get(key, (0, 0))
            have[key] = (was[0] + row["hits"], was[1] + row["ticks"])
        self.assertEqual(have, wanted)

    def test_text_and_pickle_of_one_program_stand_side_by_side(self):
        files = [os.path.join(SAMPLES, name) for name in ("lp50_basics.lprof", "lp50_basics.txt")]
        done = self.run_verb("add", "--json", *files)
        runs = [json.loads(line)["id"] for line in done.stdout.splitlines()]
        self.assertEqual(len(runs), 2, done.stderr)
        serving = server.Server(self.data)
        try:
            answer = serving.request("GET", "/api/v1/lines?path=basics.py").json
        finally:
            serving.end()
        pickle, text = (next(run for run in answer["runs"] if run["run"] == run_id) for run_id in runs)
        hits = [{(line, count) for line, count in zip(run["line"], run["hits"]) if count} for run in (pickle, text)]
        self.assertEqual(hits[0], hits[1])
        self.assertTrue(hits[0])
        exact = {line: ticks * pickle["unit_s"] for line, ticks in zip(pickle["line"], pickle["ticks"])}
        for line, ticks in zip(text["line"], text["ticks"]):
            if ticks is not None:
                self.assertAlmostEqual(ticks * text["unit_s"], exact[line], delta=0.06 * text["unit_s"])

    def test_other_verbs_have_no_such_options(self):
        self.fails("list", "--merge", status=2)
        self.fails("add", self.file("x.log", import_log()), "--source-root", status=2)


if __name__ == "__main__":
    unittest.main()
