# SPDX-License-Identifier: MIT
"""What the package does, run by each Python: recordings_python.py starts this file with each of them."""
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from pathlib import Path

import perfshelf
from perfshelf import environment, recorders, recording, shelf

PROGRAM = os.environ.get("PERFSHELF_PROGRAM", "")


def fibonacci(n=8):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def rows_of(run):
    answer = json.loads(shelf.call("sql", run.id, "SELECT file, name, ncalls FROM functions", "--json"))
    return {row["name"]: row for row in answer}


def tags_of(run):
    return next(row["tags"] for row in shelf.list_runs(shelf.Shelf()) if row["id"] == run.id)


def n_runs():
    return len(shelf.list_runs(shelf.Shelf()))


class Quiet(unittest.TestCase):
    """No warning may be given; `warned` has those that a test expects."""

    def setUp(self):
        catcher = warnings.catch_warnings(record=True)
        self.warned = catcher.__enter__()
        self.addCleanup(catcher.__exit__, None, None, None)
        warnings.simplefilter("always")
        self.expected = 0

    def tearDown(self):
        texts = [str(one.message) for one in self.warned if issubclass(one.category, recording.PerfshelfWarning)]
        self.assertEqual(len(texts), self.expected, texts)

    def warning(self):
        self.expected += 1
        texts = [one for one in self.warned if issubclass(one.category, recording.PerfshelfWarning)]
        self.assertTrue(texts, "no warning")
        self.assertEqual(os.path.basename(texts[-1].filename), "recordings.py")
        return str(texts[-1].message)


class Blocks(Quiet):
    def test_rows_and_labels(self):
        with perfshelf.record("cprofile", name="block", series="nightly", tags={"branch": "main", "host": "mine"}, note="first\nsecond") as block:
            fibonacci()
        rows = rows_of(block.run)
        self.assertEqual(set(rows), {"fibonacci"})  # nothing of the package itself
        self.assertEqual(rows["fibonacci"]["ncalls"], 67)
        row = next(row for row in shelf.list_runs(shelf.Shelf()) if row["id"] == block.run.id)
        self.assertEqual((row["name"], row["series"], row["note"], row["kind"]), ("block", "nightly", "first\nsecond", "pstats"))
        self.assertEqual(row["tags"], {**environment.machine_facts(), "branch": "main", "host": "mine"})
        self.assertEqual(row["tags"]["python"], "%d.%d.%d" % sys.version_info[:3])
        self.assertIn("fibonacci takes", block.run.text())
        self.assertIsNone(block.run.url)

    def test_exception_keeps_the_profile(self):
        block = perfshelf.record()
        with self.assertRaises(ZeroDivisionError), block:
            fibonacci()
            1 / 0
        self.assertIn("fibonacci", rows_of(block.run))
        self.assertEqual(tags_of(block.run)["exception"], "ZeroDivisionError")
        self.assertRegex(block.run.name, r"^recordings\.py:\d+$")

    def test_entered_again(self):
        block = perfshelf.record(name="again")
        with block:
            fibonacci(5)
        first = block.run
        with block:
            fibonacci(6)
        self.assertNotEqual(first.id, block.run.id)

    def test_a_block_in_another_is_part_of_it(self):
        outer, inner = perfshelf.record(name="outer"), perfshelf.record(name="inner")
        with outer, inner:
            fibonacci()
        self.assertIsNone(inner.run)
        self.assertIn("fibonacci", rows_of(outer.run))
        self.assertEqual(self.warning(), "'inner' was not recorded: one recording runs at a time in a process, and 'outer' is running")

    def test_a_block_in_another_thread(self):
        outer, inner = perfshelf.record(name="outer"), perfshelf.record(name="inner")

        def work():
            with inner:
                fibonacci()

        with outer:
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
        self.assertIsNone(inner.run)
        self.assertIsNotNone(outer.run)
        self.warning()

    def test_other_threads_are_left_out(self):
        ended = threading.Event()

        def elsewhere():
            pass

        def work():
            while not ended.is_set():
                elsewhere()

        thread = threading.Thread(target=work)
        thread.start()
        try:
            with perfshelf.record() as block:
                fibonacci(20)
        finally:
            ended.set()
            thread.join()
        rows = rows_of(block.run)
        self.assertEqual((set(rows), rows["fibonacci"]["ncalls"]), ({"fibonacci"}, 21891))

    def test_another_profiler(self):
        block = perfshelf.record(name="refused")
        import cProfile

        other = cProfile.Profile()
        other.enable()
        with block:
            fibonacci()
        other.disable()
        self.assertIsNone(block.run)
        self.assertIn("'refused' was not recorded: ", self.warning())
        other.create_stats()
        self.assertIn("fibonacci", {row[2] for row in other.stats})  # it was not replaced
        with block:
            fibonacci()
        self.assertIsNotNone(block.run)

    def test_a_forked_child_adds_nothing(self):
        before = n_runs()
        with perfshelf.record() as block:
            child = os.fork()
            if child == 0:
                fibonacci()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
        self.assertEqual(n_runs(), before + 1)
        self.assertIsNotNone(block.run)

    def test_memory(self):
        with perfshelf.record("memory", name="memory") as block:
            content = bytearray(60 << 20)
            content[:: 1 << 12] = b"x" * len(content[:: 1 << 12])
            time.sleep(0.25)
        self.assertEqual(block.run.kind, "mprof")
        samples = json.loads(shelf.call("sql", block.run.id, "SELECT * FROM memory", "--json"))
        self.assertGreaterEqual(len(samples), 4)
        del content


class Functions(Quiet):
    def test_name_and_attributes(self):
        record = perfshelf.record(series="calls")

        @record
        def add(a, b=2):
            """Adds."""
            return fibonacci(a) + b

        self.assertEqual(add(3), 4)
        self.assertEqual((add.__name__, add.__doc__), ("add", "Adds."))
        self.assertEqual(record.run.name, "%s.Functions.test_name_and_attributes.<locals>.add" % __name__)
        self.assertEqual(set(rows_of(record.run)), {"add", "fibonacci"})

    def test_recursion_is_one_run(self):
        record, before = perfshelf.record(), n_runs()

        @record
        def down(n):
            return n and down(n - 1)

        down(5)
        self.assertEqual(n_runs(), before + 1)
        self.assertEqual(rows_of(record.run)["down"]["ncalls"], 6)

    def test_generator_without_its_consumer(self):
        record = perfshelf.record()

        @record
        def numbers():
            got = yield fibonacci(5)
            try:
                yield got
            except KeyError:
                yield "caught"
            return "returned"

        def consumer():
            return fibonacci(3)

        steps = numbers()
        self.assertEqual(next(steps), 5)
        consumer()
        self.assertEqual(steps.send("sent"), "sent")
        self.assertEqual(steps.throw(KeyError("x")), "caught")
        with self.assertRaises(StopIteration) as stop:
            next(steps)
        self.assertEqual(stop.exception.value, "returned")
        rows = rows_of(record.run)
        self.assertNotIn("consumer", rows)
        self.assertEqual(rows["fibonacci"]["ncalls"], 15)

    def test_closed_generator(self):
        record, closed = perfshelf.record(), []

        @record
        def numbers():
            try:
                yield 1
                yield 2
            finally:
                closed.append(True)

        steps = numbers()
        next(steps)
        steps.close()
        self.assertEqual(closed, [True])
        self.assertIn("numbers", rows_of(record.run))
        self.assertNotIn("exception", tags_of(record.run))

    def test_coroutines_at_the_same_time(self):
        record_first, record_second = records = [perfshelf.record(name="first"), perfshelf.record(name="second")]

        def only_first():
            pass

        def only_second():
            pass

        @record_first
        async def first():
            for _ in range(3):
                only_first()
                await asyncio.sleep(0)
            return 1

        @record_second
        async def second():
            for _ in range(4):
                only_second()
                await asyncio.sleep(0)
            raise LookupError("x")

        async def both():
            return await asyncio.gather(first(), second(), return_exceptions=True)

        one, error = asyncio.run(both())
        self.assertEqual((one, type(error)), (1, LookupError))
        rows = [rows_of(record.run) for record in records]
        self.assertEqual(rows[0]["only_first"]["ncalls"], 3)
        self.assertEqual(rows[1]["only_second"]["ncalls"], 4)
        self.assertNotIn("only_second", rows[0])
        self.assertNotIn("only_first", rows[1])
        self.assertEqual(tags_of(records[1].run)["exception"], "LookupError")

    def test_async_generator(self):
        record = perfshelf.record()

        @record
        async def numbers():
            for n in range(3):
                await asyncio.sleep(0)
                yield fibonacci(n)

        async def all_of_them():
            return [n async for n in numbers()]

        self.assertEqual(asyncio.run(all_of_them()), [0, 1, 1])
        self.assertEqual(rows_of(record.run)["fibonacci"]["ncalls"], 5)

    def test_cancelled_coroutine(self):
        record = perfshelf.record()

        @record
        async def wait():
            await asyncio.sleep(60)

        async def cancel():
            task = asyncio.ensure_future(wait())
            await asyncio.sleep(0)
            task.cancel()
            return await asyncio.gather(task, return_exceptions=True)

        [error] = asyncio.run(cancel())
        self.assertIsInstance(error, asyncio.CancelledError)
        self.assertIn("wait", rows_of(record.run))

    def test_no_function(self):
        for wrong in (3, int):
            with self.assertRaises(TypeError):
                perfshelf.record()(wrong)


class Failures(Quiet):
    def setUp(self):
        super().setUp()
        self.file = tempfile.NamedTemporaryFile()
        self.addCleanup(self.file.close)
        self.nowhere = os.path.join(self.file.name, "shelf")  # below a file

    def test_the_profile_is_kept(self):
        with perfshelf.record(name="kept / away", data=self.nowhere, tags={"a": "b"}) as block:
            fibonacci()
        self.assertIsNone(block.run)
        message = self.warning()
        self.assertRegex(message, "^the profile 'kept / away' was not added: .*cannot create folder")
        path = message.partition(" It is kept: perfshelf add ")[2]
        run = perfshelf.add(path)
        self.assertEqual((run.name, tags_of(run)["a"]), ("kept / away", "b"))

    def test_strict(self):
        with self.assertRaises(perfshelf.Error) as caught:
            with perfshelf.record(data=self.nowhere, strict=True):
                fibonacci()
        self.assertTrue(os.path.exists(caught.exception.path))

    def test_an_exception_is_not_hidden(self):
        warnings.simplefilter("error")
        with self.assertRaises(KeyError):
            with perfshelf.record(data=self.nowhere, strict=True):
                raise KeyError("x")
        self.warning()

    def test_unknown_kinds(self):
        with self.assertRaisesRegex(perfshelf.Error, "perfshelf record importtime -- python app.py"):
            perfshelf.record("importtime")
        with self.assertRaisesRegex(perfshelf.Error, "unknown recorder 'x'. The recorders are cprofile, lines, memory, torch."):
            perfshelf.record("x")

    def test_a_missing_module(self):
        sys.modules["line_profiler"] = sys.modules["torch"] = None
        self.addCleanup(sys.modules.pop, "torch")
        self.addCleanup(sys.modules.pop, "line_profiler")
        for kind, options in (("lines", {"functions": [fibonacci]}), ("torch", {})):
            with perfshelf.record(kind, **options) as block:
                self.assertEqual(fibonacci(), 21)
            self.assertIsNone(block.run)
            self.assertIn("has no module", self.warning())

    def test_no_program(self):
        os.environ["PERFSHELF_PROGRAM"] = self.nowhere
        with self.assertRaisesRegex(perfshelf.Error, "PERFSHELF_PROGRAM is .*, which is no program"):
            perfshelf.add(b"x")
        path, candidates = os.environ["PATH"], shelf._candidates
        try:
            del os.environ["PERFSHELF_PROGRAM"]
            os.environ["PATH"] = "/nowhere"
            shelf._candidates = lambda: iter(["/nowhere"])
            with self.assertRaisesRegex(perfshelf.Error, "pip install perfshelf"):
                perfshelf.add(b"x")
        finally:
            os.environ["PATH"], shelf._candidates = path, candidates
            os.environ["PERFSHELF_PROGRAM"] = PROGRAM


class Adding(Quiet):
    def setUp(self):
        super().setUp()
        self.folder = tempfile.mkdtemp()
        recorder = recorders.CProfileRecorder()
        recorder.start()
        fibonacci()
        recorder.stop()
        self.path = os.path.join(self.folder, "app.prof")
        recorder.write(self.path)

    def test_a_file_and_its_bytes(self):
        run = perfshelf.add(self.path, series="s", tags={"k": 1}, note="n")
        self.assertEqual((run.name, run.kind, run.already), ("app.prof", "pstats", False))
        with open(self.path, "rb") as file:
            again = perfshelf.add(file.read(), name="bytes")
        self.assertEqual((again.id, again.already), (run.id, True))
        self.assertEqual(perfshelf.add(Path(self.path)).id, run.id)

    def test_names_that_are_not_utf8(self):
        path = os.path.join(os.fsencode(self.folder), b"-caf\xe9 \"it's\".prof")
        os.link(self.path, path)
        self.assertEqual(perfshelf.add(os.fsdecode(path), data=os.path.join(self.folder, os.fsdecode(b"sh\xe9lf"))).kind, "pstats")

    def test_a_folder(self):
        with open(os.path.join(self.folder, "imports.log"), "wb") as file:
            subprocess.run([sys.executable, "-X", "importtime", "-c", "import json"], stderr=file, check=True)
        runs = perfshelf.add_all(self.folder)
        self.assertEqual(sorted(run.kind for run in runs), ["importtime", "pstats"])
        with self.assertRaisesRegex(perfshelf.Error, "2 profiles were added"):
            perfshelf.add(self.folder)

    def test_the_message_of_the_program(self):
        with self.assertRaisesRegex(perfshelf.Error, "^standard input: "):
            perfshelf.add(b"no profile")
        with self.assertRaisesRegex(perfshelf.Error, "No such file"):
            perfshelf.add(os.path.join(self.folder, "missing"))
        with self.assertRaises(perfshelf.Error):
            perfshelf.add("a\0b")

    def test_other_shelves(self):
        data = os.path.join(self.folder, "other shelf")
        run = perfshelf.add(self.path, data=data)
        self.assertIn(run.id, run.text())
        with self.assertRaisesRegex(perfshelf.Error, "127.0.0.1:1"):
            perfshelf.add(self.path, server="http://127.0.0.1:1")

    def test_long_and_strange_labels(self):
        names = ["x" * 500 + "a", "x" * 500 + "b", "a\nb\x00c\udce9", ""]
        for name in names:
            with perfshelf.record(name=name or None, series=name, tags={name: name, "": "no key"}) as block:
                fibonacci(3)
            self.assertIsNotNone(block.run)
        series = {row["series"] for row in shelf.list_runs(shelf.Shelf())}
        self.assertEqual(len([one for one in series if one.startswith("xxx")]), 2)


class Surroundings(Quiet):
    """Programs in places where little is given."""

    def run_program(self, **options):
        code = "import perfshelf\nwith perfshelf.record(name='x', data=%r) as r: sum(range(9))\nprint(r.run.name)" % tempfile.mkdtemp()
        done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"x\n", b""))

    def test_bare_environment(self):
        self.run_program(env={"PERFSHELF_PROGRAM": PROGRAM, "PYTHONPATH": os.environ["PYTHONPATH"], "TMPDIR": tempfile.gettempdir()})

    def test_read_only_current_folder(self):
        self.run_program(cwd="/proc/self")

    @unittest.skipUnless(shutil.which("git"), "no git here")
    def test_a_git_checkout(self):
        folder = tempfile.mkdtemp()
        git = ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(git + ["init", "-q"], check=True)
        subprocess.run(git + ["commit", "-q", "--allow-empty", "-m", "x"], check=True)
        commit = subprocess.check_output(git + ["rev-parse", "HEAD"]).decode().strip()
        code = "import json; from perfshelf import recording; print(json.dumps(recording.environment_tags()))"
        tags = json.loads(subprocess.check_output([sys.executable, "-c", code], cwd=folder))
        self.assertEqual((tags["commit"], "dirty" in tags), (commit, False))
        with open(os.path.join(folder, "new"), "w"):
            subprocess.run(git + ["add", "new"], check=True)
        self.assertEqual(json.loads(subprocess.check_output([sys.executable, "-c", code], cwd=folder))["dirty"], "yes")

    def test_importing_is_cheap(self):
        code = "import sys, perfshelf; print([name for name in sys.modules if name.startswith('perfshelf.')])"
        self.assertEqual(subprocess.check_output([sys.executable, "-c", code]), b"[]\n")

if __name__ == "__main__":
    unittest.main()
