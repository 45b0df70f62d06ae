# SPDX-License-Identifier: MIT
"""Answers pinned byte for byte: trees of each kind at several options, tables, conclusions and comparisons, over small runs.

tests/pinned/ has one file for each answer. `./dev pinned` writes them again, and shows as a diff what a change of the code changes in
the answers. Ids of runs are replaced by the names of their samples, and times of import are left out: they differ in each run.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from server import PROGRAM, ROOT, Server

FOLDER = os.path.join(ROOT, "tests", "pinned")
CUDA, TRACE = "tests/recorded/torch-cuda/gpt_inference.trace.json.gz", "tests/recorded/changes/trace-new.json.gz"
# The sample of each run, and the paths below the run that are asked.
RUNS = {
    "importtime": ("tests/golden/importtime/ok_threads.log", ["", "conclusion", "imports", "imports/tree", "imports/tree?min_pct=10", "packages", "what_if"]),
    "pstats": ("demo/profiles/bookshop-slow.prof", ["conclusion", "functions?limit=20", "files", "calltree?min_pct=5", "calltree?min_pct=1&depth=4", "graph?node_pct=5", "functions/{functions}"]),
    "folded": ("tests/golden/folded/ok_tachyon.collapsed", [
        "", "conclusion", "stack_flame", "stack_flame?tf=invert", "stack_flame?mode=line", "stack_flame?limit=3", "stack_functions", "sandwich?name_id={stack_functions}", "stack_threads?bins=10"]),
    "threads": ("tests/golden/speedscope/ok_pyspy_threads.json", ["conclusion", "stack_flame", "stack_flame?tf=recursion", "stack_threads?bins=10", "stack_functions"]),
    "memray": ("tests/golden/speedscope/ok_memray.json", ["conclusion", "stack_flame", "stack_flame?tf=invert"]),
    "gecko": ("tests/golden/gecko/ok_shared.json", ["conclusion", "stack_flame", "stack_functions"]),
    "pyinstrument": ("tests/golden/pyinstrument/ok_session.pyisession", ["conclusion", "stack_flame", "stack_functions?limit=20"]),
    "flamegraph-svg": ("tests/golden/svg/ok_normal.svg", ["conclusion", "stack_flame?limit=30"]),
    "torch-cpu": (TRACE, ["conclusion", "flame?on=cpu&limit=60", "operators?limit=20", "steps"]),
    "torch-cuda": (CUDA, ["conclusion", "flame?on=device&limit=60", "flame?on=wall&limit=40", "flame?on=python&limit=60", "kernels?limit=20", "overview"]),
    "nsys": ("tests/golden/nsys/ok_full.sqlite", ["", "conclusion", "flame?on=device", "flame?on=wall", "kernels", "operators", "summary?report=cuda_gpu_kern_sum"]),
    "torch-memory": ("tests/golden/torch_memory/ok_mini_p4.pickle", [
        "conclusion", "snapshot", "snapshot/flame", "snapshot/leaks", "snapshot/live", "stack_flame?weight=bytes"]),
    "scalene": ("tests/golden/scalene/ok_v240_leak.json", ["conclusion", "line_functions", "line_files"]),
    "line_profiler": ("tests/golden/lprof/ok_v50_async.lprof", ["conclusion", "line_functions", "source?file={line_files}"]),
    "memory_profiler": ("tests/golden/memory_text/ok_recursion.txt", ["conclusion", "line_functions"]),
    "mprof": ("tests/golden/mprof/ok_functions.dat", ["conclusion", "spans"]),
    "key-averages": ("tests/golden/key_averages/ok_cuda.txt", ["conclusion", "operators"]),
    "hyperfine": ("tests/golden/measure/ok_hyperfine_v2_parameters.json", ["conclusion", "measurements"]),
    "pytest-benchmark": ("tests/golden/measure/ok_pytest_v5.json", ["conclusion", "measurements"]),
}
# Pairs of samples, and what is asked of their comparison.
PAIRS = {
    "importtime": ("demo/profiles/ipython-cold.log", "demo/profiles/ipython-warm.log", ["", "/conclusion", "/imports?limit=10", "/packages?limit=10", "/tree?min_pct=10&limit=20"]),
    "pstats": ("demo/profiles/bookshop-slow.prof", "demo/profiles/bookshop-joined.prof", ["", "/conclusion", "/functions?limit=10", "/tree?limit=40"]),
    "folded": ("tests/golden/folded/ok_plain.txt", "tests/golden/folded/ok_odd.txt", ["", "/conclusion", "/tree"]),
    "scalene": ("tests/golden/scalene/ok_v240_loops.json", "tests/golden/scalene/ok_v240_loops_slower.json", ["", "/conclusion"]),
    "torch-memory": ("tests/golden/torch_memory/ok_oom.pickle", "tests/golden/torch_memory/ok_history.pickle", ["", "/snapshot"]),
    "torch-trace": ("tests/recorded/changes/trace-base.json.gz", "tests/recorded/changes/trace-new.json.gz", ["/conclusion", "/operators?limit=10", "/tree?limit=40"]),
}
# Keys that differ from import to import, or from one version of SQLite to the next.
CHANGING = {"created_at", "who", "db_bytes", "age_s"}
WIDTH = 160


def text_of(value, indent=0):
    """JSON of one line where that is short, else with one value a line. Columns of scalars are one line each."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or len(line) + indent <= WIDTH or isinstance(value, list) and not any(isinstance(part, (dict, list)) for part in value):
        return line
    rows = [f"{json.dumps(key, ensure_ascii=False)}: {text_of(part, indent + 1)}" for key, part in value.items()] if isinstance(value, dict) else [text_of(part, indent + 1) for part in value]
    opened, closed = "{}" if isinstance(value, dict) else "[]"
    return f"{opened}\n" + ",\n".join(" " * (indent + 1) + row for row in rows) + f"\n{' ' * indent}{closed}"


def without_changing(value):
    if isinstance(value, dict):
        return {key: without_changing(part) for key, part in value.items() if key not in CHANGING}
    return [without_changing(part) for part in value] if isinstance(value, list) else value


class Shelf:
    """A shelf with the samples, and their answers."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="perfshelf-pinned-")
        samples = sorted({path for path, _ in RUNS.values()} | {path for base, new, _ in PAIRS.values() for path in (base, new)})
        self.ids = {}
        for sample in samples:
            done = subprocess.run([PROGRAM, "add", "--data", self.folder, os.path.join(ROOT, sample)], capture_output=True, text=True)
            if done.returncode:
                raise AssertionError(done.stderr)
            self.ids[sample] = done.stdout.split()[0]
        self.server = Server(self.folder)
        self.link = self.server.connect()

    def end(self):
        self.link.close()
        self.server.end()
        shutil.rmtree(self.folder)

    def ask(self, path):
        self.link.request("GET", "/api/v1/" + path)
        reply = self.link.getresponse()
        body = reply.read()
        if reply.status != 200:
            raise AssertionError(f"{path}: {reply.status} {body.decode()}")
        return body.decode()

    def first(self, path, table):
        """The key of the first row of a table: of functions in stacks the id of their name."""
        answer = json.loads(self.ask(f"{path}{table}?limit=1"))
        return answer["rows"][0][answer["columns"].index("name_id" if table == "stack_functions" else "id")]

    def answer(self, path):
        text = self.ask(path)
        for sample, run in self.ids.items():
            text = text.replace(run, os.path.basename(sample))
        return text_of(without_changing(json.loads(text))) + "\n"

    def answers(self):
        """(name of its file, its text) of each."""
        for label, (sample, asked) in RUNS.items():
            run = f"runs/{self.ids[sample]}/"
            for path in asked:
                full = run + re.sub(r"\{(\w+)\}", lambda match: str(self.first(run, match[1])), path)
                yield file_of(f"{label}/{path or 'run'}"), self.answer(full.rstrip("/"))
        for label, (base, new, asked) in PAIRS.items():
            for path in asked:
                view, _, options = path.partition("?")
                groups = f"?base={self.ids[base]}&new={self.ids[new]}{'&' * bool(options)}{options}"
                yield file_of(f"{label}/compare{path}"), self.answer(f"compare{view}{groups}")


def file_of(name):
    label, asked = name.split("/", 1)
    return os.path.join(label, re.sub(r"[^\w.=-]+", "_", asked).strip("_") + ".json")


def written():
    return {os.path.join(os.path.basename(folder), name) for folder, _, names in os.walk(FOLDER) for name in names}


class PinnedTest(unittest.TestCase):
    maxDiff = 4000

    def test_answers(self):
        shelf = Shelf()
        self.addCleanup(shelf.end)
        left = written()
        for name, text in shelf.answers():
            with self.subTest(name), open(os.path.join(FOLDER, name), encoding="utf-8") as file:
                left.discard(name)
                self.assertEqual(file.read(), text)
        self.assertEqual(left, set(), "answers that nothing asks for")


def write():
    shelf = Shelf()
    shutil.rmtree(FOLDER, ignore_errors=True)
    for name, text in shelf.answers():
        os.makedirs(os.path.dirname(os.path.join(FOLDER, name)), exist_ok=True)
        with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as file:
            file.write(text)
    shelf.end()


if __name__ == "__main__":
    sys.exit(write())
