# SPDX-License-Identifier: MIT
"""What --redact all hides, in every form in which a profile may hold it: nothing of it is in the bytes of a bundle or of a page."""
import base64
import gzip
import json
import marshal
import os
import re
import sys
import unittest

from export_cli import ExportTest

SECRET = re.compile(rb"(?i)kwyjib[a-z]*\d*")  # each secret of the inputs is such a word; no other text has one
HOME = "/home/kwyjibuser/kwyjibproject"

PATHS = (f"{HOME}/pkg/mod.py", "C:\\Users\\kwyjibuser\\kwyjibproject\\mod.py", "\\\\kwyjibhost\\share\\kwyjibproject\\x.py", f"<frozen {HOME}/a.py>",
         f"<doctest kwyjibproject.mod[0] {HOME}/a.py>", f"/proc/123/cwd{HOME}/x.py", f"/proc/self/root{HOME}/x.py", f"numpy/../..{HOME}/x.py",
         f"file://{HOME}/z.py", f"vscode-notebook-cell:{HOME}/nb.ipynb", f"%2Fhome%2Fkwyjibuser%2Fkwyjibproject%2Fx.py", f"\u202e{HOME}/q.py",
         "/home/KWYJIBUSER/KwyjibProject/z.py", "/home/kwyjiba kwyjibb/kwyjibproject/q.py", "/mnt/home/kwyjibc/x.py", "/data/users/kwyjibd/x.py", "/scratch/kwyjibe/x.py",
         "/afs/cell/user/z/kwyjibf/x.py", "/root/kwyjibproject/x.py", "/Users/kwyjibg/x.py", "/tmp/ipykernel_kwyjibuser/1.py", "<ipython-input-3-kwyjibh>",
         "<string kwyjibi>", "/usr/local/lib/kwyjibproject/x.py", "/dev/shm/kwyjibproject/x.py", "/scratch/kwyjibe/lib/python3.11/kwyjibj/x.py", "kwyjibproject/rel/x.py",
         "/home/kwyjibuser/envs/kwyjibproject/lib/python3.11/site-packages/numpy/core.py", "~kwyjibk/x.py", "/home/kwyjibuser", "D:/kwyjibproject/x.py")
PATHS_LEFT = ("numpy/core/fromnumeric.py", "/usr/lib/python3/dist-packages/requests/api.py", "<frozen importlib._bootstrap>", "<string>", "~",
              "/usr/lib/python3.11/json/decoder.py")
TEXTS = (f"-I{HOME}/include", f"@{HOME}/list", f"see src{HOME}/data", f"file://{HOME}/x.py", "https://kwyjibl:kwyjibm@kwyjibhost.example/kwyjibn?token=kwyjibo",
         "postgres://kwyjibp:kwyjibq@db.kwyjibhost.example/kwyjibr", "password=kwyjibs", '"api_key": "kwyjibt"', "Authorization: Bearer kwyjibu", f"open('{HOME}/kwyjiba b/x.csv')",
         "python a.py --pw kwyjibv", f"{HOME}/bin/tool --pw kwyjibw", "AWS_SECRET=kwyjibx python a.py", 'process 12:"python a.py kwyjiby"',
         'thread (0x7F1C): "kwyjibz"', "kwyjibuser@kwyjibhost.corp", "10.11.12.13")


def dump_of(paths):
    return marshal.dumps({(path, 3 + i, "handle"): (1, 1, 0.1, 0.2, {}) for i, path in enumerate(paths)})


def event(name, ts, cat="cpu_op", args=None):
    return {"ph": "X", "cat": cat, "name": name, "pid": 7, "tid": 7, "ts": ts, "dur": 5, "args": args or {}}


def trace_of(**more):
    events = [event("aten::mm", 1000, args={"Input Dims": [[2, 2]], "Call stack": f"{HOME}/x.py(12): f", "token": "kwyjiba"}),
              event("step for kwyjibb", 1010, "user_annotation"), event("ProfilerStep#3", 1020, "user_annotation"),
              event("kwyjibcustomer=5 load", 1030, "user_annotation"), event(f"{HOME}/x.py(33): run", 1040, "python_function"),
              *({"ph": "i", "s": scope, "name": f"mark of kwyjibf {scope}", "pid": 7, "tid": 7, "ts": 1050} for scope in "tpg"),
              *({"ph": ph, "id": 5, "cat": "request", "name": "span of kwyjibg", "pid": 7, "tid": 7, "ts": ts} for ph, ts in (("b", 1051), ("n", 1052), ("e", 1053))),
              *({"ph": ph, "id": 6, "cat": "request", "name": "sent by kwyjibh", "pid": 7, "tid": 7, "ts": ts, "bp": "e"} for ph, ts in (("s", 1001), ("f", 1041))),
              {"ph": "C", "name": "queue of kwyjibi", "pid": 7, "ts": 1002, "args": {"jobs": 1}},
              *(event(text, 1100 + 10 * i, "other", {"name": text, "labels": text, "url": text}) for i, text in enumerate(TEXTS)),
              {"ph": "M", "name": "process_name", "pid": 7, "tid": 0, "args": {"name": "python train.py --api-key=kwyjibc"}},
              {"ph": "M", "name": "process_labels", "pid": 7, "tid": 0, "args": {"labels": "CPU kwyjibd"}},
              {"ph": "M", "name": "thread_name", "pid": 7, "tid": 7, "args": {"name": "MainThread of kwyjibe"}},
              {"ph": "C", "name": f"used {HOME}/x", "pid": 7, "ts": 1002, "args": {"v": 1}}]
    return json.dumps({"traceEvents": events, **more}).encode()


def speedscope():
    frames = [{"name": "handle", "file": path, "line": 3} for path in PATHS] + [{"name": text} for text in TEXTS]
    weights = [1 + i for i in range(len(frames))]
    profile = {"type": "sampled", "name": 'Process 12 Thread 1 "kwyjiba" (kwyjibhost)', "unit": "seconds", "startValue": 0, "endValue": sum(weights),
               "samples": [[i] for i in range(len(frames))], "weights": weights}
    return json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "name": f"python {HOME}/a.py --pw kwyjibb", "exporter": "py-spy",
                       "activeProfileIndex": 0, "shared": {"frames": frames}, "profiles": [profile]}).encode()


def gecko():
    def columns(**lists):
        return {"length": len(next(iter(lists.values()))), **lists}
    thread = {"name": "MainThread kwyjiba", "processType": "default", "processName": "python kwyjibb", "isMainThread": True, "pid": 1, "tid": 1,
              "stringArray": ["handle", f"{HOME}/x.py"], "samples": columns(stack=[0], time=[0], weight=[1]),
              "stackTable": columns(frame=[0], prefix=[None], category=[0], subcategory=[0]),
              "frameTable": columns(address=[-1], func=[0], line=[3], category=[0]),
              "funcTable": columns(name=[0], isJS=[False], resource=[-1], fileName=[1], lineNumber=[1]),
              "markers": {"length": 0, "data": [], "name": [], "startTime": [], "endTime": [], "phase": [], "category": []}}
    meta = {"version": 27, "preprocessedProfileVersion": 47, "interval": 1, "startTime": 0, "product": "server kwyjibc", "oscpu": "kwyjibhost",
            "stackwalk": 1, "categories": [{"name": "Other", "color": "grey", "subcategories": ["Other"]}], "markerSchema": []}
    return json.dumps({"meta": meta, "libs": [], "threads": [thread]}).encode()


def pytest_benchmark():
    stats = {"min": .1, "max": .2, "mean": .15, "stddev": .01, "rounds": 2, "median": .15, "iqr": .01, "q1": .1, "q3": .2, "iqr_outliers": 0,
             "stddev_outliers": 0, "outliers": "0;0", "ld15iqr": .1, "hd15iqr": .2, "ops": 6, "total": .3, "data": [.1, .2], "iterations": 1}
    def test(name):
        return {"group": None, "name": name, "fullname": f"kwyjibproject/test_a.py::{name}", "params": {"k": "kwyjiba"}, "param": "kwyjiba",
                "extra_info": {"pw": "kwyjibb"}, "options": {"timer": "perf_counter"}, "stats": stats}
    return json.dumps({"machine_info": {"node": "kwyjibhost", "machine": "x86", "python_version": "3.11", "system": "Linux", "release": "6"},
                       "commit_info": {"id": "kwyjibc", "branch": "kwyjibd"}, "datetime": "2024-01-01T00:00:00", "version": "4.0.0",
                       "benchmarks": [test("test_a[kwyjiba]"), test("test_sort[1000-10]")]}).encode()


TOP = """top - 12:00:00 up 1 day,  1:00,  1 user,  load average: 0.00, 0.00, 0.00
Tasks:   2 total,   1 running,   1 sleeping,   0 stopped,   0 zombie
%Cpu(s):  1.0 us,  1.0 sy,  0.0 ni, 98.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st
MiB Mem :   1000.0 total,    500.0 free,    100.0 used,    400.0 buff/cache
MiB Swap:      0.0 total,      0.0 free,      0.0 used.    900.0 avail Mem

    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
      1 kwyjibuser    20   0  100000  10000   5000 S   0.0   0.1   0:01.00 python a.py --pw kwyjiba /home/kwyjibuser/kwyjibproject/x
      2 kwyjibuser    20   0  100000  10000   5000 R   5.0   0.1   0:01.00 postgres: kwyjibb kwyjibc idle
"""
SVG = """<?xml version="1.0"?><svg version="1.1" width="1200" height="100" xmlns="http://www.w3.org/2000/svg"
xmlns:fg="http://github.com/jonhoo/inferno"><text id="title" x="50%" y="24">server kwyjiba --pw kwyjibb</text><svg id="frames" x="10" width="1180"
total_samples="10"><g><title>all (10 samples, 100%)</title><rect x="0%" y="68" width="100%" height="15" fg:x="0" fg:w="10"/></g><g>
<title>process 3:"python kwyjibc" (6 samples, 60.00%)</title><rect x="0%" y="36" width="60%" height="15" fg:x="0" fg:w="6"/></g></svg></svg>"""


class FilesTest(ExportTest):
    """The bytes of both forms."""

    def setUp(self):
        super().setUp()
        self.page = os.path.join(self.folder, "x.html")

    def page_files(self):
        with open(self.page, "rb") as file:
            page = file.read()
        yield page
        for text in re.findall(rb'<script type="application/gzip;base64"[^>]*>([^<]*)<', page):
            yield gzip.decompress(base64.b64decode(text))

    def bundle_files(self):
        for folder, _, names in os.walk(self.members()):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    yield file.read()

    def exported_secrets(self, run, words):
        """Exports a run in both forms; the secrets that their bytes hold."""
        self.ok_text("export", run, "--redact", words, "--force", "-o", self.bundle)
        self.ok_text("export", run, "--redact", words, "--html", "--force", "-o", self.page)
        return {match[0] for part in (*self.bundle_files(), *self.page_files()) for match in SECRET.finditer(part)}


class Redaction(FilesTest):
    def exported(self, name, content, readable=()):
        """Exports a profile in both forms; the bytes of both have no secret, and what is readable stays. What they hold, in one."""
        run = self.added(self.file(name, content), "--name", "kwyjibname", "--series", "kwyjibseries", "--tag", "host=kwyjibhost", "--tag", "kwyjibtag=kwyjibvalue")
        self.assertEqual(self.exported_secrets(run["id"], "all"), set(), f"{name}: left in the file")
        held = b"\n".join(self.bundle_files())
        for text in readable:
            self.assertIn(text.encode(), held)
        [there] = self.add_bundle()
        self.assert_same_figures(run["id"], there["id"])
        return run, held

    def test_paths(self):
        self.exported("x.prof", dump_of(PATHS + PATHS_LEFT), (*PATHS_LEFT, "handle", "mod.py", "site-packages/numpy/core.py"))

    def test_names_of_processes(self):
        self.exported("top.txt", TOP.encode(), ("python (arguments",))

    def test_speedscope(self):
        self.exported("x.speedscope.json", speedscope(), ("handle", 'process 12:"python (arguments', "thread 0x7F1C (arguments"))

    def test_gecko(self):
        self.exported("gecko.json", gecko(), ("handle", "MainThread"))

    def test_folded(self):
        lines = [f"{text.replace(';', ',')};handle ({path}:3) {3 + i}" for i, (text, path) in enumerate(zip(TEXTS, PATHS, strict=False))]
        self.exported("x.folded", "\n".join(lines).encode() + b"\n", ("handle",))

    def test_svg(self):
        self.exported("x.svg", SVG.encode(), ('process 3:"python (arguments',))

    def test_torch_trace(self):
        head = {"schemaVersion": 1, "deviceProperties": [], "traceName": f"{HOME}/kwyjibhost_1.2.pt.trace.json", "hostname": "kwyjibhost",
                "username": "kwyjibuser", "cmdline": "python a.py kwyjiba", "environ": {"A": "kwyjibb"}, f"env {HOME}/x": 1, "with_stack": 1,
                "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 1, "hostname": "kwyjibhost"}}
        self.exported("x.pt.trace.json", trace_of(**head), ("aten::mm", "ProfilerStep#3", "step (arguments", "MainThread (arguments"))

    def test_process_groups(self):
        """Names and descriptions that a program gave to groups of ranks; those of PyTorch stay."""
        names = (("0", "default_pg"), ("kwyjiba of 4", "kwyjibb kwyjibhost"), ("kwyjibc", "undefined"))
        events = [event("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 1000 + 10 * i, "kernel", {
            "Collective name": "allreduce", "In msg nelems": 10, "Out msg nelems": 10, "Group size": 2, "dtype": "Float", "Process Group Name": name,
            "Process Group Description": text, "Process Group Ranks": "[0, 1]", "Seq": i, "stream": 7, "device": 0, "correlation": i + 1}) for i, (name, text) in enumerate(names)]
        head = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU", "pci": "kwyjibd"}], "traceEvents": events,
                "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2, "pg_config": [{"pg_name": name, "pg_desc": text} for name, text in names]}}
        run = self.added(self.file("x.pt.trace.json", json.dumps(head).encode()))
        self.assertEqual(self.exported_secrets(run["id"], "all"), set())
        [there] = self.add_bundle()
        groups = [(row["process_group"], row["description"]) for row in self.rows(self.other, there["id"], "collectives")]
        self.assertEqual(groups, [("0", "default_pg"), ("group1", "group2"), ("group3", "undefined")])

    def test_trace(self):
        self.exported("trace.json", trace_of(otherData={"cmd": "kwyjiba"}), ("aten::mm", "python (arguments"))

    def test_timings(self):
        self.exported("timeit.txt", b"$ python -m timeit -s \"pw='kwyjiba'\" \"f()\"\n1000 loops, best of 5: 200 usec per loop\n%timeit load('kwyjibb')\n"
                      b"1.2 ms \xc2\xb1 10 \xc2\xb5s per loop (mean \xc2\xb1 std. dev. of 7 runs, 1000 loops each)\n", ("load (arguments",))
        result = {"command": f"curl -H 'X: kwyjiba' https://kwyjibhost.example/kwyjibb {HOME}/x", "mean": 1.0, "stddev": .1, "median": 1.0, "user": .5, "system": .1,
                  "min": .9, "max": 1.1, "times": [.9, 1.1], "exit_codes": [0, 0], "parameters": {"pw": "kwyjibc"}}
        self.exported("hyper.json", json.dumps({"results": [result]}).encode(), ("curl (arguments", "wall clock"))
        self.exported("pb.json", pytest_benchmark(), ("test_a[arguments", "test_sort[1000-10]"))

    def test_a_command_of_mprof(self):
        self.exported("mprof.dat", f"CMDLINE python a.py --pw kwyjiba {HOME}/x\nMEM 10.0 1000.0\nMEM 11.0 1000.1\n".encode())

    def test_names_that_a_program_gives_to_blocks(self):
        self.exported("mprof.dat", b"CMDLINE python a.py\nMEM 10.0 1000.0\nFUNC load for kwyjiba 10.0 1000.1 11.0 1000.2\n"
                      b"FUNC app.models.fit 10.0 1000.1 11.0 1000.2\nMEM 11.0 1000.1\nMEM 12.0 1000.3\n", ("load (arguments", "app.models.fit"))
        names = ("[Callback]ModelCheckpoint{'monitor': 'kwyjiba'}.on_fit_end", "load for kwyjibb", "[LightningModule]Model.configure_optimizers")
        rule = "-" * 120
        rows = [("Action", "Mean duration (s)", "Num calls", "Total time (s)", "Percentage %"), ("Total", "-", "3", "3.0", "100 %"),
                *((name, "1.0", "1", "1.0", "33.3") for name in names)]
        lines = ["FIT Profiler Report", "", rule, *("|  " + "  |  ".join(row) + "  |" for row in rows), rule]
        lines += [f"Profile stats for: {names[0]}", "         2 function calls in 0.500 seconds", "",
                  "   Ordered by: cumulative time", "", "   ncalls  tottime  percall  cumtime  percall filename:lineno(function)",
                  "        1    0.200    0.200    0.500    0.500 a.py:1(handle)", "        1    0.300    0.300    0.300    0.300 a.py:5(work)", ""]
        self.exported("lightning.txt", "\n".join(lines).encode(), ("[Callback]ModelCheckpoint{arguments 1}.on_fit_end", "load (arguments", names[2], "cumulative time"))

    def test_the_name_of_the_file(self):
        """Without -o the file is called after the run: not where its name is redacted."""
        run = self.added(self.log, "--name", "kwyjibname")
        for words, name in (("all", "importtime"), ("labels", "importtime"), ("source", "kwyjibname")):
            done = self.run_verb("export", run["id"], "--redact", words, cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout.decode()), (0, f"{name}{'-2' if words == 'labels' else ''}.perfshelf\n"))

    def test_the_preview_shows_what_is_replaced(self):
        run = self.added(self.file("x.speedscope.json", speedscope()))
        told = json.loads(self.ok_text("export", run["id"], "--preview", "--json"))["reveals"]
        shown = {row["what"]: {one["value"]: one["becomes"] for one in row["examples"]} for row in told}
        self.assertTrue(shown["arguments"])
        for becomes in (becomes for row in shown.values() for becomes in row.values()):
            self.assertIsNone(SECRET.search(becomes.encode()), becomes)


class Commands(FilesTest):
    """Recorded runs, whose names and series are the program and its arguments."""

    def recorded(self, *words, options=()):
        """The runs of a command of this Python, which ignores its arguments. No two have the same profile, else they were one run."""
        for name in ("app.py", "an app.py"):
            self.file(name, b"import os\nexec('def f%d(): pass\\nf%d()' % (os.getpid(), os.getpid()))\n")
        told = self.run_verb("record", "cprofile", "--json", *options, "--", sys.executable, *words, cwd=self.folder)
        self.assertEqual(told.returncode, 0, told.stderr)
        return [json.loads(line) for line in told.stdout.splitlines()]

    def named(self, run, words="arguments"):
        """What a bundle of the run calls it, after no form of it holds a secret."""
        self.assertEqual(self.exported_secrets(run, words), set(), "left in the file")
        [there] = self.add_bundle()
        return json.loads(self.elsewhere("show", there["id"], "--json"))

    def test_a_name_is_redacted(self):
        [run] = self.recorded("app.py", "kwyjiba", "4711")
        self.assertEqual(run["name"], "app.py kwyjiba 4711")
        for words in ("arguments", "paths,hosts,people,arguments,source"):
            told = self.named(run["id"], words)
            self.assertEqual((told["name"], told["series"]), ("app.py (arguments 1)", ""))
            self.assertRegex(told["tags"]["command"], r"^\S+ \(arguments 2\)$")

    def test_a_name_quotes_otherwise_than_its_command(self):
        for words, name in ((("-c", "import json; x='kwyjiba'", "kwyjibb"), "-c (arguments 1)"), (("-cx='kwyjiba'\ny='kwyjibb'",), "-c (arguments 1)"),
                            (("an app.py", "kwyjiba"), "an (arguments 1)"), (("app.py", 'kwy\\"jiba', "kwyjibb c"), "app.py (arguments 1)")):
            with self.subTest(words):
                [run] = self.recorded(*words)
                self.assertEqual(self.named(run["id"])["name"], name)

    def test_series_of_long_commands_stay_apart(self):
        """Also where somebody has changed the tag since."""
        series = []
        for last in ("kwyjibb", "kwyjibc"):
            runs = self.recorded("app.py", "kwyjiba", "argument" * 8, last, options=("--repeat", "2"))
            self.assertRegex(json.loads(self.ok_text("show", runs[0]["id"], "--json"))["series"], "^app.py kwyjiba .*… [0-9a-f]{8}$")
            series.append([run["id"] for run in runs])
        self.ok_text("edit", series[1][0], "--tag", "command=make")
        self.ok_text("export", "--base", ",".join(series[0]), "--new", ",".join(series[1]), "--redact", "arguments", "-o", self.bundle)
        self.assertFalse([part for part in self.bundle_files() if SECRET.search(part)])
        told = [json.loads(self.elsewhere("show", run["id"], "--json")) for run in self.add_bundle()]
        self.assertEqual({run["name"] for run in told}, {"app.py (arguments 1)"})
        self.assertEqual([run["series"] == told[0]["series"] for run in told], [True, True, False, False])
        self.assertTrue(all(re.fullmatch(r"app\.py \(arguments \d\)", run["series"]) for run in told))

    def test_names_that_people_gave_stay(self):
        [run] = self.recorded("app.py", "kwyjiba", options=("--name", "before the change", "--series", "nightly runs"))
        told = self.named(run["id"])
        self.assertEqual((told["name"], told["series"]), ("before the change", "nightly runs"))

    def test_tags_of_arguments_are_redacted(self):
        run = self.added(self.log, "--name", "one", "--tag", "args=kwyjiba b", "--tag", "api_key=kwyjibc", "--tag", "cmd=make kwyjibd")
        self.assertEqual(self.named(run["id"])["tags"], {"api_key": "(arguments 1)", "args": "(arguments 2)", "cmd": "make (arguments 3)"})

    def test_the_preview_counts_them(self):
        [run] = self.recorded("app.py", "kwyjiba")
        runs = self.recorded("app.py", "kwyjiba", "argument" * 8, options=("--repeat", "2"))
        for run, names in ((run, ["app.py (arguments 1)"]), (runs[0], ["app.py (arguments 1)", "app.py (arguments 2)"])):
            told = json.loads(self.ok_text("export", run["id"], "--preview", "--json"))["reveals"]
            [row] = [row for row in told if row["what"] == "arguments"]
            self.assertEqual(row["values"], len(names) + 1)
            self.assertEqual([one["becomes"] for one in row["examples"]][:-1], names)
            self.assertRegex(row["examples"][-1]["becomes"], r"\(arguments \d\)$")


if __name__ == "__main__":
    unittest.main()
