# SPDX-License-Identifier: MIT
"""Profiles whose every name is a text of one's choice: what somebody sends who wants a page, a terminal or a
spreadsheet to take a name for something else. As a program: writes them all into a folder."""
import json
import marshal
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, "tests", "bench"))
import make_lprof  # noqa: E402

SCRIPT = "<img src=x onerror=alert(1)>\"'</script><script>alert(2)</script>&lt;b&gt;${7*7}{{7*7}}"


def golden(path, *words):
    """A golden sample of ours with words in it replaced."""
    with open(os.path.join(ROOT, "tests", "golden", path), encoding="utf-8") as file:
        text = file.read()
    for word, name in words:
        assert word in text, (path, word)
        text = text.replace(word, name)
    return text.encode()


def importtime(name):
    rows = [(90, 90, "      " + name + ".leaf"), (10, 100, "    " + name), (5, 105, "  json")]
    return ("import time: self [us] | cumulative | imported package\n" +
            "".join(f"import time: {own:9} | {total:10} | {module}\n" for own, total, module in rows)).encode()


def pstats(name):
    leaf, root = (name + ".py", 3, name), (name + "/root.py", 1, "root" + name)
    return marshal.dumps({leaf: (2, 2, 0.5, 0.5, {root: (2, 2, 0.5, 0.5)}), root: (1, 1, 0.25, 0.75, {})})


def pstats_text(name):
    return f"""         3 function calls in 0.750 seconds

   Ordered by: cumulative time

   ncalls  tottime  percall  cumtime  percall filename:lineno(function)
        1    0.250    0.250    0.750    0.750 app.py:1({name})
        2    0.500    0.250    0.500    0.250 {name}.py:3(work)

""".encode()


def trace_events(name):
    def at(**more):
        return {"pid": 1, "tid": 2, **more}

    return [at(ph="M", name="process_name", args={"name": name}), at(ph="M", name="thread_name", args={"name": name}),
            at(ph="M", name="process_labels", args={"labels": name}),
            at(ph="X", cat=name, name=name, ts=1, dur=90, args={name: name, "Input Dims": name}),
            at(ph="i", s="t", cat="mark", name=name, ts=20), at(ph="C", name=name, ts=30, args={name: 3}),
            at(ph="C", name=name, ts=50, args={name: 7})]


def trace(name):
    return json.dumps({"traceEvents": trace_events(name), "otherData": {name: name}}).encode()


def torch_trace(name):
    kernel = {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 45, "dur": 20,
              "args": {"device": 0, "stream": 7, "correlation": 5, "External id": 1, "grid": [1, 1, 1], "block": [32, 1, 1]}}
    launch = {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 2, "ts": 12, "dur": 4,
              "args": {"correlation": 5, "External id": 1}}
    step = {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 2, "ts": 0, "dur": 95}
    operator = {"ph": "X", "cat": "cpu_op", "name": name + "::op", "pid": 1, "tid": 2, "ts": 10, "dur": 30, "args": {"External id": 1}}
    head = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": name}], name: name, "trace_name": name}
    return json.dumps(dict(head, traceEvents=trace_events(name) + [operator, kernel, launch, step])).encode()


def speedscope(name):
    return json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "name": name, "exporter": name,
                       "shared": {"frames": [{"name": name, "file": name, "line": 1}, {"name": "leaf" + name}]},
                       "profiles": [{"type": "sampled", "name": name, "unit": "seconds", "startValue": 0, "endValue": 3,
                                     "samples": [[0], [0, 1]], "weights": [1, 2]}]}).encode()


def folded(name):
    name = name.replace(";", "")
    return f"main {name};{name} 5\nmain {name};{name};leaf 7\n".encode()


def svg(name):
    with open(os.path.join(ROOT, "tests", "golden", "flamegraph_svg", "ok_inferno.svg"), encoding="utf-8") as file:
        text = file.read()
    escaped = name.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("<title>", f"<title>{escaped} ").replace("</svg>", "<script>alert(3)</script></svg>").encode()


def mprof(name):
    return f"CMDLINE python {name}\nFUNC {name.replace(' ', '_')} 1.0 100.0 2.0 101.0 0\nMEM 1.5 100.0\nMEM 3.5 101.0\n".encode()


def lines(name):
    return make_lprof.dump({(name + ".py", 1, name): [(2, 1, 100), (3, 11, 1000)]})


def hyperfine(name):
    return json.dumps({"results": [{"command": name, "mean": 1.5, "stddev": 0.1, "median": 1.5, "user": 1.0, "system": 0.1, "min": 1.4,
                                    "max": 1.6, "times": [1.4, 1.5, 1.6], "exit_codes": [0, 0, 0], "parameters": {name: name}}]}).encode()


def gecko(name):
    quoted = json.dumps(name)[1:-1]
    return golden("gecko/ok_shared.json", ('"main"', f'"{quoted}"'), ('"app.py"', f'"{quoted}"'), ('"Python"', f'"{quoted}"'),
                  ("Thread-12", quoted), ("Python Process", quoted))


def scalene(name):
    quoted = json.dumps(name)[1:-1]
    return golden("scalene/ok_odd.json", ("dir/app.py", quoted), ('"app.py"', f'"{quoted}"'))


def memory_text(name):
    return f"""Filename: {name}.py

Line #    Mem usage    Increment  Occurrences   Line Contents
=============================================================
     1     40.0 MiB     40.0 MiB           1   @profile
     2                                         def work():  # {name}
     3     50.0 MiB     10.0 MiB           1       return {name}


""".encode()


def gnu_time(name):
    return golden("time/ok_time_v.txt", ("Command being timed: \"", "Command being timed: \"" + name))


MAKERS = {"importtime": importtime, "pstats": pstats, "pstats-text": pstats_text, "trace": trace, "torch-trace": torch_trace,
          "speedscope": speedscope, "folded": folded, "flamegraph-svg": svg, "mprof": mprof, "line_profiler": lines,
          "hyperfine": hyperfine, "gecko": gecko, "scalene": scalene, "memory_profiler": memory_text, "time": gnu_time}


def profiles(name):
    """kind -> the bytes of a profile of that kind"""
    return {kind: make(name) for kind, make in MAKERS.items()}


if __name__ == "__main__":
    for kind, content in profiles(SCRIPT).items():
        with open(os.path.join(sys.argv[1], kind), "wb") as file:
            file.write(content)
