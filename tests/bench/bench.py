#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench.py [--write] [--quick]: what perfshelf costs beside CPython doing the same work, as ratios of one run.

CPU is user + system seconds of whole processes, the median of five (three with --quick); peers and perfshelf take turns,
so a noisy machine hurts both. --write puts the table into docs/bench.md. Large files are made by the generators beside
this file, or by those of ../shared/corpus/tools where they are, so that figures compare with others measured there.
"""
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import bench_snapshots
import bench_stacks
import bench_traces
import bench_wire
import make_lprof
import served

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAM = os.environ.get("PERFSHELF", os.path.join(ROOT, "build", "perfshelf"))
CORPUS_TOOLS = os.path.join(ROOT, "..", "shared", "corpus", "tools")
PAGE = os.path.join(ROOT, "docs", "bench.md")
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"

PSTATS_50 = "import pstats, sys; pstats.Stats(sys.argv[1]).sort_stats('cumulative').print_stats(50)"
# tuna needs 22 times the CPU of an empty Python start to parse a log of 50,000 modules (0.35 s where that start costs
# 0.016 s); the bar is a fifth of it. Where tuna is importable it is measured itself.
TUNA_STARTS = 0.35 / 0.016
MARSHAL = "import marshal, sys; marshal.load(open(sys.argv[1], 'rb'))"


class Cost:
    def __init__(self, samples):
        cpu, wall, rss = zip(*samples)
        self.cpu, self.wall, self.rss_mib = statistics.median(cpu), statistics.median(wall), max(rss) / 1024


def run_once(command):
    """(CPU s, wall s, peak KiB) of one process with everything it starts."""
    began = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command}: {process.returncode}: {said.decode()}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - began, usage.ru_maxrss


def take_turns(times, **makers):
    """name -> Cost; each maker gives the command of one run, made afresh so that no run finds another's traces."""
    samples = {name: [] for name in makers}
    for _ in range(times):
        for name, maker in makers.items():
            samples[name].append(run_once(maker()))
    return {name: Cost(rows) for name, rows in samples.items()}


def python_with(module):
    """A Python that has the module: this one, else Debian's; None where neither has."""
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0:
            return python
    return None


def as_ratio(ratio):
    """Ours to theirs, the smaller as 1."""
    return f"1 : {1 / ratio:.1f}" if ratio <= 1 else f"{ratio:.1f} : 1"


def has_tuna():
    return subprocess.run([sys.executable, "-c", "import tuna"], capture_output=True).returncode == 0


class Bench:
    def __init__(self, times):
        self.times, self.folder, self.shelves, self.rows = times, tempfile.mkdtemp(prefix="perfshelf-bench-"), 0, []

    def make(self, kind, count):
        """A generated profile; kind is pstats or importtime."""
        path = os.path.join(self.folder, f"{kind}-{count}")
        theirs = os.path.join(CORPUS_TOOLS, f"make_big_{kind}.py")
        if os.path.exists(theirs):
            command = [sys.executable, theirs, str(count), "-o", path]
        else:
            command = [sys.executable, os.path.join(HERE, f"make_{kind}.py"), str(count), path]
        subprocess.run(command, check=True)
        return path

    def add(self, path):
        def command():
            self.shelves += 1
            return [PROGRAM, "add", "--data", os.path.join(self.folder, f"shelf-{self.shelves}"), path]
        return command

    def clear_shelves(self):
        """Large runs need not lie about until the end."""
        for name in os.listdir(self.folder):
            if name.startswith("shelf-"):
                shutil.rmtree(os.path.join(self.folder, name))

    def row(self, what, bar, ours, peer_name, peer):
        ratio = ours.cpu / peer.cpu
        said = f"{what:34} {ours.cpu:7.3f} s  {peer_name:38} {peer.cpu:7.3f} s   {ratio:6.3f}   {as_ratio(ratio)}"
        print(said + (f"   (bar {bar})" if bar else ""), flush=True)
        self.rows.append((what, ours, peer_name, peer, ratio, bar))

    def dumps(self, count, bar):
        path = self.make("pstats", count)
        costs = take_turns(self.times, ours=self.add(path), load=lambda: [sys.executable, "-c", MARSHAL, path],
                           table=lambda: [sys.executable, "-c", PSTATS_50, path])
        size = os.path.getsize(path) / 1e6
        what = f"cProfile dump, {count:,} functions, {size:.1f} MB"
        self.row(what, bar, costs["ours"], "pstats.Stats: load, sort, print 50", costs["table"])
        self.row(what, None, costs["ours"], "marshal.load", costs["load"])
        return path

    def logs(self, count, bar):
        path = self.make("importtime", count)
        peer = os.path.join(HERE, "peer_importtime.py")
        costs = take_turns(self.times, ours=self.add(path), peer=lambda: [sys.executable, peer, path],
                           empty=lambda: [sys.executable, "-c", "pass"])
        size = os.path.getsize(path) / 1e6
        what = f"import log, {count:,} modules, {size:.2f} MB"
        self.row(what, None, costs["ours"], "tuna" if has_tuna() else "a regular expression a line, tree, JSON", costs["peer"])
        self.row(what, bar, costs["ours"], "an empty Python", costs["empty"])


    def lines(self, functions, bar):
        folder = os.path.join(self.folder, f"lines-{functions}")
        path = make_lprof.write(functions, folder)
        python = python_with("line_profiler")
        if not python:
            print(f"line_profiler, {functions:,} functions: SKIPPED, no Python here has it (apt-get install python3-line-profiler)")
            return path
        costs = take_turns(self.times, ours=self.add(path), peer=lambda: [python, "-m", "line_profiler", path])
        what = f".lprof, {functions:,} functions of 50 lines, {os.path.getsize(path) / 1e6:.1f} MB"
        self.row(what, bar, costs["ours"], "python -m line_profiler: prints it", costs["peer"])
        return path


class Server(served.Server):
    def __init__(self, data):
        super().__init__(PROGRAM, data)

    def rss_mib(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s+(\d+) kB", file.read())[1]) / 1024

    def p50_us(self, path, times):
        return 1e6 * statistics.median(self.get(path)[0] for _ in range(times))


def browser_ms(address, run_id):
    """Median of clicks on a run of the shelf to the first drawn rows; None where there is no browser."""
    script = os.path.join(ROOT, "tests", "browser", "first_page.mjs")
    try:
        done = subprocess.run(["node", script, f"http://{address}/", run_id], capture_output=True, text=True, timeout=180)
        return json.loads(done.stdout) if done.returncode == 0 else None
    except FileNotFoundError:
        return None


def measure_lines(bench, big_lprof):
    """What the lines view asks for, with its sources attached: each module has 20,000 lines, 19,200 of them with figures."""
    data = os.path.join(bench.folder, "served-lines")
    done = subprocess.run([PROGRAM, "add", "--data", data, "--json", big_lprof], capture_output=True, check=True)
    run = f"/api/v1/runs/{json.loads(done.stdout)['id']}"
    server = Server(data)
    figures = {"GET source of 20,000 lines, p50 ms": (server.p50_us(f"{run}/source?file=1", 20) / 1e3, None),
               "GET 100 of 2,000 profiled functions, p50 ms": (server.p50_us(f"{run}/line_functions?limit=100", 20) / 1e3, None),
               "GET the files of that profile, p50 ms": (server.p50_us(f"{run}/line_files", 20) / 1e3, None)}
    server.end()
    return figures


def measure_server(bench, big_dump, big_lprof):
    data = os.path.join(bench.folder, "served")
    done = subprocess.run([PROGRAM, "add", "--data", data, "--json", big_dump], capture_output=True, check=True)
    run_id = json.loads(done.stdout)["id"]
    ready = []
    for _ in range(5):
        server = Server(data)
        ready.append(server.ready_ms)
        server.end()
    server = Server(data)
    time.sleep(2)
    figures = {"start to ready, ms": (statistics.median(ready), 50), "idle resident memory, MiB": (server.rss_mib(), 20)}
    rows = f"/api/v1/runs/{run_id}/functions?limit=100"
    figures["GET formats, p50 us"] = (server.p50_us("/api/v1/formats", 2000), None)
    figures["GET 100 of the rows by cumtime, p50 us"] = (server.p50_us(rows, 1000), None)
    figures["GET 100 rows deep in a search, p50 us"] = (server.p50_us(rows + "&q=load&offset=500", 200), None)
    clicks = browser_ms(server.address, run_id)
    if clicks:
        figures["click to first rows in Chromium, ms"] = (clicks["median_ms"], 300)
    server.end()
    figures.update(measure_lines(bench, big_lprof))
    for what, (value, bar) in figures.items():
        print(f"{what:44} {value:8.1f}" + (f"   (bar {bar})" if bar else ""), flush=True)
    return figures


def measure_traces(bench):
    figures, path = bench_traces.measure(bench, take_turns)
    figures.update(bench_traces.measure_reading(bench, path, PROGRAM, Server))
    for what, (value, bar) in figures.items():
        print(f"{what:60} {value:8.2f}" + (f"   (bar {bar})" if bar else ""), flush=True)
    return figures


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"model name\s*: (.*)", file.read())
    return (f"{model[1] if model else platform.machine()}, {os.cpu_count()} cores, Linux {platform.release().split('-')[0]}, "
            f"CPython {platform.python_version()}, load {os.getloadavg()[0]:.1f}")


def markdown(bench, figures):
    lines = [f"Measured on {time.strftime('%Y-%m-%d')}: {machine()}; medians of {bench.times} processes.", "",
             "| work | perfshelf add, CPU s (wall, peak MiB) | peer | peer, CPU s (peak MiB) | ratio | bar |",
             "|---|---|---|---|---|---|"]
    for what, ours, name, peer, ratio, bar in bench.rows:
        lines.append(f"| {what} | {ours.cpu:.3f} ({ours.wall:.2f}, {ours.rss_mib:.0f}) | {name} | "
                     f"{peer.cpu:.3f} ({peer.rss_mib:.0f}) | {as_ratio(ratio)} | {bar or ''} |")
    lines += ["", "| the server, holding the dump of 200,000 functions, the .lprof or the trace | measured | bar |", "|---|---|---|"]
    for what, (value, bar) in figures.items():
        lines.append(f"| {what} | {value:.{1 if value >= 10 else 3}f} | {bar or ''} |")
    return "\n".join(lines)


def write(text):
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    head, rest = page.split(BEGIN)
    tail = rest.split(END)[1]
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(f"{head}{BEGIN}\n{text}\n{END}{tail}")
    print(f"written to {os.path.relpath(PAGE)}")


def main():
    if set(sys.argv[1:]) - {"--write", "--quick"}:
        raise SystemExit(__doc__)
    if os.getloadavg()[0] > os.cpu_count():
        print(f"the machine is busy (load {os.getloadavg()[0]:.1f}): trust the ratios only")
    bench = Bench(3 if "--quick" in sys.argv else 5)
    try:
        bench.dumps(20_000, None)
        big = bench.dumps(200_000, "1 : 5")
        bench.logs(2_000, None)
        bench.logs(50_000, f"{TUNA_STARTS / 5:.1f} : 1, a fifth of tuna")
        profile = bench.lines(2_000, "1 : 20")
        figures = measure_server(bench, big, profile)
        figures.update(bench_stacks.measure(bench, take_turns, PROGRAM, Server))
        figures.update(measure_traces(bench))
        figures.update(bench_snapshots.measure_import(bench, take_turns))
        figures.update(bench_snapshots.measure(bench, PROGRAM, Server))
        figures.update(bench_wire.measure(bench, take_turns, PROGRAM, python_with))
        text = markdown(bench, figures)
    finally:
        shutil.rmtree(bench.folder)
    if "--write" in sys.argv:
        write(text)


if __name__ == "__main__":
    main()
