# SPDX-License-Identifier: MIT
"""The pytest plugin, on small suites of tests."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest

from interpreters import PROGRAM, environment, has_modules, python_with

SUITE = """
import asyncio, unittest
import pytest

def work():
    return sum(n * n for n in range(500))

@pytest.fixture
def prepared():
    prepare()
    yield
    prepare()

def prepare(): work()

def test_passes(prepared): work()
def test_fails(): work(); assert 1 == 2
def test_skips(): work(); pytest.skip("inside")
@pytest.mark.skip
def test_never_runs(): work()
@pytest.mark.xfail
def test_xfails(): work(); assert 0
@pytest.fixture
def broken_end():
    yield
    raise ValueError
def test_ends_badly(broken_end): work()
@pytest.fixture
def broken(): raise ValueError
def test_never_begins(broken): work()
@pytest.mark.parametrize("text", ["a b/c[x]", "\\u2603", "x" * 500])
def test_names(text): work()
class TestUnit(unittest.TestCase):
    def test_method(self): work()
class TestAsync(unittest.IsolatedAsyncioTestCase):
    async def test_coroutine(self): await asyncio.sleep(0); work()
class TestClass:
    def test_in_class(self): work()
"""
OUTCOMES = {"test_passes": "passed", "test_fails": "failed", "test_skips": "skipped", "test_xfails": "xfailed", "test_ends_badly": "error",
            "test_names[a b/c[x]]": "passed", "test_names[\\u2603]": "passed", "TestUnit::test_method": "passed",
            "TestAsync::test_coroutine": "passed", "TestClass::test_in_class": "passed"}
SLOW = """
import os, time
def burn(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass
def test_same(): burn(0.03)
def test_slower(): burn(0.03 * int(os.environ.get("FACTOR", "1")))
def test_short(): pass
"""


class Plugin(unittest.TestCase):
    def setUp(self):
        self.python = python_with("pytest")
        self.folder = tempfile.mkdtemp(prefix="perfshelf-pytest-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.data = os.path.join(self.folder, "shelf")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def pytest(self, *words, status=0, plugins="perfshelf.pytest_plugin", **env):
        command = [self.python, "-m", "pytest", "-p", "no:cacheprovider", "-p", plugins, *words]
        done = subprocess.run(command, cwd=self.folder, env=environment(self.folder, **env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def recorded(self, *words, **options):
        return self.pytest("--perfshelf-data", self.data, *words, **options)

    def runs(self):
        done = subprocess.run([PROGRAM, "list", "--data", self.data, "--json"], capture_output=True, check=True)
        return json.loads(done.stdout)

    def functions(self, name):
        [run] = [run["id"] for run in self.runs() if run["name"] == name]
        done = subprocess.run([PROGRAM, "sql", run, "SELECT name FROM functions", "--data", self.data, "--json"], capture_output=True, check=True)
        return {row["name"] for row in json.loads(done.stdout)}

    def test_each_test_is_a_run(self):
        self.write("test_kinds.py", SUITE)
        output = self.recorded("--perfshelf", "--perfshelf-min=0", "test_kinds.py", status=1)
        self.assertIn("\nruns added: 11\n", output)
        self.assertNotIn("recording.py", output)  # no frame of ours in the traceback of a test
        runs = {run["name"].partition("::")[2]: run for run in self.runs()}
        [long] = [name for name in runs if name.startswith("test_names[xxx")]
        del runs[long]
        self.assertEqual({name: run["tags"]["outcome"] for name, run in runs.items()}, OUTCOMES)
        for name, run in runs.items():
            self.assertEqual((run["series"], run["name"]), (f"test_kinds.py::{name}",) * 2)
            self.assertGreater(float(run["tags"]["duration"]), 0)
        self.assertEqual(self.functions("test_kinds.py::test_passes"), {"test_passes", "work", "<genexpr>", "<built-in method builtins.sum>"})
        self.assertIn("work", self.functions("test_kinds.py::TestAsync::test_coroutine"))

    def test_a_path_is_no_recorder(self):
        """argparse would read `--perfshelf tests` as the recorder `tests`; conftest.py of that folder must be found too."""
        self.write("tests/conftest.py", "def pytest_addoption(parser): parser.addoption('--of-conftest')\n")
        self.write("tests/test_one.py", "def test_one(): pass\n")
        self.write("other/test_two.py", "def test_two(): assert 0\n")
        self.assertIn("1 passed", self.recorded("--perfshelf", "tests", "--of-conftest", "x"))
        self.assertIn("the recorders are cprofile and torch", self.recorded("--perfshelf=nonsense", "tests", status=4))

    def test_without_the_option_nothing_is_recorded(self):
        self.write("test_one.py", "import sys\ndef test_one(): assert sys.getprofile() is None and 'perfshelf.recording' not in sys.modules\n")
        self.assertNotIn("perfshelf ==", self.recorded("test_one.py"))
        self.assertFalse(os.path.exists(self.data))

    def test_short_tests_are_counted(self):
        self.write("test_slow.py", SLOW)
        output = self.recorded("--perfshelf", "test_slow.py")
        self.assertIn("runs added: 2\ntests of less than 0.01 s, not added: 1; --perfshelf-min=0 adds them", output)

    def test_compare(self):
        self.write("test_slow.py", SLOW)
        first = self.recorded("--perfshelf-compare", "test_slow.py")
        self.assertIn("compared with earlier runs: 0 over +10%, 0 within, 2 without earlier runs", first)
        self.assertIn("0 over +300%", self.recorded("--perfshelf-fail-on", "+300%", "test_slow.py"))
        output = self.recorded("--perfshelf-fail-on", "+300%", "test_slow.py", status=1, FACTOR="9")
        self.assertRegex(output, r"1 over \+300%, 1 within, 0 without earlier runs\ntest_slow.py::test_slower: \d+\.\d ms, baseline 3\d\.\d ms, \+\d+\.\d %, significance unknown")
        self.assertIn("3 passed", output)
        self.recorded("--perfshelf-compare", "test_slow.py", FACTOR="9")  # says so, does not fail

    def test_compare_with_a_tag(self):
        self.write("test_slow.py", SLOW)
        self.recorded("--perfshelf", "test_slow.py")
        self.assertIn("compared with outcome=failed: 0 over +10%, 0 within, 2 without", self.recorded("--perfshelf-compare=outcome=failed", "test_slow.py"))
        self.assertIn("neither a commit or branch of this checkout nor KEY=VALUE", self.recorded("--perfshelf-compare=nonsense", "test_slow.py"))

    def test_a_shelf_that_refuses(self):
        self.write("test_slow.py", SLOW)
        file = self.write("file", "")
        output = self.pytest("--perfshelf", "--perfshelf-data", os.path.join(file, "shelf"), "test_slow.py")
        kept = output.partition("They are kept: perfshelf add ")[2].split("\n")[0]
        subprocess.run([PROGRAM, "add", "--data", self.data, kept], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertEqual(len(self.runs()), 2)

    def test_no_program(self):
        self.write("test_one.py", "def test_one(): pass\n")
        self.assertIn("which is no program", self.recorded("--perfshelf", "test_one.py", status=4, PERFSHELF_PROGRAM="/nowhere"))

    def test_workers(self):
        if not has_modules(self.python, ("xdist",)):
            self.skipTest(f"{self.python} has no pytest-xdist")
        self.write("test_many.py", "import pytest, time\n@pytest.mark.parametrize('n', range(8))\ndef test_one(n): time.sleep(n / 1000)\n")
        output = self.recorded("--perfshelf", "--perfshelf-min=0", "--perfshelf-compare", "-n", "2", "test_many.py")
        self.assertIn("runs added: 8\ncompared with earlier runs: 0 over +10%, 0 within, 8 without earlier runs", output)
        self.assertEqual({run["tags"]["worker"] for run in self.runs()}, {"gw0", "gw1"})

    def test_equal_profiles(self):
        """Profiles of tests that take no time may have the same bytes, which a shelf keeps once."""
        self.write("conftest.py", "import cProfile\ncProfile.Profile.snapshot_stats = lambda self: setattr(self, 'stats', {('a.py', 1, 'f'): (1, 1, 0.5, 0.5, {})})\n")
        self.write("test_many.py", "import pytest\n@pytest.mark.parametrize('n', range(3))\ndef test_one(n): pass\n")
        output = self.recorded("--perfshelf", "--perfshelf-min=0", "test_many.py")
        self.assertIn("runs added: 1\nprofiles equal to that of another run, not added: 2\n", output)
        self.assertEqual(len(self.runs()), 1)


if __name__ == "__main__":
    unittest.main()
