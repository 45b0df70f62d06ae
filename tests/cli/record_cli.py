# SPDX-License-Identifier: MIT
"""perfshelf record: the person's own Python with a tool around the program, and the profile on the shelf."""
import functools
import glob
import json
import marshal
import os
import pstats
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import unittest

from program import PROGRAM, ROOT, ShelfTest, call

sys.path += [os.path.join(ROOT, "tests", "bench"), os.path.join(ROOT, "tests", "http")]
import make_lprof  # noqa: E402
import server  # noqa: E402
from wait import wait_until  # noqa: E402

PYTHON = os.path.realpath(sys.executable)  # not a shim that chooses one
# Who starts the tests in the background may have Ctrl-C ignored, and children would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
PROGRAM_TEXT = b"""import json, os, sys
def work(n):
    return sum(i * i for i in range(n))
def main():
    work(1000)
    print("out", *sys.argv[1:])
    print(os.path.basename(__file__), __name__, sys.path[0] == os.path.dirname(os.path.realpath(__file__)))
    sys.stderr.write("err\\n")
    sys.exit(int(os.environ.get("STATUS", 0)))
if __name__ == "__main__":
    main()
"""
MARKED = b"""import time
@profile
def work():
    kept = [b"x" * 1000 for _ in range(10000)]
    time.sleep(0.25)
    return len(kept)
print(work())
"""
# Stands for torch with a GPU: notes the calls, and writes a snapshot whose one allocation has as many bytes as the file `calls`.
TORCH = """import os, pickle
def note(*words):
    with open("calls", "a") as file:
        print(*words, file=file)
class memory:
    def _record_memory_history(**options):
        note("record", options)
    def _dump_snapshot(path):
        note("dump", path)
        event = {"action": "alloc", "addr": 1 << 20, "size": os.path.getsize("calls"), "stream": 0, "frames": []}
        with open(path, "wb") as file:
            pickle.dump({"segments": [], "device_traces": [[event]]}, file)
class cuda:
    memory = memory
    def is_available():
        return os.environ.get("GPU") != "none"
class _C:
    def _cuda_attach_out_of_memory_observer(observer):
        _C.observer = observer
def fail():
    _C.observer(0, 512, 1 << 30, 0)
"""
# Short sleeps: CPython calls the handler of a signal that arrives just before a sleep only after the sleep. The program
# has slept before it is ready: cProfile swallows a KeyboardInterrupt while it looks at a function for the first time
# (findings/cprofile_swallows_interrupts.sh).
WAITS = b"""import json, sys, time
time.sleep(0)
try:
    print("ready", flush=True)
    for _ in range(6000):
        time.sleep(0.1)
finally:
    print("tidy", flush=True)
"""


@functools.cache
def python_with(module):
    """A Python that has the module, or None."""
    for python in (PYTHON, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run(
                [python, "-c", f"import {module}"], capture_output=True).returncode == 0:
            return python
    return None


@functools.cache
def pythons():
    """The Pythons from 3.8 on of this machine: that of the tests, those in PATH, Debian's own and pyenv's."""
    found = {}
    for path in [PYTHON, "/usr/bin/python3", *glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin/python3")),
                 *(shutil.which(f"python3.{minor}") for minor in range(8, 20))]:
        asked = path and os.path.exists(path) and subprocess.run([path, "-c", "import marshal, sys; print(sys.executable, *sys.version_info[:3], sys.abiflags)"],
                                        capture_output=True, text=True)
        if asked and asked.returncode == 0 and tuple(map(int, asked.stdout.split()[1:3])) >= (3, 8):
            found.setdefault(os.path.realpath(asked.stdout.split()[0]), path)
    return list(found)


class RecordTest(ShelfTest):
    def setUp(self):
        super().setUp()
        self.app = self.file("work/app.py", PROGRAM_TEXT)
        self.work = os.path.dirname(self.app)
        self.spare = os.path.join(self.folder, "tmp")
        os.mkdir(self.spare)

    def record(self, *words, status=0, env=None, **options):
        """What a recording said, which must end with this status and leave nothing behind."""
        done = call("record", "--data", self.data, *words, cwd=self.work,
                    env={**os.environ, "TMPDIR": self.spare, **(env or {})}, **options)
        self.assertEqual(done.returncode, status, done.stderr.decode())
        self.assertEqual(os.listdir(self.spare), [])
        return done

    def refused(self, *words, status=1, env=None):
        done = self.record(*words, status=status, env=env)
        lines = done.stderr.decode().splitlines()
        self.assertEqual((len(lines), done.stdout), (1, b""), lines)
        self.assertTrue(lines[0].startswith("perfshelf: record"), lines)
        return lines[0]

    def newest(self):
        return self.json("show", "@1")

    def rows(self, query):
        return self.json("sql", "@1", query)


class Tools(RecordTest):
    def test_importtime(self):
        done = self.record("importtime", "--", PYTHON, "app.py", "a b")
        self.assertEqual(done.stderr, b"err\n")
        self.assertTrue(done.stdout.startswith(b"out a b\napp.py __main__ True\n"), done.stdout)
        self.assertEqual(self.newest()["kind"], "importtime")
        self.assertIn({"module": "json"}, self.rows("SELECT module FROM imports WHERE module = 'json'"))

    def test_importtime_as_it_was_wanted(self):
        python = next((path for path in (PYTHON, shutil.which("python3.14")) if path and self.knows_all(path)), None)
        words = ["-X", "importtime=2"] if python else ["-X", "importtime"]
        done = self.record("importtime", "--", python or PYTHON, *words, "app.py")
        self.assertEqual(done.stderr, b"err\n")

    def test_importtime_in_another_option(self):
        done = self.record("importtime", "--", PYTHON, "-W", "ignore:::importtime", "-Wignore::ImportWarning:importtime", "app.py")
        self.assertEqual(done.stderr, b"err\n")
        self.assertEqual(self.newest()["kind"], "importtime")
        self.assertEqual(self.record("importtime", "--", PYTHON, "-IXimporttime", "-c", "import json").stderr, b"")

    def knows_all(self, python):
        done = subprocess.run([python, "-X", "importtime=2", "-c", ""], capture_output=True)
        return done.returncode == 0 and b"cached" in done.stderr

    def test_cprofile(self):
        done = self.record("cprofile", "--", PYTHON, "app.py")
        self.assertEqual(done.stderr, b"err\n")
        self.assertTrue(done.stdout.startswith(b"out\napp.py __main__ True\n"), done.stdout)
        run = self.newest()
        self.assertEqual((run["kind"], run["name"]), ("pstats", "app.py"))
        rows = self.rows("SELECT name, file FROM functions WHERE name IN ('work', 'main')")
        self.assertEqual({row["name"] for row in rows}, {"work", "main"})
        self.assertEqual({row["file"] for row in rows}, {os.path.realpath(self.app)})

    def test_cprofile_holds_what_python_m_cprofile_would(self):
        """Of each Python at hand: their cProfile differs in what it imports before it records."""
        for python in pythons():
            with self.subTest(python):
                theirs, ours = (os.path.join(self.folder, name) for name in ("theirs.prof", "ours.prof"))
                subprocess.run([python, "-m", "cProfile", "-o", theirs, self.app], check=True, capture_output=True)
                self.record("cprofile", "--force", "-o", ours, "--", python, self.app)
                names = [sorted((os.path.basename(key[0]), re.sub("0x[0-9a-f]+", "0x", key[2]))
                                for key in pstats.Stats(path).stats) for path in (theirs, ours)]
                self.assertEqual(*names)

    def test_lines(self):
        self.file("work/marked.py", MARKED)
        python = self.needs("line_profiler")
        done = self.record("lines", "--", python, "marked.py")
        self.assertEqual((done.stderr, done.stdout[:6]), (b"", b"10000\n"))
        self.assertEqual(self.newest()["kind"], "line_profiler")
        self.assertEqual(self.rows("SELECT hits FROM lines WHERE line = 5 AND hits > 0"), [{"hits": 1}])
        run = self.newest()["id"]
        serving = server.Server(self.data)
        try:
            sources = serving.request("GET", f"/api/v1/runs/{run}/sources").json["rows"]
        finally:
            serving.end()
        self.assertEqual([row["state"] for row in sources], ["attached"])

    def test_lines_that_are_marked_by_the_package(self):
        """`from line_profiler import profile`, as versions since 4.1 have it: a stand-in writes what it is told to."""
        profile = make_lprof.dump({("app.py", 2, "work"): [(3, 1, 100)]})
        self.file("lib/line_profiler.py", f"""class LineProfiler:
    def __call__(self, function): return function
    def dump_stats(self, out):
        with open(out, "wb") as file: file.write({profile!r})
class Marks:
    used = None
    def _kernprof_overwrite(self, recorder): self.used = recorder
    def __call__(self, function): return self.used(function)
profile = Marks()
""".encode())
        self.file("work/marked.py", b"from line_profiler import profile\n@profile\ndef work(): return 7\nprint(work())\n")
        done = self.record("lines", PYTHON, "marked.py", env={"PYTHONPATH": os.path.join(self.folder, "lib")})
        self.assertTrue(done.stdout.startswith(b"7\n"), done)
        self.assertEqual(self.newest()["kind"], "line_profiler")

    def test_lines_without_a_mark(self):
        done = self.record("lines", "--", self.needs("line_profiler"), "app.py")
        self.assertIn("no function was measured; put @profile", done.stderr.decode())

    def test_memory(self):
        self.file("work/marked.py", MARKED)
        done = self.record("memory", "--", self.needs("memory_profiler"), "marked.py")
        self.assertEqual((done.stderr, done.stdout[:6]), (b"", b"10000\n"))
        self.assertEqual(self.newest()["kind"], "mprof")
        original = self.file("work/kept", b"")
        self.record("memory", "-o", original, "--", self.needs("memory_profiler"), "marked.py")
        with open(original, encoding="utf-8") as file:
            words = [line.split()[:2] for line in file]
        self.assertIn(["FUNC", "__main__.work"], words)
        self.assertGreaterEqual(sum(word[0] == "MEM" for word in words), 2)

    def test_torch(self):
        self.file("work/tensors.py", b"import torch\na = torch.ones(9, 9)\nprint(float((a @ a).sum()))\n")
        done = self.record("torch", "--", self.needs("torch"), "tensors.py")
        self.assertIn(b"729.0\n", done.stdout)
        self.assertEqual(self.newest()["kind"], "torch-trace")
        self.assertTrue(self.rows("SELECT name FROM operators WHERE name = 'aten::mm'"))

    def record_memory(self, program, *more, status=0, gpu="one"):
        self.file("work/torch/__init__.py", TORCH.encode())
        self.file("work/train.py", program)
        return self.record("torch", "--memory", *more, "--", PYTHON, "train.py", status=status, env={"PYTHONPATH": self.work, "GPU": gpu})

    def test_torch_memory(self):
        self.record_memory(b"import torch\n")
        self.assertEqual(self.newest()["kind"], "torch-memory")
        done = self.record_memory(b"import torch\ntorch.fail()\ntorch.fail()\ntorch.cuda.memory._dump_snapshot('mine')\nraise SystemExit(3)", "--name", "failed", status=3)
        self.assertEqual(self.newest()["name"], "failed", done.stderr)
        with open(os.path.join(self.work, "calls"), encoding="utf-8") as file:
            record, dumped, mine = file.read().splitlines()[2:]
        self.assertEqual(record, "record {'stacks': 'python', 'max_entries': 1000000}")
        self.assertTrue(dumped.endswith("train.memory.pickle") and mine == "dump mine", (dumped, mine))

    def test_torch_memory_without_gpu(self):
        done = self.record_memory(b"raise SystemExit('must not run')", status=1, gpu="none")
        self.assertIn(b"perfshelf: PyTorch finds no GPU whose memory it can record\n", done.stderr)
        self.assertIn("--memory works only with the recorder torch", self.refused("cprofile", "--memory", "--", PYTHON, "-c", "", status=2))

    def needs(self, module):
        python = python_with(module)
        if not python:
            self.skipTest(f"no Python here has {module}")
        return python


class Commands(RecordTest):
    def test_modules_and_code(self):
        self.file("work/pkg/__init__.py", b"")
        self.file("work/pkg/__main__.py", b"import sys\nprint('package', sys.argv[1:], sys.path[0])\n")
        for tool in ("importtime", "cprofile"):
            done = self.record(tool, "--", PYTHON, "-X", "dev", "-m", "pkg", "-x")
            self.assertTrue(done.stdout.startswith(f"package ['-x'] {os.path.realpath(self.work)}\n".encode()))
            self.assertEqual(self.newest()["name"], "pkg -x")
            done = self.record(tool, "--", PYTHON, "-c", "import sys; print(sys.argv, repr(sys.path[0]))", "z")
            self.assertTrue(done.stdout.startswith(b"['-c', 'z'] ''\n"), done.stdout)

    def test_a_script_with_a_first_line(self):
        for first in (f"#!{PYTHON}", f"#!/usr/bin/env {PYTHON}", f"#!/bin/sh\n'''exec' \"{PYTHON}\" \"$0\" \"$@\"\n' '''"):
            script = self.file("work/tool", f"{first}\nimport sys\nprint('tool', sys.argv[1:])\n".encode())
            os.chmod(script, 0o755)
            self.assertTrue(self.record("cprofile", "./tool", "--flag").stdout.startswith(b"tool ['--flag']\n"))
        done = self.record("importtime", "tool", env={"PATH": f"{self.work}:{os.environ['PATH']}"})
        self.assertTrue(done.stdout.startswith(b"tool []\n"))

    def test_folders_and_archives(self):
        self.file("work/folder/__main__.py", b"print('folder', __name__)\n")
        subprocess.run([PYTHON, "-m", "zipapp", "folder"], cwd=self.work, check=True)
        for target in ("folder", "folder.pyz"):
            done = self.record("cprofile", "--", PYTHON, target)
            self.assertTrue(done.stdout.startswith(b"folder __main__\n"), done.stdout)

    def test_a_module_of_the_current_folder_is_not_the_tool(self):
        self.file("elsewhere/app.py", PROGRAM_TEXT)
        self.file("work/cProfile.py", b"raise SystemExit('not this')\n")
        self.record("cprofile", "--", PYTHON, "../elsewhere/app.py")

    def test_the_program_may_use_its_main_module(self):
        self.file("work/pickles.py", b"import pickle\nclass A: pass\nprint(pickle.loads(pickle.dumps(A())).__class__ is A)\n"
                                     b"import __main__\nprint(__main__.A is A)\n")
        self.assertTrue(self.record("cprofile", "--", PYTHON, "pickles.py").stdout.startswith(b"True\nTrue\n"))

    def test_no_shell(self):
        done = self.record("cprofile", "--", PYTHON, "app.py", "$HOME", "a;b", "*", "")
        self.assertTrue(done.stdout.startswith(b"out $HOME a;b * \n"), done.stdout)

    def test_standard_input(self):
        self.file("work/reads.py", b"print(input())\n")
        self.assertTrue(self.record("cprofile", PYTHON, "reads.py", input=b"said\n").stdout.startswith(b"said\n"))


class Failures(RecordTest):
    def test_a_missing_tool_is_told(self):
        for tool, package in (("lines", "line_profiler"), ("memory", "memory_profiler"), ("torch", "torch")):
            line = self.refused(tool, "--", PYTHON, "-S", "-E", "app.py")
            self.assertIn(f"has no module {package}; install it: {PYTHON} -m pip install {package}", line)
        self.assertFalse(os.path.exists(self.data))

    def test_an_old_python(self):
        python = self.file("work/python3", b"#!/bin/sh\necho 3.6.15 has\n")
        os.chmod(python, 0o755)
        self.assertIn("needs Python 3.7 or later, ./python3 is 3.6.15",
                      self.refused("importtime", "./python3", "app.py"))

    def test_no_python(self):
        self.assertIn("python: not found in PATH", self.refused("cprofile", "python", "app.py", env={"PATH": self.work}))
        self.assertIn("write `python app.py`", self.refused("cprofile", "app.py"))
        self.assertIn("python -m ls", self.refused("cprofile", "/bin/ls", status=2))
        self.assertIn("poetry ... perfshelf record", self.refused("cprofile", "poetry", "run", "pytest", status=2))
        self.assertIn("no program to run", self.refused("cprofile", PYTHON, status=2))

    def test_wrong_usage(self):
        self.assertIn("did you mean cprofile?", self.refused("cprof", PYTHON, "app.py", status=2))
        for number in ("0", "x", "-1", "", "1.5", "99999"):
            self.assertIn("--repeat", self.refused("--repeat", number, "cprofile", PYTHON, "app.py", status=2))
        done = call("record", "cprofile")
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1))

    def test_a_forgotten_recorder(self):
        line = self.fails("record", "python3", "app.py", status=2)
        self.assertIn("'python3' is a program, not a recorder; write a recorder before it, such as `perfshelf record cprofile -- python3 ...`", line)

    def test_a_missing_script(self):
        for recorder in ("cprofile", "importtime"):
            self.assertIn("cannot open nope.py: No such file", self.refused(recorder, PYTHON, "nope.py"))

    def test_the_status_of_the_command(self):
        for tool in ("importtime", "cprofile"):
            done = self.record(tool, PYTHON, "app.py", status=3, env={"STATUS": "3"})
            self.assertIn("the command exited with status 3; its profile is on the shelf", done.stderr.decode())
        self.assertEqual(len(self.json("list")), 2)

    def test_a_program_that_raises(self):
        self.file("work/raises.py", b"def work(): raise ValueError('mine')\nwork()\n")
        done = self.record("cprofile", PYTHON, "raises.py", status=1)
        self.assertIn(b"ValueError: mine", done.stderr)
        self.assertTrue(self.rows("SELECT name FROM functions WHERE name = 'work'"))

    def test_records_that_cprofile_lost(self):
        self.file("work/loses.py", b"import cProfile\ndef fail(*_): raise MemoryError('memory was exhausted while profiling')\n"
                                   b"cProfile.Profile.dump_stats = fail\n")
        said = self.record("cprofile", PYTHON, "loses.py", status=1).stderr.decode()
        self.assertIn("cProfile lost its records: a signal such as Ctrl-C may have arrived", said)
        self.assertIn("it wrote no profile", said)

    def test_a_program_that_leaves_no_profile(self):
        self.file("work/leaves.py", b"import os\nos._exit(0)\n")
        self.assertIn("wrote no profile; a program that calls os._exit()", self.refused("cprofile", PYTHON, "leaves.py"))
        self.file("work/killed.py", b"import os\nos.kill(os.getpid(), 9)\n")
        line = self.refused("cprofile", PYTHON, "killed.py", status=137)
        self.assertIn("the command was killed by signal 9; it wrote no profile", line)
        self.assertEqual(self.json("list"), [])

    def test_a_child_that_lives_on_is_not_waited_for(self):
        self.file("work/leaves.py", b"import subprocess, sys\nchild = subprocess.Popen([sys.executable, '-c', "
                                    b"'import time; time.sleep(300)'], stdout=subprocess.DEVNULL)\n"
                                    b"print(child.pid, file=open('child', 'w'))\n")
        done = self.record("importtime", PYTHON, "leaves.py")
        with open(os.path.join(self.work, "child"), encoding="ascii") as file:
            child = int(file.read())
        os.kill(child, signal.SIGKILL)  # it is there: nobody ended it either
        self.assertIn(f"record: note: the command has ended, but processes that it started still run: {child} (python", done.stderr.decode())

    def test_a_daemon_that_lives_on_is_named(self):
        self.file("work/daemon.py", b"import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
                                    b"        print(os.getpid(), file=open('child', 'w'))\n"
                                    b"        [os.close(fd) for fd in range(3)]\n        time.sleep(300)\n    os._exit(0)\nos.wait()\n"
                                    b"while not os.path.exists('child') or not open('child').read(): time.sleep(0.01)\n")
        done = self.record("cprofile", PYTHON, "daemon.py")
        with open(os.path.join(self.work, "child"), encoding="ascii") as file:
            child = int(file.read())
        os.kill(child, signal.SIGKILL)
        self.assertIn(f"still run: {child} (python", done.stderr.decode())

    def test_processes_that_end_with_the_program_are_not_named(self):
        self.file("work/pool.py", b"import subprocess, sys\n"
                                  b"subprocess.Popen([sys.executable, '-S', '-c', 'input()'], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)\n")
        self.assertNotIn("still run", self.record("cprofile", PYTHON, "pool.py").stderr.decode())


class Signals(RecordTest):
    def on_terminal(self, *words, keys=b"\x03"):
        """Runs on a terminal of its own; `keys` are pressed once the program is ready."""
        self.file("work/waits.py", WAITS)
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.work)
            os.execv(PROGRAM, [PROGRAM, "record", "--data", self.data, *words, "waits.py"])
        said, pressed = b"", False
        while True:
            if not select.select([terminal], [], [], 300)[0]:  # a terminal that is closed is an interrupt of its own
                os.kill(pid, signal.SIGKILL)
                self.fail(f"silent for 300 s after {said.decode()!r}")
            try:
                some = os.read(terminal, 4096)
            except OSError:  # nobody is at the other end
                break
            said += some
            if b"ready" in said and not pressed:
                os.write(terminal, keys)
                pressed = True
        os.close(terminal)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.decode()

    def test_ctrl_c_is_the_programs(self):
        for tool, kind in (("importtime", "importtime"), ("cprofile", "pstats")):
            status, said = self.on_terminal(tool, PYTHON)
            self.assertEqual(status, 130, said)
            self.assertIn("tidy", said)
            self.assertIn("the command was interrupted; its profile is on the shelf", said)
            self.assertEqual(self.newest()["kind"], kind)

    def test_ctrl_c_ends_a_series(self):
        status, said = self.on_terminal("cprofile", "--repeat", "3", PYTHON)
        self.assertEqual((status, len(self.json("list"))), (130, 1), said)

    def test_ctrl_c_with_samples(self):
        python = python_with("memory_profiler")
        if not python:
            self.skipTest("no Python here has memory_profiler")
        status, said = self.on_terminal("memory", python)
        self.assertEqual(status, 130, said)
        self.assertEqual(self.newest()["kind"], "mprof")

    def test_a_signal_to_us_is_passed_on(self):
        self.file("work/waits.py", WAITS)
        process = subprocess.Popen([PROGRAM, "record", "--data", self.data, "cprofile", PYTHON, "waits.py"],
                                   cwd=self.work, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn(b"tidy", out)
        self.assertEqual(len(self.json("list")), 1)


class About(RecordTest):
    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e@example.org", *words], cwd=self.work,
                       check=True, capture_output=True)

    def tags(self):
        return self.newest()["tags"]

    def test_command_host_python(self):
        self.record("cprofile", "--", PYTHON, "app.py", "a b", "--api-key=abc", "--password", "hush", "it's")
        tags = self.tags()
        self.assertEqual(tags["command"], f"{PYTHON} app.py 'a b' --api-key=(masked) --password (masked) 'it'\\''s'")
        self.assertEqual((tags["host"], tags["python"]), (os.uname().nodename, "%d.%d.%d" % sys.version_info[:3]))
        self.assertNotIn("hush", self.newest()["name"])
        self.record("cprofile", "--", PYTHON, "app.py", "-H", "Authorization: Bearer x", "db://u:p@h/", "http://h:1/@")
        self.assertEqual(self.tags()["command"], f"{PYTHON} app.py -H Authorization:(masked) (masked) http://h:1/@")

    def test_commit(self):
        self.git("init", "-q")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "all")
        commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=self.work, capture_output=True, text=True).stdout
        self.record("cprofile", PYTHON, "app.py")
        self.assertEqual(self.tags()["commit"], commit.strip())
        self.assertNotIn("dirty", self.tags())
        self.file("work/app.py", PROGRAM_TEXT + b"# more\n")
        self.record("cprofile", PYTHON, "app.py")
        self.assertEqual(self.tags()["dirty"], "yes")

    def test_given_tags_and_names_win(self):
        self.record("--tag", "host=ci", "--name", "mine", "--series", "nightly", "cprofile", PYTHON, "app.py")
        run = self.newest()
        self.assertEqual((run["name"], run["series"], self.tags()["host"]), ("mine", "nightly", "ci"))

    def test_repeat(self):
        kept = os.path.join(self.folder, "kept.prof")
        done = self.record("cprofile", "--repeat", "3", "--json", "-o", kept, "--", PYTHON, "app.py")
        lines = [json.loads(line) for line in done.stdout.decode().splitlines()]
        self.assertEqual([line["kind"] for line in lines], ["pstats"] * 3)
        self.assertEqual(done.stderr.count(b"out\n"), 3)
        self.assertEqual({run["series"] for run in self.json("list")}, {"app.py"})
        self.assertEqual(self.tags()["repeat"], "3/3")
        self.assertEqual(sorted(name for name in os.listdir(self.folder) if name.startswith("kept")),
                         ["kept.1.prof", "kept.2.prof", "kept.3.prof"])
        pstats.Stats(os.path.join(self.folder, "kept.2.prof"))

    def test_code_is_named_by_its_text(self):
        for code in ("import json", "import argparse"):
            self.record("cprofile", "--repeat", "2", "--", PYTHON, "-c", code, "z")
        self.assertEqual([(run["name"], run["series"]) for run in self.json("list")],
                         [("-c 'import argparse' z",) * 2] * 2 + [("-c 'import json' z",) * 2] * 2)

    def test_a_long_command_is_taken_by_any_shelf(self):
        self.record("cprofile", "--", PYTHON, "-c", "import json", "\u00e9" * 700)
        bundle = os.path.join(self.folder, "run.perfshelf")
        self.ok("export", "@1", "-o", bundle)
        [run] = self.json("list")
        self.assertTrue(run["tags"]["command"].endswith("..."))
        self.data += "2"
        self.assertEqual(self.run_verb("add", bundle).returncode, 0)
        self.assertEqual(self.json("list")[0]["tags"], run["tags"])

    def test_long_programs_of_one_beginning_are_several_series(self):
        begin = "import json\nx = 'é" + "a" * 80
        for end in ("b", "c"):
            self.record("cprofile", "--repeat", "2", "--", PYTHON, "-c", f"{begin}{end}'")
        self.record("cprofile", "--repeat", "2", "--", PYTHON, "app.py", begin, "one")
        self.record("cprofile", "--repeat", "2", "--", PYTHON, "app.py", begin, "two")
        self.record("cprofile", "--repeat", "2", "--", PYTHON, "app.py", "--password", "hush")
        self.record("cprofile", "--repeat", "2", "--", PYTHON, "app.py", "--password", "other")
        runs = self.json("list")
        self.assertEqual(len({run["series"] for run in runs}), 5)
        self.assertIn("app.py --password (masked)", {run["series"] for run in runs})
        for run in runs:
            self.assertLess(len(run["name"]), 70)
            self.assertTrue(run["series"].startswith(run["name"].rstrip("…")), run)
            self.assertNotIn("\n", run["name"])

    def test_a_file_is_overwritten_only_with_force(self):
        kept = self.file("kept.prof", b"precious")
        line = self.refused("-o", kept, "cprofile", PYTHON, "app.py")  # before the program ran
        self.assertIn("kept.prof already exists; --force overwrites it", line)
        with open(kept, "rb") as file:
            self.assertEqual(file.read(), b"precious")
        self.record("--force", "-o", kept, "cprofile", PYTHON, "app.py")
        pstats.Stats(kept)
        self.assertEqual(len(self.json("list")), 1)

    def test_a_fifo_keeps_the_profile(self):
        fifo = os.path.join(self.folder, "fifo")
        os.mkfifo(fifo)
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)  # the profile is less than a pipe holds
        self.addCleanup(os.close, reader)
        self.record("-o", fifo, "cprofile", PYTHON, "app.py")
        self.assertIn("work", {key[2] for key in marshal.loads(os.read(reader, 65536))})

    def test_a_file_that_cannot_be_kept_is_refused_before_the_program_runs(self):
        for path in ("/no/such/folder/f", self.app + "/f", os.path.join(self.folder, "x" * 300)):
            self.assertIn(path, self.refused("--repeat", "2", "-o", path, "cprofile", PYTHON, "app.py"))
        self.assertIn("-o needs the name of a file", self.fails("record", "-o", "", "cprofile", PYTHON, "app.py", status=2))

    def test_a_folder_that_the_program_removes(self):
        gone = os.path.join(self.folder, "gone")
        os.mkdir(gone)
        script = self.file("remove.py", f"import os\nos.rmdir({gone!r})\n".encode())
        done = self.record("-o", os.path.join(gone, "f"), "cprofile", PYTHON, script, status=1)
        self.assertIn(b"gone/f", done.stderr)
        self.assertEqual(len(self.json("list")), 1)

    def test_a_recording_that_cannot_be_added_is_kept(self):
        """It may have taken hours."""
        script = self.file("loses.py", f"import os, sys\nos.rename({self.data!r}, {self.data!r} + sys.argv[1])\n".encode())
        done = call("record", "--data", self.data, "cprofile", PYTHON, script, "1", cwd=self.work, env={**os.environ, "TMPDIR": self.spare})
        self.assertEqual(done.returncode, 1)
        [kept] = glob.glob(os.path.join(self.spare, "*", "*"))
        self.assertTrue(done.stderr.decode().endswith(f"perfshelf: {kept}: note: the recording is kept in this file; `perfshelf add` adds it\n"), done.stderr)
        self.assertEqual(call("add", "--data", self.data, kept).returncode, 0)
        shutil.rmtree(os.path.dirname(kept))
        # The file of -o is enough.
        out = os.path.join(self.folder, "out.prof")
        done = self.record("-o", out, "cprofile", PYTHON, script, "2", status=1)
        self.assertIn(f"perfshelf: {out}: note: the recording is kept in this file".encode(), done.stderr)
        pstats.Stats(out)

    def test_a_full_disk(self):
        fills = self.file("fills.py", f"import os\ntry:\n    open('{self.folder}/full/filler', 'wb').write(bytes(6 << 20))\nexcept OSError:\n    pass\n".encode())
        script = f"""mount -t tmpfs -o size=6m none '{self.folder}/full' || exit 77
            '{PROGRAM}' record --data '{self.folder}/full/shelf' cprofile '{PYTHON}' '{fills}'; echo "status $?"
            rm '{self.folder}/full/filler'; exec '{PROGRAM}' add --data '{self.folder}/full/shelf' '{self.spare}'/*/fills.prof"""
        os.mkdir(os.path.join(self.folder, "full"))
        names = [] if os.geteuid() == 0 else ["-Ur"]
        done = subprocess.run(["unshare", *names, "-m", "sh", "-c", script], capture_output=True, timeout=300, text=True, env={**os.environ, "TMPDIR": self.spare})
        if "status" not in done.stdout:
            self.skipTest("no mount namespace with a tmpfs may be made here")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("status 1", done.stdout)
        self.assertIn("fills.prof: note: the recording is kept in this file", done.stderr)


class Opening(RecordTest):
    def opened(self):
        """An xdg-open that writes down what it is given, and the environment that has it."""
        self.script = self.file("bin/xdg-open", f"#!/bin/sh\necho \"$1\" >> '{self.folder}/opened'\n".encode())
        os.chmod(self.script, 0o755)
        return {**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "DISPLAY": ":9"}

    def addresses(self):
        path = os.path.join(self.folder, "opened")
        wait_until(lambda: os.path.exists(path) and os.path.getsize(path), 20, "xdg-open was started")
        with open(path, encoding="utf-8") as file:
            return file.read().split()

    def test_at_the_server_that_runs(self):
        env = self.opened()
        serving = server.Server(self.data)
        try:
            listen = f"{serving.host}:{serving.port}"
            done = self.record("--open", "--listen", listen, "cprofile", PYTHON, "app.py", env=env)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(self.addresses(), [f"http://{listen}/#/run/{self.newest()['id']}"])
        finally:
            serving.end()

    def test_with_a_server_of_its_own(self):
        process = subprocess.Popen([PROGRAM, "record", "--data", self.data, "--open", "--listen", "127.0.0.1:0",
                                    "cprofile", PYTHON, "app.py"], cwd=self.work, env=self.opened(),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            opened = self.addresses()
            self.assertEqual(len(opened), 1)
            self.assertRegex(opened[0], rf"^http://127\.0\.0\.1:\d+/#/run/{self.newest()['id']}$")
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)


if __name__ == "__main__":
    unittest.main()
