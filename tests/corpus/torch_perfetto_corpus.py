# SPDX-License-Identifier: MIT
"""A run of PyTorch gives the same tables, whether its profiler wrote JSON or a .pftrace.

tests/made_pftrace.py writes both of each trace of the corpus: the .pftrace, and the JSON with what a .pftrace holds. It says what that is."""
import atexit
import functools
import glob
import gzip
import json
import os
import shutil
import sys
import tempfile
from collections import Counter

from corpus import ROOT, CorpusTest, Shelf, present

sys.path.insert(0, os.path.join(ROOT, "tests"))
import made_pftrace  # noqa: E402
from long import SHORT  # noqa: E402

FOLDERS = ("wild/torch-trace", "wild2/graph-replay", "made/torch-trace")
BYTES_MAX = 8_000 if SHORT else 30_000 # of a trace; the largest of them are compressed

# Columns that identify a row and those that are compared.
TABLES = {
    "operators": "SELECT * FROM operators",
    "operators_by_shape": "SELECT * FROM operators_by_shape",
    "kernels": "SELECT * FROM kernels",
    "collectives": "SELECT name, process_group, description, members, group_size, sequence, dtype, bytes_in, bytes_out, start_ns, duration_ns FROM collectives",
    "steps": "SELECT * FROM steps",
    "step_parts": "SELECT * FROM step_parts",
    "modules": "SELECT name, calls, host_self_us, host_total_us, device_self_us, device_total_us, operators FROM modules",
    "flows": "SELECT kind, from_ns, to_ns FROM flows",
    "counters": "SELECT * FROM counters",
    "slices": "SELECT s.process, s.thread, s.category, s.name, s.start_ns, s.duration_ns, s.self_ns, s.depth, s.kind, l.name AS launch,"
              " l.start_ns AS launched_ns, o.name AS operator, o.start_ns AS operator_ns"
              " FROM slices s LEFT JOIN slices l ON l.id = s.launch_id LEFT JOIN slices o ON o.id = s.operator_id",
}


def traces():
    """Traces of PyTorch with slices."""
    found = glob.glob(os.path.join(ROOT, "tests", "golden", "trace", "ok_*.json*")) + glob.glob(os.path.join(ROOT, "tests", "recorded", "torch-c*", "*.trace.json.gz"))
    for folder in FOLDERS:
        for path in present(folder):
            found += glob.glob(os.path.join(path, "*.json")) + glob.glob(os.path.join(path, "*.json.gz"))
    return sorted(path for path in found if not path.endswith(".dump") and ".oracle." not in path and ".details." not in path and os.path.getsize(path) <= BYTES_MAX)


def window(path):
    """What a .pftrace holds of a trace; None: it is no JSON, or has no slices of PyTorch."""
    try:
        window = made_pftrace.window_of(made_pftrace.read(path))
    except (ValueError, KeyError, TypeError): # samples of damaged JSON
        return None
    return window if window.cpu and {row["cat"] for row in window.cpu} & {"cpu_op", "user_annotation", "python_function"} else None


class Pair:
    def __init__(self, folder, path, window):
        self.name = os.path.relpath(path, os.path.dirname(ROOT))
        stem = os.path.join(folder, os.path.basename(path).split(".")[0] + f"-{len(os.listdir(folder))}")
        self.json, self.pftrace = stem + ".json", stem + ".pftrace"
        with open(self.json, "w", encoding="utf-8", errors="surrogatepass") as file:
            json.dump(made_pftrace.json_of(window), file)
        with open(self.pftrace, "wb") as file:
            file.write(gzip.compress(made_pftrace.encode(window), 1, mtime=0))


@functools.cache
def pairs():
    folder = tempfile.mkdtemp(prefix="perfshelf-pftrace-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return [Pair(folder, path, found) for path in traces() if (found := window(path))]


@functools.cache
def shelf():
    shelf = Shelf()
    shelf.add([path for pair in pairs() for path in (pair.json, pair.pftrace)])
    return shelf


ANSWERS = ("conclusion", "findings", "flame?on=device&limit=60", "flame?on=cpu&limit=60")


def without_names(answer):
    """The answer without what names the run or its file."""
    if isinstance(answer, dict):
        return {key: without_names(value) for key, value in answer.items() if key not in ("run", "runs", "slice_id", "id", "name_id", "from_slice", "to_slice")}
    return [without_names(value) for value in answer] if isinstance(answer, list) else answer


def rows_of(rows):
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


class TorchPerfetto(CorpusTest):
    fill = staticmethod(shelf)

    def test_all_are_read(self):
        self.assertGreater(len(pairs()), 10)
        for pair in pairs():
            with self.subTest(trace=pair.name):
                run = self.shelf.of(pair.pftrace)
                self.assertEqual((run["kind"], run["repaired"], run["rejected"]), ("torch-trace", 0, 0))
                self.assertEqual([self.shelf.show(path)["tool"] for path in (pair.json, pair.pftrace)], ["PyTorch profiler"] * 2)

    def check_table(self, name):
        for pair in pairs():
            with self.subTest(trace=pair.name):
                expected, found = (Counter(rows_of(self.shelf.sql(path, TABLES[name]))) for path in (pair.json, pair.pftrace))
                self.assertEqual([*(expected - found)][:3], [*(found - expected)][:3])

    def arguments(self, path):
        rows = self.shelf.sql(path, "SELECT category, name, start_ns, args FROM slices")
        return Counter(json.dumps({**row, "args": json.loads(row["args"])}, sort_keys=True) for row in rows if row["category"] != "gpu_user_annotation")

    def test_arguments(self):
        """The arguments of each slice are those of the JSON, in another order. Annotations have those of their stream in a .pftrace alone."""
        for pair in pairs():
            if "large-int" in pair.name: # a .pftrace holds integers of 64 bits
                continue
            with self.subTest(trace=pair.name):
                expected, found = self.arguments(pair.json), self.arguments(pair.pftrace)
                self.assertEqual([*(expected - found)][:3], [*(found - expected)][:3])

    def test_answers(self):
        """What is computed from the tables is equal too: conclusion, findings and others."""
        for pair in pairs():
            for view in ANSWERS:
                with self.subTest(trace=pair.name, view=view):
                    expected, found = (self.shelf.ask("GET", f"/runs/{self.shelf.of(path)['id']}/{view}") for path in (pair.json, pair.pftrace))
                    self.assertEqual(without_names(expected), without_names(found))


for table in TABLES:
    setattr(TorchPerfetto, f"test_{table}", lambda self, table=table: self.check_table(table))


class Encoder(CorpusTest):
    """The JSON and the .pftrace that PyTorch's own writers made of one recording (tests/golden/make_torch_perfetto.py)."""
    JSON = os.path.join(ROOT, "tests", "golden", "trace", "ok_torch215.json.gz")
    PFTRACE = os.path.join(ROOT, "tests", "golden", "torch_perfetto", "ok_graph.pftrace")

    @staticmethod
    @functools.cache
    def fill():
        shelf = Shelf()
        shelf.add([Encoder.JSON, Encoder.PFTRACE])
        return shelf

    def rows(self, statement):
        return [Counter(rows_of(self.shelf.sql(path, statement))) for path in (self.JSON, self.PFTRACE)]

    def test_tables(self):
        for name, statement in TABLES.items():
            if name in ("counters", "flows", "slices"):
                continue
            with self.subTest(table=name):
                self.assertEqual(*self.rows(statement))

    def test_slices(self):
        """The JSON alone has the span of the recording and the marks at its ends."""
        self.assertEqual(*self.rows("SELECT * FROM (" + TABLES["slices"] + ") WHERE category != 'Trace'"))

    def test_counters(self):
        """The JSON cuts the cycles of a kernel, the .pftrace rounds them."""
        json, pftrace = (sorted((row["name"], row["process"], row["t_ns"], row["value"]) for row in self.shelf.sql(path, TABLES["counters"]))
                         for path in (self.JSON, self.PFTRACE))
        self.assertEqual([row[:3] for row in json], [row[:3] for row in pftrace])
        for one, other in zip(json, pftrace):
            self.assertLessEqual(abs(one[3] - other[3]), 1.0 if one[0].startswith("Cycles") else 0.0)

    def test_edges(self):
        """Work that waits for other work has a flow from its last nanosecond. In JSON the flow begins after the slice, so that it has no slice."""
        flows = self.shelf.sql(self.PFTRACE, "SELECT a.name AS a, b.name AS b, f.from_ns - a.start_ns - a.duration_ns AS gap FROM flows f"
                                             " JOIN slices a ON a.id = f.from_slice JOIN slices b ON b.id = f.to_slice WHERE a.category = 'kernel'")
        self.assertEqual({flow["gap"] for flow in flows}, {-1})
        self.assertEqual(Counter(flow["b"] for flow in flows)["HostNode: callback"], 1)
        self.assertEqual(Counter(flow["b"] for flow in flows)["EventRecord"], 1)
        self.assertEqual(len(flows), 12)
        launches = "SELECT * FROM (" + TABLES["flows"].replace("SELECT ", "SELECT from_slice, ") + ") WHERE from_slice IN (SELECT id FROM slices WHERE category = 'cuda_runtime')"
        self.assertEqual(*([{key: row[key] for key in ("from_ns", "to_ns")} for row in self.shelf.sql(path, launches)] for path in (self.JSON, self.PFTRACE)))


CASES = sorted(glob.glob(os.path.join(ROOT, "tests", "causes", "torch", "*.trace.json.gz")))


class Causes(CorpusTest):
    """The cases of the exam of causes: the .pftrace names the cause that the JSON names. PERFSHELF_ALL_CAUSES=1: all of them."""
    SOME = ("cat_history", "loader_workers", "none_mlp", "flush_metrics")

    @staticmethod
    @functools.cache
    def cases():
        folder = tempfile.mkdtemp(prefix="perfshelf-causes-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        paths = [path for path in CASES if os.environ.get("PERFSHELF_ALL_CAUSES") or os.path.basename(path).split(".")[0] in Causes.SOME]
        return [Pair(folder, path, window(path)) for path in paths]

    @staticmethod
    @functools.cache
    def fill():
        shelf = Shelf()
        shelf.add([path for pair in Causes.cases() for path in (pair.json, pair.pftrace)])
        return shelf

    def test_conclusions(self):
        self.assertGreaterEqual(len(self.cases()), len(self.SOME))
        for pair in self.cases():
            with self.subTest(case=pair.name):
                expected, found = (self.shelf.ask("GET", f"/runs/{self.shelf.of(path)['id']}/conclusion") for path in (pair.json, pair.pftrace))
                self.assertTrue(expected["verdict"])
                self.assertEqual(without_names(expected), without_names(found))


class Original(CorpusTest):
    """A .pftrace beside the trace of Kineto that it was made from."""
    fill = staticmethod(shelf)

    def test_what_a_pftrace_lacks(self):
        """Memory, ranks, devices and versions are in JSON alone, and copies have one name."""
        path = next(path for path in traces() if path.endswith("ok_modules_memory.json.gz"))
        pair = next(pair for pair in pairs() if pair.name.endswith("ok_modules_memory.json.gz"))
        other = Shelf()
        other.add([path])
        count = "SELECT count(*) AS n FROM memory_events"
        self.assertGreater(other.sql(path, count)[0]["n"], 0)
        self.assertEqual(self.shelf.sql(pair.pftrace, count)[0]["n"], 0)
