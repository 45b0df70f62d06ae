# SPDX-License-Identifier: MIT
"""Answers pinned byte for byte: each view, trees of each kind at several options, conclusions and comparisons, over small runs.

tests/pinned/ has one file for each answer. Those of made jobs are of samples that tests/made_*.py write. `./dev pinned` writes them again, and shows as a diff what a change of the code changes in
the answers. Ids of runs are replaced by the names of their samples, and times of import are left out: they differ in each run.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zlib

from server import PROGRAM, ROOT, Server

sys.path.insert(0, os.path.join(ROOT, "tests"))
import made_pair  # noqa: E402
import made_serving  # noqa: E402

FOLDER = os.path.join(ROOT, "tests", "pinned")
CUDA, TRACE = "tests/recorded/torch-cuda/gpt_inference.trace.json.gz", "tests/recorded/changes/trace-new.json.gz"
STEP = "from_ns=3577369&to_ns=6372439"  # of convnet
# The sample of each run, and the paths below the run that are asked. {table} in a path is the key of the first row of that table.
RUNS = {
    "importtime": ("tests/golden/importtime/ok_threads.log", ["", "conclusion", "imports", "imports/{imports}", "imports/tree", "imports/tree?limit=3", "packages", "what_if"]),
    "pstats": ("demo/profiles/bookshop-slow.prof", ["conclusion", "functions?limit=20", "files", "calltree?min_pct=5", "calltree?min_pct=1&depth=4", "calltree?min_pct=0&limit=5", "calltree?root={functions}&min_pct=0&limit=20", "graph?node_pct=5", "functions/{functions}", "notes"]),
    "pstats-text": ("tests/golden/pstats_text/ok_several.txt", ["conclusion", "functions", "files", "reports"]),
    "lightning": ("tests/golden/lightning/ok_both.txt", ["conclusion", "actions", "sections", "reports"]),
    "folded": ("tests/golden/folded/ok_tachyon.collapsed", [
        "", "conclusion", "stack_flame", "stack_flame?tf=invert", "stack_flame?mode=line", "stack_flame?limit=3", "stack_functions", "sandwich?name_id={stack_functions}", "stack_threads?bins=10"]),
    "threads": ("tests/golden/speedscope/ok_pyspy_threads.json", ["conclusion", "stack_flame", "stack_flame?tf=recursion", "stack_threads?bins=10", "stack_functions"]),
    "pprof": ("tests/golden/pprof/ok_labels.pb", [
        "", "conclusion", "conclusion?sample_type=samples", "sample-types", "sample-types?sample_type=samples", "stack_flame",
        "stack_flame?sample_type=samples&label=task=load", "stack_functions", "stack_functions?label=thread%20name=worker&label=task=load",
        "stack_threads?bins=10", "sandwich?name_id={stack_functions}&sample_type=samples"]),
    "pprof-difference": ("tests/golden/pprof/ok_difference.pb", ["sample-types", "stack_flame", "stack_functions", "conclusion"]),
    "xla-trace": ("tests/causes/jax/load_lists.trace.json.gz", [
        "conclusion", "xla_steps?limit=5", "xla_operators?limit=5", "xla_operators?limit=3&sort=total_us&desc=1", "operators?limit=5", "steps?limit=3", "notes"]),
    "xla-devices": ("tests/golden/xplane/ok_planes.pb", ["conclusion", "xla_operators", "kernels", "roofline"]),
    "memray": ("tests/golden/speedscope/ok_memray.json", ["conclusion", "stack_flame", "stack_flame?tf=invert"]),
    "gecko": ("tests/golden/gecko/ok_shared.json", ["conclusion", "stack_flame", "stack_functions"]),
    "pyinstrument": ("tests/golden/pyinstrument/ok_session.pyisession", ["conclusion", "stack_flame", "stack_functions?limit=20"]),
    "flamegraph-svg": ("tests/golden/flamegraph_svg/ok_normal.svg", ["conclusion", "stack_flame?limit=30"]),
    "torch-cpu": (TRACE, ["conclusion", "flame?on=cpu&limit=60", "flame?on=wall&in_steps=1&limit=40", "operators?limit=20", "steps"]),
    "torch-cuda": (CUDA, ["conclusion", "flame?on=device&limit=60", "flame?on=wall&limit=40", "flame?on=python&limit=60", "flame?on=python&plumbing=1&expand=*&limit=60", "flame?on=cpu&around=aten::linear&limit=20",
        "flame?on=device&limit=4", "kernels?limit=20", "overview"]),
    "convnet": ("tests/recorded/torch-cuda/convnet_shapes_memory.trace.json.gz", [
        "conclusion", f"window?px=40&{STEP}", "curves?memory=1:0,0:-1&busy=1,2&px=40", f"curves?memory=1:0,0:-1&px=7&{STEP}", "slices/17179869200", "slices/4294967300", "names?ids=1,2,3,101", "named?name=101",
        f"area?{STEP}&tracks=1,4", f"slices?{STEP}&limit=20", "find?q=conv&dir=previous", "gaps?limit=20", f"allocations?limit=20&{STEP}", "memory_operators?device_type=1",
        "operators_at?t_ns=4000000", f"utilisation?px=20&{STEP}", "parts?px=40", "findings", f"findings?{STEP}", "workers", f"flame?on=cpu&{STEP}&limit=60", f"flame?on=device&{STEP}&tracks=1&limit=60", f"flame?on=python&{STEP}&limit=60", "flame?on=python&expand=Conv2d,Linear&limit=20",
        f"kernels?by=name&limit=10&{STEP}", f"operators?by_shape=1&limit=20&{STEP}", f"roofline?{STEP}", f"overview?{STEP}"]),
    "cuda-graph": ("tests/recorded/torch-cuda/cuda_graph.trace.json.gz", ["conclusion", "timeline", "critical_path", "critical_path?edges=1", "kernels?by=launch", "gaps", "overview"]),
    "streams": ("tests/recorded/torch-cuda/streams.trace.json.gz", ["conclusion", "critical_path", "gaps", "window?px=60", "overview"]),
    "counters": ("made/counters.json", ["curves?counters=1,2&px=16", "curves?counters=1,2&px=400", "curves?counters=1,2&px=5&from_ns=70000&to_ns=130000"]),
    "dataloader": ("tests/recorded/torch-cuda/dataloader.trace.json.gz", ["conclusion", "findings", "steps"]),
    "job": ("made/job.tar", ["conclusion", "workers", "ranks", "ranks?m=wait", "ranks/calls", "ranks/step?step=1"]),
    "job-without-steps": ("made/job-without-steps.tar", ["conclusion", "ranks"]),
    "serving": ("made/serving.json", ["conclusion", "inference", "inference/parts", "inference/parts?by=operator&step=1", "roofline", "findings", "steps?limit=5"]),
    "requests": ("tests/causes/serving/aiperf_before.tar.gz", [
        "conclusion", "requests?sort=ttft_ns&limit=5", "requests/summary", "requests/13", "requests/window?px=20&limit=5", "requests/window?px=400&order=ttft&limit=2&from_ns=600000000&to_ns=1500000000",
        "engine-steps?sort=duration_ns&limit=5", "engine-steps/88", "goodput?limits=ttft:100ms,tpot:20ms"]),
    "sweep": ("tests/golden/vllm/ok_append.json", ["conclusion", "requests/summary"]),
    "pair-trace": ("made/trace.pt.trace.json", ["conclusion", "modules", "companions"]),
    "pair-memory": ("made/memory.json", [
        "conclusion", "snapshot", "snapshot/timeline", "snapshot/curve", "snapshot/curve?columns=7", "snapshot/curve?columns=5&from_us=1700000000502300&to_us=1700000000504500",
        "snapshot/live", "snapshot/flame", "snapshot/flame?at=12&plumbing=1", "snapshot/segments", "snapshot/lifetimes", "snapshot/leaks"]),
    "nsys": ("tests/golden/nsys/ok_full.sqlite", [
        "", "conclusion", "flame?on=device", "flame?on=wall", "flame?on=cpu", "flame?on=python", "kernels", "operators", "window?px=40", "gaps", "summaries", "summary?report=cuda_gpu_kern_sum", "summary?report=cuda_api_sum",
        "summary?report=nvtx_gpu_proj_sum", "summary?report=cuda_gpu_mem_size_sum", "summary?report=cuda_gpu_mem_time_sum", "summary?report=osrt_sum", "summary?report=nvtx_sum"]),
    "torch-memory": ("tests/golden/torch_memory/ok_mini_p4.pickle", [
        "conclusion", "snapshot", "snapshot/flame", "snapshot/flame?plumbing=1", "snapshot/flame?at=-1", "snapshot/flame?at=end", "snapshot/leaks", "snapshot/live", "snapshot/timeline", "snapshot/curve",
        "snapshot/segments", "snapshot/lifetimes", "snapshot/allocation?id=131073", "stack_flame?weight=bytes"]),
    "small-allocations": ("made/small-allocations.json", ["snapshot/flame"]),
    "memory-timeline": ("tests/recorded/torch-cuda/convnet_all.memory_timeline.json.gz", ["conclusion", "categories", "categories?px=16", "categories?px=16&from_s=0.001&to_s=0.004"]),
    "scalene": ("tests/golden/scalene/ok_v240_leak.json", ["conclusion", "line_functions", "line_files", "sources", "memory?px=16"]),
    "scalene-allocations": ("tests/golden/scalene/ok_v240_tiles.json", ["", "conclusion", "stack_flame", "stack_functions", "sandwich?name_id={stack_functions}"]),
    "line_profiler": ("tests/golden/lprof/ok_v50_async.lprof", ["conclusion", "line_functions", "source?file={line_files}"]),
    "memory_profiler": ("tests/golden/memory_text/ok_recursion.txt", ["conclusion", "line_functions"]),
    "mprof": ("tests/golden/mprof/ok_functions.dat", ["conclusion", "spans"]),
    "mprof-children": ("tests/golden/mprof/ok_children.dat", ["conclusion", "memory?px=16", "memory?px=1600", "memory?px=20&from_s=0.3&to_s=0.9"]),
    "key-averages": ("tests/golden/key_averages/ok_cuda.txt", ["conclusion", "operators", "reports"]),
    "hyperfine": ("tests/golden/hyperfine/ok_hyperfine_v2_parameters.json", ["conclusion", "measurements"]),
    "pytest-benchmark": ("tests/golden/pytest_benchmark/ok_pytest_v5.json", ["conclusion", "measurements", "measurements/{measurements}"]),
    "growth": ("tests/golden/hyperfine/ok_hyperfine_growth.json", ["conclusion"]),
    "time": ("tests/golden/time/ok_time_v.txt", ["conclusion", "measurements", "bound?cpus=4"]),
    "top": ("tests/golden/top/ok_top.txt", ["conclusion", "processes?limit=5", "processes?of=res&limit=4"]),
}
# Pairs of samples, and what is asked of their comparison.
PAIRS = {
    "importtime": ("demo/profiles/ipython-cold.log", "demo/profiles/ipython-warm.log", ["", "/conclusion", "/imports?limit=10", "/packages?limit=10", "/tree?min_pct=10&limit=20"]),
    "pstats": ("demo/profiles/bookshop-slow.prof", "demo/profiles/bookshop-joined.prof", [
        "", "/conclusion", "/functions?limit=10", "/functions/{functions}", "/tree?limit=40"]),
    "folded": ("tests/golden/folded/ok_plain.txt", "tests/golden/folded/ok_odd.txt", ["", "/conclusion", "/tree"]),
    "pprof": ("tests/golden/pprof/ok_cpu.pb.gz", "tests/golden/pprof/ok_short_values.pb", ["", "/functions", "/functions?sample_type=samples", "/tree?sample_type=samples"]),
    "scalene": ("tests/golden/scalene/ok_v240_loops.json", "tests/golden/scalene/ok_v240_loops_slower.json", ["", "/conclusion", "/tree"]),
    "scalene-allocations": ("tests/golden/scalene/ok_v240_tiles.json", "tests/golden/scalene/ok_v240_tiles_grown.json", ["", "/conclusion", "/functions", "/tree", "/tree?of=functions"]),
    "one-line": ("made/lines-base.txt", "made/lines-one-line.txt", ["/conclusion"]),
    "all-lines": ("made/lines-base.txt", "made/lines-all-lines.txt", ["/conclusion"]),
    "torch-memory": ("tests/golden/torch_memory/ok_oom.pickle", "tests/golden/torch_memory/ok_history.pickle", [
        "", "/snapshot", "/snapshot?of=end&frames=own", "/snapshot?of=end&lines=0&limit=3"]),
    "small-allocations": ("made/small-allocations.json", "made/memory.json", ["/snapshot", "/snapshot?lines=0&of=end"]),
    "torch-trace": ("tests/recorded/changes/trace-base.json.gz", "tests/recorded/changes/trace-new.json.gz", ["/conclusion", "/operators?limit=10", "/tree?limit=40"]),
}
# How many cases of a kind of the exam of conclusions have a pinned conclusion; 3 of the others. Traces have most rules.
CASES = {"torch": 9}
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


def line_report(*times):
    """The lines of one function took these milliseconds: as line_profiler prints them."""
    rows = "".join(f"{line:6}        10 {time * 1000:12.1f} {time * 100:8.1f} {100 * time / sum(times):8.1f}      part_{line}(x)\n" for line, time in enumerate(times, 2))
    return (f"Timer unit: 1e-06 s\n\nTotal time: {sum(times) / 1000} s\nFile: app.py\nFunction: work at line 1\n\n"
            "Line #      Hits         Time  Per Hit   % Time  Line Contents\n" + "=" * 62 + "\n     1                                           def work(x):\n" + rows)


def snapshot_of_sizes(*allocations):
    """A memory snapshot with these allocations: (function and file, or None without a stack; bytes). They have one caller."""
    events = []
    for number, (place, size) in enumerate(allocations):
        frames = [dict(zip(("name", "filename"), place.split()), line=number + 1), {"name": "<module>", "filename": "train.py", "line": 1}] if place else []
        events.append({"action": "alloc", "addr": (number + 1) << 32, "size": size, "stream": 0, "time_us": number, "frames": frames})
    return {"segments": [], "device_traces": [events]}


def counter_trace():
    """A counter that jumps at times of its own, sometimes twice at one time, and one that seldom changes."""
    values = [(7 * i * i + 3 * i) % 101 for i in range(240)]
    events = [{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 0, "dur": 260, "args": {}}]
    for i, value in enumerate(values):
        events.append({"ph": "C", "name": "queue", "pid": 1, "ts": i - i % 8 % 3 % 2, "args": {"depth": value}})
        if i % 60 == 30:
            events.append({"ph": "C", "name": "rare", "pid": 1, "ts": i, "args": {"level": i / 7}})
    return {"schemaVersion": 1, "traceEvents": events}


def make_samples(folder):
    """Writes the samples below "made/": a job of four ranks in an archive, the same without steps, a serving engine, a trace with its
    snapshot, a snapshot with small allocations, and reports by line before and after a change of one line and of all."""
    os.mkdir(folder)
    job = os.path.join(folder, "job")
    subprocess.run([sys.executable, os.path.join(ROOT, "tests", "made_job.py"), job, "--ranks", "4", "--steps", "3", "--late", "2"], check=True)
    for name in ("job.tar", "job-without-steps.tar"):
        with tarfile.open(os.path.join(folder, name), "w") as archive:
            for path in sorted(glob.glob(job + "/*")):
                archive.add(path, os.path.basename(path))
                with open(path, encoding="utf-8") as file:
                    trace = json.load(file)
                trace["traceEvents"] = [event for event in trace["traceEvents"] if not event["name"].startswith("ProfilerStep")]
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(trace, file)
    for name, times in (("base", [100, 100, 100, 100]), ("one-line", [100, 500, 100, 100]), ("all-lines", [200, 210, 220, 205])):
        with open(os.path.join(folder, f"lines-{name}.txt"), "w", encoding="utf-8") as file:
            file.write(line_report(*times))
    with open(os.path.join(folder, "serving.json"), "w", encoding="utf-8") as file:
        json.dump(made_serving.make(12)[0], file)
    with open(os.path.join(folder, "small-allocations.json"), "w", encoding="utf-8") as file:
        json.dump(snapshot_of_sizes(("load large.py", 1 << 30), ("load small.py", 3000), ("load smaller.py", 2000), (None, 1000), ("keep small.py", 1 << 20)), file)
    with open(os.path.join(folder, "counters.json"), "w", encoding="utf-8") as file:
        json.dump(counter_trace(), file)
    made_pair.write(folder)


def cases():
    """The profiles of some cases of the exam of conclusions (tests/causes), the same ones when others are added: by label."""
    kinds = {}
    for path in glob.glob("tests/causes/*/*.json", root_dir=ROOT):
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            about = json.load(file)
        if "profile" in about and not about.get("base"):
            kinds.setdefault(path.split("/")[2], []).append((zlib.crc32(path.encode()), os.path.join(os.path.dirname(path), about["profile"])))
    for kind, found in sorted(kinds.items()):
        for _, profile in sorted(found)[:CASES.get(kind, 3)]:
            yield f"causes/{kind}_{os.path.basename(profile)}", profile


class Shelf:
    """A shelf with the samples, and their answers."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="perfshelf-pinned-")
        make_samples(os.path.join(self.folder, "made"))
        self.cases = dict(cases())
        samples = sorted({path for path, _ in RUNS.values()} | {path for base, new, _ in PAIRS.values() for path in (base, new)} | set(self.cases.values()))
        paths = [os.path.join(self.folder if sample.startswith("made/") else ROOT, sample) for sample in samples]
        done = subprocess.run([PROGRAM, "add", "--data", os.path.join(self.folder, "shelf"), *paths], capture_output=True, text=True)
        lines = done.stdout.splitlines()
        if done.returncode or len(lines) != len(samples):
            raise AssertionError(done.stderr)
        self.ids = {sample: line.split()[0] for sample, line in zip(samples, lines)}
        self.server = Server(os.path.join(self.folder, "shelf"))
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

    def first(self, path, table, groups=""):
        """The key of the first row of a table: of functions in stacks the id of their name."""
        answer = json.loads(self.ask(f"{path}{table}?limit=1{groups}"))
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
                groups = f"&base={self.ids[base]}&new={self.ids[new]}"
                view = re.sub(r"\{(\w+)\}", lambda match: str(self.first("compare/", match[1], groups)), view)
                yield file_of(f"{label}/compare{path}"), self.answer(f"compare{view}?{options}{groups}".replace("?&", "?"))
        for label, sample in self.cases.items():
            yield file_of(label), self.answer(f"runs/{self.ids[sample]}/conclusion")


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

    def test_each_view_is_asked(self):
        with open(os.path.join(ROOT, "server", "query", "run_views.c"), encoding="utf-8") as file:
            views = set(re.findall(r'^    \{[\w |]+, "([\w/{}]+)", ps_view_', file.read(), re.M))
        asked = {re.sub(r"\{\w+\}|\d+", "{}", path.partition("?")[0]) for _, paths in RUNS.values() for path in paths}
        self.assertEqual(views - asked, set(), "views whose answers are not pinned")


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
