# SPDX-License-Identifier: MIT
"""The answers of the server have the fields and types that the page declares: every read of every kind of run, of the demo profiles and
of the golden samples, is compared with its TypeScript type by web/test/answer_types.mjs."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from urllib.parse import quote

from server import PROGRAM, ROOT, Server

sys.path.insert(0, os.path.join(ROOT, "tests"))
import made_pair  # noqa: E402
import made_serving  # noqa: E402
sys.path.insert(0, os.path.join(ROOT, "schema"))
import answers as descriptions  # noqa: E402

API = "/api/v1/"
# The type of each view of server/query/run_views.c, of a table that of its rows; None: the page does not read it.
VIEWS = {
    "actions": "ActionRow", "allocations": "AllocationRow", "area": "AreaAnswer", "bound": "BoundAnswer", "calltree": "CallTree", "categories": "CategoriesAnswer", "conclusion": "Conclusion",
    "critical_path": "CriticalPathAnswer",
    "curves": "CurvesAnswer", "files": "FileRow", "find": "FindAnswer", "findings": "Findings", "parts": "PartsAnswer", "flame": "FlameAnswer",
    "functions": "FunctionRow", "functions/{}": "FunctionDetail", "gaps": "GapRow", "graph": "CallGraph", "imports": "ImportRow",
    "imports/tree": "ImportTree", "imports/{}": "ImportDetail", "kernels": "KernelRow", "line_files": "LineFileRow",
    "line_functions": "LineFunctionRow", "measurements": "MeasurementRow", "measurements/{}": "Measurement", "memory": "MemoryAnswer",
    "memory_operators": "MemoryOperatorRow", "modules": "ModuleRow", "named": "NameStatistics", "names": "TextNames", "notes": "NoteRow",
    "operators": "OperatorRow", "operators_at": "OperatorsAt", "overview": "TraceOverview", "packages": "PackageRow", "processes": "ProcessesAnswer",
    "reports": "ReportRow", "sandwich": "SandwichAnswer", "sections": "SectionRow", "slices": "OperatorRow", "slices/{}": "SliceAnswer", "source": "SourceAnswer",
    "roofline": "Roofline", "inference": "Inference", "inference/parts": "InferenceParts",
    "ranks": "RanksAnswer", "ranks/calls": "RankCalls", "ranks/step": "RankStep",
    "snapshot": "Snapshot", "snapshot/timeline": "SnapshotTimeline", "snapshot/live": "LiveSet", "snapshot/flame": "LiveFlame",
    "snapshot/segments": "SegmentMap", "snapshot/lifetimes": "Lifetimes", "snapshot/allocation": "SnapshotAllocation", "snapshot/leaks": "Leaks", "snapshot/curve": "SnapshotCurve",
    "sources": None, "spans": "SpanRow", "stack_flame": "FlameAnswer", "stack_threads": "StackThreads", "stack_functions": "StackFunctionRow",
    "steps": "StepRow", "summaries": "Summaries", "summary": "SummaryTimeRow", "timeline": "TimelineAnswer",
    "utilisation": "Utilisation", "window": "WindowAnswer", "workers": "Workers",
}
# The same for the rows of PS_READS in server/query/reads.h.
READS = {
    "runs": "RunPage", "runs/{run}": "Run", "runs/{run}/what_if": "LazyAnswer", "lines/files": "MultiRunFiles", "lines": "MultiRunAnswer",
    "compare": "Comparison", "compare/conclusion": "ComparisonConclusion", "compare/snapshot": "SnapshotComparison", "compare/tree": "ComparisonTree", "compare/twin/{of}": "MatchingRow", "compare/{of}": "ComparisonRow",
    "compare/{of}/{row}": "ComparisonRowDetail", "trend": "Trend", "trend/rows": "TrendRows", "search": "NamesAnswer", "search/runs": "Occurrences", "queries": "SavedQuery",
    "runs/{run}/timeline_notes": "TimelineNote", "runs/{run}/companions": "Companions",
}
# Answers with other types than their view has in other runs.
SUMMARIES = {"importtime": "ImportSummary", "pstats": "PstatsSummary", "line_profiler": "LineProfilerSummary",
             "memory_profiler": "MemoryProfilerSummary", "scalene": "ScaleneSummary", "mprof": "MprofSummary", "torch-trace": "TraceSummaryAnswer",
             "trace": "TraceSummaryAnswer", "nsys": "TraceSummaryAnswer"}
COMPARED = 5  # runs of each kind
OF_ROWS = ("Event in activity_dialog", "Format", "SavedQuery", "TimelineNote")  # answers are {rows} of these
OF_REPORT = {"cuda_gpu_mem_size_sum": "SummarySizeRow", "nvtx_gpu_proj_sum": "SummaryProjectedRow"}


def declared_paths(path, pattern):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return set(re.findall(pattern, file.read(), re.M))


class Answers:
    """Asks a server, and keeps each answer with its type."""

    def __init__(self, server):
        self.link, self.by_type, self.asked = server.connect(), {}, set()

    def get(self, path):
        self.link.request("GET", API + path)
        reply = self.link.getresponse()
        body = reply.read()
        return json.loads(body) if reply.status == 200 else None

    def keep(self, name, type_name, path, value):
        self.asked.add(name)
        for part in value["rows"] if type_name in OF_ROWS else [value] if type_name else []:
            self.by_type.setdefault(type_name, []).append({"from": path, "value": part})

    def ask(self, name, type_name, path):
        """The answer, of a table its rows as objects; None if the run has no such view."""
        value = self.get(path)
        if value is None:
            return None
        if set(value) >= {"columns", "rows"} and isinstance(value["columns"], list):
            rows = [dict(zip(value["columns"], row)) for row in value.pop("rows")]
            self.keep(name, "Page", path, value | {"rows": []})
            for row in rows:
                self.keep(name, type_name, path, row)
            return rows
        for part in [value, *(value.get("runs") if type_name == "MultiRunAnswer" else [])]:
            for column in part.get("columns", []) if name not in ("snapshot/timeline", "inference") else []:  # of lines: an array for each
                del part[column]
        self.keep(name, type_name, path, value)
        return value

    def run(self, run):
        at = f"runs/{run['id']}/"

        def view(name, rest="", of=None):
            return self.ask(name, of or VIEWS[name], at + name.replace("{}", "") + str(rest)) or []

        self.ask("runs/{run}", READS["runs/{run}"], at[:-1])
        self.ask("runs/{run}/companions", READS["runs/{run}/companions"], at + "companions")
        if run["kind"] in SUMMARIES:
            self.keep("runs/{run}", SUMMARIES[run["kind"]], at[:-1], run["summary"])
        for name in sorted(VIEWS):
            if "{" not in name and name not in ("curves", "find", "named", "names", "operators", "sandwich", "source", "summary", "window"):
                view(name)
        for row in (self.get(at + "snapshot/lifetimes") or {}).get("allocations", [])[:3]:
            view("snapshot/allocation", f"?id={row['id']}")
        for name in ("imports", "functions", "measurements"):
            for row in view(name, "?limit=1000")[:5]:
                view(f"{name}/{{}}", row["id"])
        view("operators", of="PrintedOperatorRow" if run["kind"] == "key-averages" else None)
        view("kernels", "?launch=1")
        view("operators", "?by_shape=1", of="PrintedOperatorRow" if run["kind"] == "key-averages" else None)
        for row in view("line_files")[:5]:
            view("source", f"?file={row['id']}")
            self.ask("lines", READS["lines"], f"lines?path={quote(row['file'])}&runs={run['id']}")
        for row in view("stack_functions")[:3]:
            view("sandwich", f"?name_id={row['name_id']}")
        for report in (self.get(at + "summaries") or {}).get("reports", []):
            view("summary", f"?report={report}", OF_REPORT.get(report))
        timeline = self.get(at + "timeline")
        if timeline:
            self.trace(view, timeline)
        if self.get(at + "imports?limit=1"):
            self.ask("runs/{run}/what_if", READS["runs/{run}/what_if"], at + "what_if")
            for row in view("packages")[:1]:
                self.ask("runs/{run}/what_if", READS["runs/{run}/what_if"], f"{at}what_if?lazy={quote(row['package'])}@*")

    def trace(self, view, timeline):
        tracks = [track["id"] for track in timeline["tracks"]][:20]
        window = f"?from_ns={timeline['start_ns']}&to_ns={timeline['end_ns'] + 1}&px=500"
        memory = [f"{m['device_type']}:{m['device']}:{m['worker']}" for m in timeline["memory"]]
        view("window", f"{window}&tracks={','.join(map(str, tracks))}")
        view("curves", f"{window}&counters={','.join(str(c['id']) for c in timeline['counters'])}&memory={','.join(memory)}&busy={','.join(map(str, tracks[:2]))}")
        for part in range(8):
            view("operators_at", f"?t_ns={timeline['start_ns'] + part * (timeline['end_ns'] - timeline['start_ns']) // 8}")
        view("area", f"{window}&counters={','.join(str(c['id']) for c in timeline['counters'])}")
        for part in ("utilisation", "parts", "kernels", "gaps", "flame"):
            view(part, window)
        view("flame", "?on=python&plumbing=1", of="PythonFlameAnswer")
        view("critical_path", "?step=slowest")
        view("critical_path", window)
        names = view("find", "?q=e")["names"][:6]
        view("names", f"?ids={','.join(str(name['id']) for name in names)}")
        for name in names:
            view("named", f"?name={name['id']}")
            found = view("find", f"?q={quote(name['name'][:200])}")
            if found and found["hit"]:
                view("slices/{}", found["hit"]["id"])

    def compare(self, base, new):
        groups = f"?base={base}&new={new}" if base else f"?new={new}"
        compared = self.ask("compare", READS["compare"] if base else "GroupReport", "compare" + groups)
        if not compared:
            return
        if base:
            self.ask("compare/conclusion", READS["compare/conclusion"], "compare/conclusion" + groups)
        self.ask("compare/tree", READS["compare/tree"] if base else "GroupTree", "compare/tree" + groups)
        if base:
            self.ask("compare/snapshot", READS["compare/snapshot"], "compare/snapshot" + groups)
        for table in compared["tables"]:
            path = f"compare/{table['of']}"
            more = {f"{side}_{metric['metric']}" for metric in table["metrics"] for side in ("base", "new", "median")}
            page = self.get(path + groups)
            rows = [{name: value for name, value in zip(page["columns"], row) if name not in more} for row in page["rows"]]
            for row in rows:
                self.keep("compare/{of}", READS["compare/{of}"] if base else "GroupRow", path + groups, row)
            for row in rows[:3]:
                one = self.get(f"{path}/{row['id']}{groups}")
                self.keep("compare/{of}/{row}", READS["compare/{of}/{row}"] if base else "GroupRowDetail", path + groups,
                          {name: value for name, value in one.items() if name not in more})
                if base:
                    self.ask("compare/twin/{of}", READS["compare/twin/{of}"], f"compare/twin/{table['of']}{groups}&side=base&id={row['id']}")


class AnswersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="perfshelf-answers-")
        files = [path for pattern in ("demo/profiles/*", "tests/golden/*/ok_*", "tests/corpus/samples/made/chrome-edge/*")
                 for path in glob.glob(os.path.join(ROOT, pattern))]
        files = sorted(path for path in files if not path.endswith((".dump", ".error")))
        made = os.path.join(cls.folder, "pair")
        os.mkdir(made)
        made_pair.write(made)
        files += sorted(glob.glob(os.path.join(made, "*")))
        files.append(os.path.join(cls.folder, "serving.json"))
        with open(files[-1], "w", encoding="utf-8") as file:
            json.dump(made_serving.make(12)[0], file)
        subprocess.run([PROGRAM, "add", "--data", cls.folder, "--series", "all", *files], capture_output=True)  # some samples are refused
        cls.server = Server(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.server.end()
        shutil.rmtree(cls.folder)

    def test_answers_have_their_declared_types(self):
        answers = Answers(self.server)
        runs = answers.ask("runs", READS["runs"], "runs?limit=1000")["rows"]
        of_kind = {}
        for run in runs:
            answers.run(run)
            others = of_kind.setdefault(run["kind"], [])
            if len(others) < COMPARED:
                answers.compare(None, run["id"])
                for other in others[-1:]:
                    answers.compare(run["id"], other)
            others.append(run["id"])
        notes = f"runs/{runs[0]['id']}/timeline_notes"
        self.server.request("POST", API + notes, json.dumps({"t_ns": 1, "text": "slow"}))
        answers.ask("runs/{run}/timeline_notes", READS["runs/{run}/timeline_notes"], notes)
        answers.ask("lines/files", READS["lines/files"], "lines/files")
        answers.ask("trend", READS["trend"], "trend?runs=series:all&kind=pstats")
        answers.ask("trend/rows", READS["trend/rows"], "trend/rows?runs=series:all&kind=pstats&of=functions")
        for hit in answers.ask("search", READS["search"], "search?limit=500")["rows"][::25]:
            answers.ask("search/runs", READS["search/runs"], f"search/runs?of={hit['of']}&name={quote(hit['name'])}&module={quote(hit['module'])}")
        self.server.request("POST", API + "queries", json.dumps({"kind": "", "name": "all", "sql": "SELECT 1"}))
        answers.ask("queries", READS["queries"], "queries")
        for path, type_name in (("shelf", "Shelf"), ("formats", "Format"), ("me", "CurrentUser"), ("activity", "Event in activity_dialog")):
            answers.ask(path, type_name, path)
        answers.link.close()
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(answers.by_type, file)
            file.flush()
            done = subprocess.run(["node", os.path.join(ROOT, "web", "test", "answer_types.mjs"), file.name], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        described, wrong = descriptions.Answers(), {}
        for type_name in set(answers.by_type) & set(described.types):
            for kept in answers.by_type[type_name]:
                for at, what in described.errors(descriptions.Type("name", type_name), kept["value"], type_name):
                    wrong.setdefault(f"{at} {what}", kept["from"])
        self.assertEqual({}, wrong, "answers that differ from schema/answers")
        self.assertEqual(set(VIEWS) | set(READS), answers.asked & (set(VIEWS) | set(READS)), "reads that no run has answered")

    def test_every_read_has_a_type(self):
        self.assertEqual(set(VIEWS), declared_paths("server/query/run_views.c", r'^    \{(?:PS_HAS_\w+|0), "([^"]+)"'))
        self.assertEqual(set(READS), declared_paths("server/query/reads.h", r'^    READ\("([^"]+)"') - {"runs/{run}/{view*}"})


if __name__ == "__main__":
    unittest.main()
