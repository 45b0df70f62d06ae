# SPDX-License-Identifier: MIT
"""The handlers for torch and Lightning.

Lightning is not in Debian, so a stand-in has the interface of its profilers as its documentation describes them: what the
Trainer calls, in its order. torch is used where a Python has it.
"""
import json
import os
import shutil
import subprocess
import tempfile
import unittest

from interpreters import PROGRAM, ROOT, environment, pythons, python_with

TRACE = os.path.join(ROOT, "demo", "profiles", "training.pt.trace.json.gz")

PROFILERS = """
class Profiler:
    def __init__(self, dirpath=None, filename=None):
        self.dirpath, self.filename, self._stage, self._local_rank = dirpath, filename, None, None
    def start(self, action_name): raise NotImplementedError
    def stop(self, action_name): raise NotImplementedError
    def summary(self): return ""
    def setup(self, stage, local_rank=None, log_dir=None):
        self._stage, self._local_rank, self.dirpath = stage, local_rank, self.dirpath or log_dir
    def teardown(self, stage): pass
    def describe(self):
        self.summary()
        self.teardown(stage=self._stage)
    def __del__(self): self.teardown(stage=self._stage)

class PyTorchProfiler(Profiler):
    def __init__(self, dirpath=None, filename=None, record_module_names=True, **profiler_kwargs):
        super().__init__(dirpath=dirpath, filename=filename)
        self.kwargs, self.steps = profiler_kwargs, 0
    def start(self, action_name): pass
    def stop(self, action_name): self.steps += action_name.endswith("training_step")
    def summary(self):
        self.kwargs["on_trace_ready"](Trace())

class Trace:
    def export_chrome_trace(self, path):
        import gzip, os
        with gzip.open(%r) as packed, open(path, "wb") as file:
            file.write(packed.read() + b"\\n" * int(os.environ.get("RANK", "0")))  # no two ranks write the same bytes

class Trainer:
    def __init__(self, profiler):
        assert isinstance(profiler, Profiler)
        self.profiler = profiler
    def fit(self, step):
        self.profiler.setup(stage="fit", local_rank=None, log_dir=None)
        for _ in range(3):
            self.profiler.start("[Strategy]training_step")
            step()
            self.profiler.stop("[Strategy]training_step")
        self.profiler.describe()
""" % TRACE
USE = """
import json, sys
import perfshelf
from PACKAGE.profilers import Trainer
def fibonacci(n): return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
profiler = perfshelf.LightningProfiler(KIND, name="job", series="fits", tags={"a": 1})
Trainer(profiler=profiler).fit(lambda: fibonacci(8))
print(profiler.run.id)
"""
RANK = """
import sys
import perfshelf
sys.path.insert(0, "lightning/pytorch")
from profilers import Trace
handler = perfshelf.trace_handler("job", series="jobs", FOLDER)
handler(Trace())
print(handler.run.id if handler.run else None)
"""
REAL = """
import torch, perfshelf
from torch.profiler import profile, schedule, ProfilerActivity
handler = perfshelf.trace_handler("real")
with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=0, warmup=1, active=2, repeat=2), on_trace_ready=handler) as profiler:
    for _ in range(6):
        (torch.ones(64, 64) @ torch.ones(64, 64)).sum()
        profiler.step()
print(handler.cycle, handler.run.kind)
with perfshelf.record("torch", name="block") as block:
    (torch.ones(64, 64) @ torch.ones(64, 64)).sum()
print(block.run.kind)
"""


class Training(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="perfshelf-training-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.python = next(iter(pythons().values()))
        for package in ("lightning/pytorch", "pytorch_lightning"):
            os.makedirs(os.path.join(self.folder, package))
            with open(os.path.join(self.folder, package, "profilers.py"), "w", encoding="utf-8") as file:
                file.write(PROFILERS)

    def start(self, code, python=None, **env):
        path = environment(self.folder)["PYTHONPATH"] + os.pathsep + self.folder
        done = subprocess.run([python or self.python, "-W", "error", "-c", code], cwd=self.folder, env=environment(self.folder, PYTHONPATH=path, **env), capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def run_row(self, run):
        data = os.path.join(self.folder, ".local/share/perfshelf")
        rows = json.loads(subprocess.run([PROGRAM, "list", "--data", data, "--json"], capture_output=True, check=True).stdout)
        return next(row for row in rows if row["id"] == run)

    def test_lightning(self):
        for package in ("lightning.pytorch", "pytorch_lightning"):
            for kind, expected in (("torch", "torch-trace"), ("cprofile", "pstats")):
                with self.subTest(package=package, kind=kind):
                    [run] = self.start(USE.replace("PACKAGE", package).replace("KIND", repr(kind)))
                    row = self.run_row(run)
                    self.assertEqual((row["kind"], row["name"], row["series"]), (expected, "job", "fits"))
                    self.assertEqual((row["tags"]["stage"], row["tags"]["a"]), ("fit", "1"))

    def test_without_lightning(self):
        self.assertIn("neither", self.start("import perfshelf, shutil\nfor name in ('lightning', 'pytorch_lightning'): shutil.rmtree(name)\n"
                                            "try: perfshelf.LightningProfiler()\nexcept perfshelf.Error as error: print(error)"))

    def test_ranks_as_runs(self):
        runs = [self.start(RANK.replace("FOLDER", ""), RANK=str(rank), WORLD_SIZE="2")[0] for rank in range(2)]
        row = self.run_row(runs[1])
        self.assertEqual((row["name"], row["tags"]["rank"], row["tags"]["world_size"]), ("job rank 1", "1", "2"))

    def test_ranks_as_one_run(self):
        code = RANK.replace("FOLDER", "folder='traces of job'")
        self.assertEqual(self.start(code, RANK="0", WORLD_SIZE="2"), ["None"])
        [run] = self.start(code, RANK="1", WORLD_SIZE="2")
        row = self.run_row(run)
        self.assertEqual((row["name"], row["series"], row["tags"]["world_size"], row["kind"]), ("job", "jobs", "2", "torch-trace"))
        self.assertEqual(row["summary"].get("ranks", row["summary"].get("workers")), 2, row["summary"])
        self.assertEqual(len([name for name in os.listdir(os.path.join(self.folder, "traces of job/cycle-0")) if name.endswith(".pt.trace.json")]), 2)

    def test_torch(self):
        self.assertEqual(self.start(REAL, python_with("torch.profiler")), ["2", "torch-trace", "torch-trace"])


if __name__ == "__main__":
    unittest.main()
