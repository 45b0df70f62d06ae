# SPDX-License-Identifier: MIT
"""A shelf under load: profiles without end, uploaders, readers, and what must hold afterwards. For load_http.py and
tests/bench/bench_load.py."""
import gzip
import hashlib
import http.client
import itertools
import json
import marshal
import os
import subprocess
import threading
import time
import urllib.parse

from server import PROGRAM, ROOT, RUNS

DEMO = os.path.join(ROOT, "demo", "profiles")


def demo(name):
    with open(os.path.join(DEMO, name), "rb") as file:
        return file.read()


# --- profiles: each function gives the i-th of its kind, real in shape and like no other ------------------------------


class Profiles:
    """Profiles of seven kinds, one after the other from the `first` on; no two are the same. Safe to call from many threads."""

    def __init__(self, first=0):
        trace = gzip.decompress(demo("training.pt.trace.json.gz"))
        cut = trace.rindex(b'"traceName"')
        self.trace_head = gzip.compress(trace[:cut], 1)
        self.functions = marshal.loads(demo("bookshop-slow.prof"))
        self.log = demo("ipython-warm.log")
        self.memory = demo("events-memory.txt")
        self.kinds = (self.import_log, self.dump, self.folded, self.speedscope, self.trace, self.hyperfine, self.memory_report)
        self.serial = itertools.count(first)

    def next(self):
        i = next(self.serial)
        return i, self.kinds[i % len(self.kinds)](i)

    def import_log(self, i):
        return self.log + b"import time: %9d | %10d | variation_%d\n" % (i, i, i)

    def dump(self, i):
        return marshal.dumps({**self.functions, (f"/srv/app/variation_{i}.py", 1, "once"): (1, 1, 1e-6, 1e-6, {})})

    def folded(self, i):
        return "".join(f"main (app.py:1);run_{i} (app.py:9);step_{n % 37} (steps.py:{n});leaf_{n * i % 11} (leaf.py:3) {n + 1}\n"
                       for n in range(400)).encode()

    def speedscope(self, i):
        frames = [{"name": f"f{n}_{i}", "file": "app.py", "line": n} for n in range(50)]
        samples = [[0, 1 + n % 48, 49] for n in range(1000)]
        return json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": frames}, "profiles": [
            {"type": "sampled", "name": f"thread {i}", "unit": "seconds", "startValue": 0, "endValue": 10, "samples": samples,
             "weights": [0.01] * 1000}]}).encode()

    def trace(self, i):
        return self.trace_head + gzip.compress(b'"traceName": "variation-%d.json"\n}\n' % i)

    def hyperfine(self, i):
        times = [1 + (n * 7 + i) % 13 / 100 for n in range(10)]
        return json.dumps({"results": [{"command": f"app --seed {i}", "mean": sum(times) / 10, "stddev": 0.03, "median": 1.05, "user": 0.9,
                                        "system": 0.1, "min": min(times), "max": max(times), "times": times, "exit_codes": [0] * 10}]}).encode()

    def memory_report(self, i):
        return self.memory + b"\n" * (1 + i)


# --- who uploads ------------------------------------------------------------------------------------------------------


class Uploaders:
    """So many threads, each uploading one profile after the other until told to stop: every other one waits for its run,
    the others for their job. What does not answer as it should stands in `faults`."""

    def __init__(self, server, count):
        self.server, self.profiles = server, Profiles()
        self.runs, self.faults = {}, []  # id of a run -> (name, SHA-256 of its bytes)
        self.lock, self.stopping = threading.Lock(), threading.Event()
        self.threads = [threading.Thread(target=self._work, args=(i % 2,), daemon=True) for i in range(count)]

    def start(self):
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join(300)
        if any(thread.is_alive() for thread in self.threads):
            self.faults.append("an upload was not answered within five minutes")

    def _work(self, waits):
        link = self.server.connect()
        while not self.stopping.is_set():
            i, content = self.profiles.next()
            name = f"variation {i}"
            try:
                run = self._upload(link, name, content, waits)
            except (OSError, http.client.HTTPException, ValueError, KeyError) as fault:
                self.faults.append(f"{name}: {fault!r}")
                link.close()
                continue
            with self.lock:
                if run in self.runs:
                    self.faults.append(f"{name} and {self.runs[run][0]} are both told to be {run}")
                self.runs[run] = name, hashlib.sha256(content).hexdigest()
        link.close()

    def _ask(self, link, method, path, body, wanted):
        link.request(method, path, body)
        answer = link.getresponse()
        text = answer.read()
        if answer.status != wanted:
            raise ValueError(f"{method} {path}: {answer.status} {text[:300]!r}")
        return json.loads(text)

    def _upload(self, link, name, content, waits):
        query = urllib.parse.urlencode({"name": name, **({"wait": 1} if waits else {})})
        told = self._ask(link, "POST", f"{RUNS}?{query}", content, 201 if waits else 202)
        if waits:
            return told["id"]
        job = told["job"]
        while job["state"] in ("queued", "running"):
            time.sleep(0.05)
            job = self._ask(link, "GET", f"/api/v1/jobs/{job['id']}", None, 200)
        if job["state"] != "done" or job["already"]:
            raise ValueError(f"the job ends as {job}")
        return job["run"]


# --- who reads --------------------------------------------------------------------------------------------------------


def report_paths(runs):
    """Views of these runs (as the server shows them), each of them cacheable for ever."""
    views = {"importtime": ("imports/tree", "packages?limit=100"), "pstats": ("functions?limit=100&sort=cumtime_s&desc=1", "files"),
             "folded": ("stack_flame",), "speedscope": ("stack_flame",), "torch-trace": ("timeline?px=1600", "operators?limit=100", "overview"),
             "hyperfine": ("measurements",), "memory_profiler": ("line_functions",)}
    return [f"{RUNS}/{run['id']}/{view}" for run in runs for view in views[run["kind"]]]


SHELF_PATHS = ("/", f"{RUNS}?limit=50", "/api/v1/shelf", "/api/v1/formats")


class Readers:
    """So many threads, each with a connection that is kept alive, asking for one path after the other; every third answer
    is asked for once more with its ETag."""

    def __init__(self, server, count, paths):
        self.server, self.paths, self.answers, self.faults = server, paths, 0, []
        self.stopping, self.lock = threading.Event(), threading.Lock()
        self.threads = [threading.Thread(target=self._work, args=(i,), daemon=True) for i in range(count)]

    start, stop = Uploaders.start, Uploaders.stop

    def _ask(self, link, path, headers, wanted):
        link.request("GET", path, headers=headers)
        answer = link.getresponse()
        body = answer.read()
        if answer.status not in wanted:
            raise ValueError(f"{path}: {answer.status} {body[:300]!r}")
        return answer.headers["ETag"]

    def _work(self, first):
        link, read = self.server.connect(), 0
        while not self.stopping.is_set():
            path = self.paths[(first + read) % len(self.paths)]
            try:
                etag = self._ask(link, path, {}, (200,))
                if read % 3 == 0 and etag:
                    self._ask(link, path, {"If-None-Match": etag}, (200, 304))
            except (OSError, http.client.HTTPException, ValueError) as fault:
                self.faults.append(f"{path}: {fault!r}")
                link.close()
            read += 1
        link.close()
        with self.lock:
            self.answers += read


# --- what must hold afterwards ----------------------------------------------------------------------------------------


def listed(server):
    """Every run on the shelf, id -> name; ValueError when one is listed twice."""
    runs, total = {}, None
    while total is None or len(runs) < total:
        page = server.request("GET", f"{RUNS}?limit=500&offset={len(runs)}").json
        total = page["total"]
        if not page["rows"] or any(run["id"] in runs for run in page["rows"]):
            raise ValueError(f"{len(runs)} of {total} runs are listed, then {page['rows'][:1]}")
        runs.update((run["id"], run["name"]) for run in page["rows"])
    return runs


def check_runs(server, told, before=()):
    """What is wrong with the shelf, as a list: each run that was told must be there once, under its name, with the bytes that
    were sent; and no others but those of before."""
    there, faults = listed(server), []
    faults += [f"{name} was told to be run {run} and is not listed" for run, (name, _) in told.items() if run not in there]
    faults += [f"run {run}, {name}, is listed and nobody was told of it" for run, name in there.items()
               if run not in told and run not in before]
    link = server.connect()
    for run, (name, sha256) in told.items():
        if there.get(run) != name:
            faults.append(f"run {run} is called {there.get(run)}, not {name}")
        for path in ("original", "notes"):
            link.request("GET", f"{RUNS}/{run}/{path}")
            answer = link.getresponse()
            body = answer.read()
            if answer.status != 200:
                faults.append(f"{run}/{path}: {answer.status} {body[:200]!r}")
            elif path == "original" and hashlib.sha256(body).hexdigest() != sha256:
                faults.append(f"run {run}, {name}: the original is not what was sent")
    link.close()
    return faults


def verify(data):
    """What `perfshelf verify` says of the shelf; "" when all is well."""
    done = subprocess.run([PROGRAM, "verify", "--data", data], capture_output=True, text=True)
    return "" if done.returncode == 0 else f"verify ends with {done.returncode}: {done.stdout}{done.stderr}"
