# SPDX-License-Identifier: MIT
"""Runs for people outside: bundles that another shelf adds, and what is redacted in them."""
import io
import json
import math
import os
import sqlite3
import stat
import struct
import subprocess
import tarfile
import tempfile
import unittest

from program import DEMO, PROGRAM, ROOT, ShelfTest, call

VIEWS = ("imports functions callers nodes lines memory measurements slices operators operators_by_shape kernels steps step_parts flows "
         "counters memory_events collectives modules").split()
COLUMNS = {}  # of these views, filled by the first use
STACKS = b"main (/home/ravi/shop/app.py:3);send mail to ravi@shop.example (/home/ravi/shop/mail.py:9) 4\nmain (/home/ravi/shop/app.py:3) 1\n"


class ExportTest(ShelfTest):
    def setUp(self):
        super().setUp()
        self.other = os.path.join(self.folder, "other")
        self.bundle = os.path.join(self.folder, "x.perfshelf")

    def ok_text(self, *args):
        done = self.run_verb(*args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def added(self, path, *more):
        return json.loads(self.ok_text("add", path, "--json", *more))

    def elsewhere(self, *args, status=0):
        """What the other shelf says."""
        done = call(args[0], "--data", self.other, *args[1:])
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout.decode() if status == 0 else done.stderr.decode()

    def add_bundle(self):
        return [json.loads(line) for line in self.elsewhere("add", self.bundle, "--json").splitlines()]

    def members(self):
        folder = tempfile.mkdtemp(dir=self.folder)
        subprocess.run(["tar", "--zstd", "-xf", self.bundle, "-C", folder], check=True)
        return folder

    def query(self, data, run, statement):
        done = call("sql", "--data", data, run, statement, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def rows(self, data, run, view):
        return self.query(data, run, f"SELECT * FROM {view}")

    def rows_of_views(self, data, run):
        """The rows of each public view, in one query: the columns of all views have the same names there, c0 and on."""
        if not COLUMNS:
            names = ", ".join(f"('{view}')" for view in VIEWS)
            for row in self.query(data, run, f"SELECT view.column1 AS view, info.name AS name FROM (VALUES {names}) view, pragma_table_info(view.column1) info"):
                COLUMNS.setdefault(row["view"], []).append(row["name"])
            self.assertEqual(set(COLUMNS), set(VIEWS))
        width = max(map(len, COLUMNS.values()))
        selects = []
        for view, columns in COLUMNS.items():
            padded = [f'"{name}"' for name in columns] + ["NULL"] * (width - len(columns))
            selects.append(f"SELECT '{view}' AS view, {', '.join(f'{value} AS c{i}' for i, value in enumerate(padded))} FROM {view}")
        found = {view: [] for view in VIEWS}
        for row in self.query(data, run, " UNION ALL ".join(selects)):
            found[row["view"]].append({name: row[f"c{i}"] for i, name in enumerate(COLUMNS[row["view"]])})
        return found

    def assert_same_figures(self, run, copy):
        """Those of a run on one shelf, and of its redacted copy on the other."""
        mine, theirs = self.rows_of_views(self.data, run), self.rows_of_views(self.other, copy)
        self.assertTrue(any(mine.values()))
        for view in VIEWS:
            self.assertEqual(figures(mine[view]), figures(theirs[view]), view)


def figures(rows):
    """All but texts, which a redaction changes, and the source that it leaves out."""
    return [{k: v for k, v in row.items() if not isinstance(v, str) and k not in ("source", "args")} for row in rows]


class Bundles(ExportTest):
    def test_originals_become_the_same_runs(self):
        run = self.added(os.path.join(DEMO, "events.lprof"), "--name", "mine", "--series", "s", "--tag", "k=v")
        self.ok_text("export", run["id"], "--force", "-o", self.bundle)
        [there] = self.add_bundle()
        self.assertEqual((there["id"], there["sha256"], there["name"]), (run["id"], run["sha256"], "mine"))
        told = json.loads(self.elsewhere("show", run["id"], "--json"))
        self.assertEqual((told["series"], told["tags"]), ("s", {"k": "v"}))
        [again] = self.add_bundle()
        self.assertTrue(again["already"])
        self.elsewhere("verify")

    def test_figures_survive_a_redaction(self):
        for name in ("bookshop-slow.prof", "awscli.log", "events.lprof", "events-memory.txt", "gpt-h200.pt.trace.json.gz"):
            with self.subTest(name):
                run = self.added(os.path.join(DEMO, name))
                self.ok_text("export", run["id"], "--redact", "all", "--force", "-o", self.bundle)
                [there] = self.add_bundle()
                self.assertNotEqual(there["id"], run["id"])
                self.assertEqual((there["kind"], there["rows"], there["name"]), (run["kind"], run["rows"], run["kind"]))
                self.assert_same_figures(run["id"], there["id"])
        self.elsewhere("verify")
        self.elsewhere("renew", "--json")

    def test_what_is_redacted_is_nowhere_in_the_file(self):
        run = self.added(self.file("ravi.folded", STACKS), "--tag", "host=build7", "--tag", "command=python app.py --key 5")
        self.ok_text("export", run["id"], "--redact", "paths,hosts,people,arguments", "--force", "-o", self.bundle)
        folder = self.members()
        with open(os.path.join(folder, "0", "run"), "rb") as file:
            held = file.read()
        with open(os.path.join(folder, "bundle.json"), "rb") as file:
            about = file.read()
        for secret in (b"ravi", b"/home", b"shop", b"build7", b"--key"):
            self.assertNotIn(secret, held + about)
        for kept in (b"app.py", b"mail.py", b"send mail"):
            self.assertIn(kept, held)
        self.assertEqual(dict(json.loads(about)["runs"][0]["tags"]), {"host": "host1", "command": "python (arguments 1)"})

    def test_attached_sources_are_scrubbed_or_left_out(self):
        with open(os.path.join(DEMO, "..", "workloads", "events.py"), "rb") as file:
            self.file("src/events.py", file.read() + b"# ask ravi@shop.example, /home/ravi/notes.txt\n")
        run = self.added(os.path.join(DEMO, "events.lprof"), "--source-root", os.path.join(self.folder, "src"))
        self.ok_text("export", run["id"], "--redact", "people,hosts", "--force", "-o", self.bundle)
        folder = self.members()
        with open(os.path.join(folder, "0", "source-0"), "rb") as file:
            held = file.read()
        self.assertNotIn(b"ravi", held)
        self.assertRegex(held.decode(), r"# ask person\d@host\d, /home/person\d/notes\.txt")
        [there] = self.add_bundle()
        told = json.loads(self.elsewhere("export", there["id"], "--preview", "--json"))["reveals"]
        self.assertIn("events.py", "".join(one["value"] for one in told[4]["examples"]))
        self.ok_text("export", run["id"], "--redact", "source", "--force", "-o", self.bundle)
        self.assertEqual(sorted(os.listdir(os.path.join(self.members(), "0"))), ["run"])

    def test_one_category_leaves_the_others(self):
        run = self.added(self.file("ravi.folded", STACKS))
        self.ok_text("export", run["id"], "--redact", "people", "--force", "-o", self.bundle)
        [there] = self.add_bundle()
        names = {row["frame"] for row in self.rows(self.other, there["id"], "nodes")}
        self.assertRegex("\n".join(names), r"(?m)^main \(/home/person\d/shop/app\.py:3\)$")
        notes = [row["what"] for row in self.rows(self.other, there["id"], "notes")]
        self.assertIn("shared without its original; redacted: people", notes)

    def test_a_redacted_run_is_redacted_further(self):
        run = self.added(self.file("ravi.folded", STACKS))
        self.ok_text("export", run["id"], "--redact", "people", "--force", "-o", self.bundle)
        [there] = self.add_bundle()
        again = os.path.join(self.folder, "again.perfshelf")
        self.elsewhere("export", there["id"], "--redact", "paths", "-o", again)
        self.bundle = again
        [last] = self.add_bundle()
        told = json.loads(self.elsewhere("show", last["id"], "--json"))
        self.assertEqual(told["summary"]["redacted"], ["paths", "people"])

    def test_a_comparison_matches_its_rows(self):
        base, new = (self.added(os.path.join(DEMO, f"bookshop-{name}.prof"))["id"] for name in ("slow", "joined"))
        self.ok_text("export", "--base", base, "--new", new, "--redact", "all", "--force", "-o", self.bundle)
        there = [run["id"] for run in self.add_bundle()]
        mine = json.loads(self.ok_text("diff", base, new, "--json"))["rows"]
        theirs = json.loads(self.elsewhere("diff", *there, "--json"))["rows"]
        self.assertEqual([(row["base"], row["new"], row["delta"]) for row in mine], [(row["base"], row["new"], row["delta"]) for row in theirs])

    def test_preview(self):
        run = self.added(self.file("ravi.folded", STACKS), "--tag", "host=build7")
        told = json.loads(self.ok_text("export", run["id"], "--preview", "--json"))["reveals"]
        found = {row["what"]: [(one["value"], one["becomes"]) for one in row["examples"]] for row in told}
        self.assertIn(("/home/ravi/shop/app.py", "~1/app.py"), found["paths"])
        self.assertRegex(dict(found["people"])["ravi"], r"^person\d$")
        self.assertIn("build7", [value for value, _ in found["hosts"]])
        self.assertFalse([name for name in os.listdir(self.folder) if name.endswith(".perfshelf")])

    def test_wrong_words(self):
        done = self.run_verb("export", self.added(self.log)["id"], "--redact", "path")
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"unknown category to redact: path", done.stderr)

    def test_an_empty_redaction_is_refused(self):
        """--redact "$WORDS" of a variable that is not set must not export everything."""
        for words in ("", ","):
            done = self.run_verb("export", self.added(self.log)["id"], "--redact", words, "-o", self.bundle)
            self.assertEqual((done.returncode, os.path.exists(self.bundle)), (2, False), done.stderr)


class Files(ExportTest):
    """The file of -o: what is written, followed and refused."""
    def setUp(self):
        super().setUp()
        self.run_id = self.added(self.log, "--name", "start")["id"]

    def export(self, *args, status=0, **options):
        done = self.run_verb("export", self.run_id, *args, cwd=self.folder, **options)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def assert_bundle(self, content):
        self.assertEqual(content[:4], b"\x28\xb5\x2f\xfd")  # zstd

    def read(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def names(self):
        return sorted(name for name in os.listdir(self.folder) if "perfshelf" in name or "out" in name)

    def device(self, name):
        """A device of our own with the numbers of /dev/<name>: nothing else breaks when it is replaced."""
        path = os.path.join(self.folder, "out-" + name)
        try:
            os.mknod(path, 0o600 | stat.S_IFCHR, os.stat("/dev/" + name).st_rdev)
            with open(path, "wb"):
                return path
        except PermissionError:
            self.skipTest("only root makes devices")

    def test_a_full_device_stays_a_device(self):
        full = self.device("full")
        self.assertIn(b"No space left", self.export("-o", full, status=1).stderr)
        self.assertTrue(stat.S_ISCHR(os.stat(full).st_mode))

    def test_a_device_is_written_to(self):
        null = self.device("null")
        self.export("-o", null)
        self.assertTrue(stat.S_ISCHR(os.stat(null).st_mode))

    def test_a_fifo_is_written_to(self):
        fifo = os.path.join(self.folder, "out.fifo")
        os.mkfifo(fifo)
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)  # the bundle is less than a pipe holds
        self.addCleanup(os.close, reader)
        self.export("-o", fifo)
        self.assert_bundle(os.read(reader, 65536))
        self.assertTrue(stat.S_ISFIFO(os.stat(fifo).st_mode))

    def test_a_descriptor_is_written_to(self):
        with open(os.path.join(self.folder, "out.fd"), "w+b") as file:
            file.write(b"before")
            file.flush()
            self.export("-o", f"/dev/fd/{file.fileno()}", pass_fds=[file.fileno()])
            file.seek(0)
            self.assertEqual(file.read(6), b"before")
            self.assert_bundle(file.read())
        for number in range(3, 9):  # those of the shelf itself
            self.assertIn(b"Bad file descriptor", self.export("--force", "-o", f"/dev/fd/{number}", status=1).stderr)

    def test_a_long_name(self):
        self.export("-o", "out" + 247 * "x")
        self.assert_bundle(self.read("out" + 247 * "x"))

    def test_links_are_followed(self):
        os.mkdir(os.path.join(self.folder, "far"))
        os.symlink("far/second", os.path.join(self.folder, "out.link"))
        os.symlink("target", os.path.join(self.folder, "far", "second"))
        self.export("-o", "out.link")
        self.assert_bundle(self.read("far/target"))
        self.assertTrue(os.path.islink(os.path.join(self.folder, "out.link")))
        self.assertIn(b"already exists", self.export("-o", "out.link", status=1).stderr)
        self.export("--force", "-o", "out.link")
        self.assertTrue(os.path.islink(os.path.join(self.folder, "far", "second")))
        os.symlink("out.loop", os.path.join(self.folder, "out.loop"))
        self.assertIn(b"symbolic links", self.export("-o", "out.loop", status=1).stderr)

    def test_a_file_is_overwritten_only_with_force(self):
        path = self.file("out.kept", b"precious")
        os.chmod(path, 0o640)
        self.assertIn(b"out.kept already exists; --force overwrites it", self.export("-o", "out.kept", status=1).stderr)
        self.assertEqual(self.read("out.kept"), b"precious")
        self.export("--force", "-o", "out.kept")
        self.assert_bundle(self.read("out.kept"))
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o640)
        self.assertEqual(self.names(), ["out.kept"])

    def test_a_name_of_its_own_is_unique(self):
        told = [self.export().stdout.decode() for _ in range(3)]
        self.assertEqual(told, ["start.perfshelf\n", "start-2.perfshelf\n", "start-3.perfshelf\n"])
        self.assertEqual(self.names(), sorted(name.strip() for name in told))

    def test_standard_output_by_each_of_its_names(self):
        self.assert_bundle(self.export("-o", "-").stdout)
        os.symlink("/proc/self/fd/1", os.path.join(self.folder, "out"))  # as /dev/stdout is, which a mistake must not replace
        self.assert_bundle(self.export("-o", "out").stdout)
        with open(os.path.join(self.folder, "out.redirected"), "wb") as file:
            done = subprocess.run([PROGRAM, "export", "--data", self.data, self.run_id, "-o", "out"], stdout=file, cwd=self.folder, timeout=60)
        self.assertEqual(done.returncode, 0)
        self.assert_bundle(self.read("out.redirected"))

    def test_json(self):
        told = json.loads(self.export("--json").stdout)
        self.assertEqual(told, {"file": "start.perfshelf", "format": "perfshelf", "runs": [self.run_id],
                                "bytes": os.path.getsize(os.path.join(self.folder, "start.perfshelf"))})
        self.assertEqual(json.loads(self.export("--json", "-o", "out.x").stdout)["file"], "out.x")
        self.export("--json", "-o", "-", status=2)

    def test_a_folder_is_no_file(self):
        os.mkdir(os.path.join(self.folder, "out"))
        self.assertIn(b"is a folder", self.run_verb("export", self.run_id, "-o", os.path.join(self.folder, "out"), "--force").stderr)

    def test_a_failure_leaves_nothing(self):
        done = self.run_verb("export", "nobody", "-o", os.path.join(self.folder, "out.x"))
        self.assertEqual((done.returncode, self.names()), (1, []))


class BadBundles(ExportTest):
    def setUp(self):
        super().setUp()
        run = self.added(self.log)
        self.ok_text("export", run["id"], "--force", "-o", self.bundle)
        self.plain = self.members()
        self.ok_text("export", run["id"], "--redact", "all", "--force", "-o", self.bundle)
        self.redacted = self.members()

    def pack(self, folder, change=None, about=None, extra=()):
        """A bundle of what lies in the folder, with bundle.json changed by `about` and the run by `change`."""
        with open(os.path.join(folder, "bundle.json"), encoding="utf-8") as file:
            told = json.load(file)
        name = told["runs"][0]["file"]
        with open(os.path.join(folder, name), "rb") as file:
            run = file.read()
        if about:
            about(told)
        text = json.dumps(told, separators=(",", ":")).encode()
        with tarfile.open(self.bundle, "w") as tar:
            for member, content in [("bundle.json", text), (name, change(run) if change else run), *extra]:
                info = tarfile.TarInfo(member)
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))

    def refused(self, *words):
        said = self.elsewhere("add", self.bundle, "--json", status=1)
        for word in words:
            self.assertIn(word, said)
        self.assertEqual(json.loads(self.elsewhere("list", "--json")), [])

    def sql(self, statement):
        def change(run):
            path = self.file("changed.db", run)
            db = sqlite3.connect(path)
            db.executescript(statement)
            db.commit()
            db.close()
            with open(path, "rb") as file:
                return file.read()
        return change

    def test_it_is_one_as_it_is(self):
        self.pack(self.redacted)
        self.assertEqual(self.add_bundle()[0]["kind"], "importtime")

    def test_another_hash(self):
        self.pack(self.plain, change=lambda run: run + b"import time: 1 | 1 | x\n")
        self.refused("hash differs")

    def test_cut(self):
        self.pack(self.redacted, change=lambda run: run[:len(run) // 2])
        self.refused("truncated")

    def test_other_tables(self):
        self.pack(self.redacted, change=self.sql("CREATE TABLE more(a)"))
        self.refused("unknown table")
        self.pack(self.redacted, change=self.sql("DROP TABLE note"))
        self.refused("has no table note")

    def test_another_layout(self):
        self.pack(self.redacted, change=self.sql("PRAGMA user_version = 99"))
        self.refused("written by perfshelf 0.2.0", "layout 99")

    def test_values_that_are_none(self):
        self.pack(self.redacted, change=self.sql("UPDATE meta SET v = '{' WHERE k = 'summary'"))
        self.refused("not a JSON object")
        self.pack(self.redacted, change=self.sql("INSERT INTO packed VALUES(1, 1, 0, 5, 0, 9); INSERT INTO packed_column VALUES(17, x'0011')"))
        self.refused("run file", "damaged")
        self.pack(self.redacted, change=self.sql("UPDATE import SET module = CAST(x'ff' AS TEXT) WHERE id = 1"))
        self.refused("not UTF-8")

    def test_rows_that_break_a_rule(self):
        for statement, *words in (
                ("UPDATE note SET byte_offset = 'x' WHERE id = 1", "note.byte_offset", "type"),
                ("UPDATE note SET severity = 4 WHERE id = 1", "note.severity", "range"),
                ("UPDATE note SET what = x'00' WHERE id = 1", "note.what", "type"),
                ("UPDATE import SET package = 999 WHERE id = 1", "import.package", "refers"),
                ("UPDATE import SET id = 4294967295 WHERE id = (SELECT max(id) FROM import)", "package.first", "refers"),
                ("UPDATE import SET parent = id WHERE id = 2", "import.parent", "match id"),
                ("DELETE FROM meta WHERE k = 'summary'", "summary"),
                ("INSERT OR REPLACE INTO meta VALUES('kind', 'pstats')", "meta.kind"),
                ("UPDATE import SET self_us = 9e999 WHERE id = 1", "import.self_us", "infinite"),
                ("UPDATE meta SET v = 'x' WHERE k = 'ledger_read'", "meta.ledger_read", "type"),
                ("UPDATE package SET origin = -1", "package.origin", "range")):
            with self.subTest(statement):
                self.pack(self.redacted, change=self.sql("INSERT OR IGNORE INTO note VALUES(1, 0, NULL, NULL, 'x');" + statement))
                self.refused(*words)

    def test_measurements_that_break_a_rule(self):
        run = self.added(os.path.join(ROOT, "tests", "golden", "pyperf", "ok_suite.json"))
        self.ok_text("export", run["id"], "--redact", "all", "--force", "-o", self.bundle)
        good = self.members()
        doubles = "UPDATE measurement SET %s = x'%s' WHERE id = 1"
        infinite, half, huge = (struct.pack("<d", value).hex() for value in (math.inf, 0.5, 1e300))
        for statement, *words in (
                ("UPDATE measurement SET parameters = '{'", "parameters", "not a JSON object"),
                ("UPDATE measurement SET parameters = '[1]'", "parameters", "not a JSON object"),
                ('UPDATE measurement SET parameters = \'{"a": 1, "b": null}\'', "neither a number nor a string"),
                ('UPDATE measurement SET parameters = \'{"a": {"b": 1}}\'', "neither a number nor a string"),
                ("UPDATE measurement SET more = 'null'", "details", "not a JSON object"),
                ("UPDATE measurement SET n = -1", "not a count"),
                ("UPDATE measurement SET n = 1e300", "not a count"),
                ("UPDATE measurement SET loops = 0.5", "not a count"),
                ("UPDATE measurement SET state = 1, value = 1", "failed or was skipped"),
                ("UPDATE measurement SET state = 3", "measurement.state", "range"),
                ("UPDATE measurement SET value = 'x'", "measurement.value", "type"),
                (doubles % ("samples", "00"), "measurement.samples", "damaged"),
                (doubles % ("samples", infinite), "measurement.samples", "damaged"),
                (doubles % ("warmups", infinite), "measurement.warmups", "damaged"),
                (doubles % ("processes", infinite), "measurement.processes", "damaged"),
                (doubles % ("processes", half), "measurement.processes", "match samples"),
                (doubles % ("processes", huge), "measurement.processes", "match samples"),
                ("UPDATE measurement SET samples = NULL", "measurement.processes", "match samples")):
            with self.subTest(statement):
                self.pack(good, change=self.sql(statement))
                self.refused(*words)

    def test_traces_that_break_a_rule(self):
        run = self.added(os.path.join(DEMO, "gpt-h200.pt.trace.json.gz"))
        self.ok_text("export", run["id"], "--redact", "all", "--force", "-o", self.bundle)
        trace = self.members()
        text = "INSERT INTO text SELECT %d, 'zzz', 0"
        for statement, *words in (
                (text % (2**63 - 1), "text.id", "rows"),
                (text % (2**32 - 1), "text.id", "rows"),
                (text % -5, "text.id", "less than 1"),
                ("UPDATE args_template SET id = 4294967294 WHERE id = (SELECT max(id) FROM args_template)", "args_template.id", "rows"),
                ("UPDATE track SET slices = slices + 1 WHERE id = 1", "rows of track"),
                ("UPDATE track SET process = 0 WHERE id = 1", "track.process", "range"),
                ("UPDATE chunk SET n = 65537 WHERE id = 1", "chunk.n", "range"),
                ("DELETE FROM chunk WHERE id = 1", "greater than the number of rows"),
                ("DELETE FROM chunk WHERE id = (SELECT max(id) FROM chunk)", "belongs to no chunk"),
                ("DELETE FROM text", "refers"),
                ("UPDATE chunk_column SET data = substr(data, 2) WHERE id = 32", "column 32"),
                # every value of the column is 2^40: the names, then the operators
                ("UPDATE chunk_column SET data = x'000000000000010000' WHERE id % 32 = 5", "out of range"),
                ("UPDATE chunk_column SET data = x'000000000000010000' WHERE id % 32 = 21", "missing slice"),
                ("UPDATE chunk_column SET data = x'' WHERE id % 32 = 31", "arguments"),
                # the calls that launch work become annotations
                ("UPDATE chunk_column SET data = x'000200000000000000' WHERE id % 32 = 7 AND id / 32 IN (SELECT id FROM chunk WHERE kinds & 16);"
                 "UPDATE chunk SET kinds = 4 WHERE kinds & 16", "slice.launch", "another kind"),
                ("UPDATE chunk SET kinds = kinds | 4096 WHERE id = 1", "chunk.kinds"),
                ("UPDATE chunk SET end_ns = end_ns - 1 WHERE id = 1", "differs from the times"),
                ("UPDATE gap SET before = 1 << 60 WHERE rowid = 1", "gap.before", "missing slice"),
                ("UPDATE gap SET start_ns = end_ns + 1 WHERE rowid = 1", "gap.start_ns", "match end_ns"),
                ("UPDATE step SET end_ns = start_ns - 1 WHERE id = 1", "step.start_ns"),
                ("UPDATE packed_column SET data = x'00ffffffffffffff7f' WHERE id / 16 = (SELECT min(id) FROM packed WHERE family = 1) AND id % 16 = 1",
                 "flows.from_slice", "missing slice"),
                ("UPDATE args_template SET text = x'7b22' WHERE id = (SELECT max(id) FROM args_template)", "args_template.text", "JSON")):
            with self.subTest(statement):
                self.pack(trace, change=self.sql(statement))
                self.refused(*words)

    def test_calls_that_break_a_rule(self):
        run = self.added(os.path.join(DEMO, "bookshop-slow.prof"))
        self.ok_text("export", run["id"], "--redact", "all", "--force", "-o", self.bundle)
        profile = self.members()
        for statement, *words in (
                ("UPDATE function SET callers = x'ffffffff0f00' WHERE id = 1", "function.callers", "damaged"),
                ("UPDATE function SET callers = x'01' WHERE id = 1", "function.callers", "damaged"),
                ("UPDATE function SET callees = x'ffffffff0f' WHERE id = 1", "function.callees", "damaged"),
                ("UPDATE function SET callees = 'text' WHERE id = 1", "function.callees", "type"),
                ("UPDATE function SET file = 0 WHERE id = 1", "function.file", "range")):
            with self.subTest(statement):
                self.pack(profile, change=self.sql(statement))
                self.refused(*words)

    def test_views_of_a_stranger_are_not_read(self):
        self.pack(self.redacted, change=self.sql("CREATE VIEW run AS SELECT 'evil' AS kind; CREATE TRIGGER t AFTER INSERT ON note BEGIN SELECT 1; END"))
        [run] = self.add_bundle()
        self.assertEqual(self.rows(self.other, run["id"], "run")[0]["kind"], "importtime")

    def test_a_run_file_that_is_not_shared(self):
        self.pack(self.redacted, change=self.sql("DELETE FROM meta WHERE k = 'shared'"))
        self.refused("not an export")

    def test_an_unknown_kind(self):
        self.pack(self.redacted, change=self.sql("UPDATE meta SET v = json_set(v, '$.kind', 'x') WHERE k = 'shared'"))
        self.refused("no kind of file")

    def test_a_member_that_is_not_named(self):
        self.pack(self.redacted, extra=[("../../evil", b"import time: 1 | 1 | x\n")])
        done = call("add", "--data", self.other, self.bundle, "--json")
        self.assertIn(b"bundle.json does not list it", done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 1)

    def test_bundle_json_that_is_none(self):
        self.pack(self.redacted, about=lambda told: told.update(runs=5))
        self.refused("bundle.json")
        self.pack(self.redacted, about=lambda told: told.update(format=2))
        self.refused("format 2")
        self.pack(self.redacted, about=lambda told: told["runs"][0].update(name="x" * 500))
        self.refused("invalid values for run")


if __name__ == "__main__":
    unittest.main()
