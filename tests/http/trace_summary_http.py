# SPDX-License-Identifier: MIT
"""The summaries of a trace, against figures computed here from its events."""
import json
import os
import random
import statistics
import urllib.parse

from server import ROOT, RUNS, ServerTest

END_US = 40_000
NAMES = {"cuda_gpu_kern_sum": "kernel", "cuda_api_sum": "cuda_runtime", "nvtx_sum": "user_annotation"}
COPIES = ("gpu_memcpy", "gpu_memset")


def event(name, cat, ts, dur, tid, pid, **args):
    return {"ph": "X", "name": name, "cat": cat, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}


def work(rng, correlation, ts):
    """What a launch at ts leads to: once in a while nothing, or several kernels."""
    for _ in range(rng.choice((0, 1, 1, 1, 1, 3))):
        what, dur = rng.random(), rng.randrange(1, 9000) / 1000
        at, ids = round(ts + rng.randrange(5, 400), 3), {"correlation": correlation, "device": 0, "stream": 7}
        if what < 0.7:
            yield event(f"void kernel_{rng.randrange(5)}<float>(int)", "kernel", at, dur, 7, 0, **ids)
        elif what < 0.9:
            kind = rng.choice(("HtoD (Pinned -> Device)", "HtoD (Pageable -> Device)", "DtoH (Device -> Pageable)"))
            yield event(f"Memcpy {kind}", "gpu_memcpy", at, dur, 8, 0, bytes=rng.randrange(1 << 30), **ids)
        else:
            yield event("Memset (Device)", "gpu_memset", at, dur, 9, 0, bytes=rng.randrange(1 << 12), **ids)


def ranges(rng, tid, start, end, depth):
    """Ranges inside of each other and side by side; calls in them, between them and outside."""
    at = start
    while at + 40 < end:
        stop = min(end, at + rng.randrange(30, max(31, (end - start) // 2)))
        if depth < 4 and rng.random() < 0.6:
            yield event(f"range {rng.randrange(6)}", "user_annotation", at, stop - at, tid, 100)
            yield from ranges(rng, tid, at + 1, stop - 1, depth + 1)
        else:
            correlation = next(CORRELATIONS)
            yield event(rng.choice(("cudaLaunchKernel", "cudaMemcpyAsync")), "cuda_runtime", at + 2, 10, tid, 100, correlation=correlation)
            yield from work(rng, correlation, at + 2)
        at = stop + rng.randrange(5)


CORRELATIONS = iter(range(1, 1 << 20))


def figures(values):
    return {"total": sum(values), "calls": len(values), "avg": sum(values) / len(values), "med": statistics.median(values), "min": min(values),
            "max": max(values), "stddev": statistics.stdev(values) if len(values) > 1 else 0}


def ns(us):
    return round(us * 1000)


class Summary(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        rng = random.Random(7)
        cls.events = [e for tid in (1, 2, 3) for e in ranges(rng, tid, 0, END_US, 0)]
        body = json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU", "numSms": 4}], "traceEvents": cls.events})
        answer = cls.server.request("POST", f"{RUNS}?wait=1&name=ranges", body.encode())
        assert answer.status == 201, answer.body
        cls.path = f"{RUNS}/{answer.json['id']}"
        cls.origin = min(ns(e["ts"]) for e in cls.events) // 1000 * 1000

    def parts(self):
        """The whole, and stretches of it: as parameters, and what starts inside."""
        rng = random.Random(2)
        yield "", lambda e: True
        starts = sorted({ns(e["ts"]) - self.origin for e in self.events})
        for number in range(12):  # half of them begin and end where an event starts: an end is outside
            begin, end = sorted(rng.sample(starts if number % 2 else range(END_US * 1000), 2))
            yield f"&from_ns={begin}&to_ns={end}", lambda e, b=begin, t=end: b <= ns(e["ts"]) - self.origin < t

    def report(self, name, more):
        table = self.get_json(f"{self.path}/summary?report={name}&limit=1000{more}")
        return {row["name"]: row for row in (dict(zip(table["columns"], row)) for row in table["rows"])}

    def same(self, rows, wanted, before="", after="ns"):
        self.assertEqual(set(rows), set(wanted))
        for name, values in wanted.items():
            for key, value in figures(values).items():
                got = rows[name]["calls" if key == "calls" else f"{before}{key}_{after}"]
                self.assertAlmostEqual(got, value, delta=1e-9 * abs(value), msg=f"{name} {key}")

    def gathered(self, events, value, name=lambda e: e["name"]):
        lists = {}
        for e in events:
            lists.setdefault(name(e), []).append(value(e))
        return lists

    def test_which_there_are(self):
        self.assertEqual(self.get_json(f"{self.path}/summaries")["reports"],
                         ["cuda_gpu_kern_sum", "cuda_api_sum", "cuda_gpu_mem_time_sum", "cuda_gpu_mem_size_sum", "nvtx_sum", "nvtx_gpu_proj_sum"])

    def test_times_by_name(self):
        for report, category in NAMES.items():
            for more, inside in self.parts():
                with self.subTest(report=report, range=more):
                    chosen = [e for e in self.events if e["cat"] == category and inside(e)]
                    rows = self.report(report, more)
                    self.same(rows, self.gathered(chosen, lambda e: ns(e["dur"])))
                    total = sum(ns(e["dur"]) for e in chosen)
                    for row in rows.values():
                        self.assertAlmostEqual(row["time_pct"], 100 * row["total_ns"] / total)

    def test_copies_by_operation(self):
        for more, inside in self.parts():
            chosen = [e for e in self.events if e["cat"] in COPIES and inside(e)]
            operation = lambda e: e["name"].split(" (")[0]
            with self.subTest(range=more):
                self.same(self.report("cuda_gpu_mem_time_sum", more), self.gathered(chosen, lambda e: ns(e["dur"]), operation))
                self.same(self.report("cuda_gpu_mem_size_sum", more), self.gathered(chosen, lambda e: e["args"]["bytes"], operation), after="bytes")

    def test_all_of_an_operation(self):
        row = self.report("cuda_gpu_mem_time_sum", "")["Memcpy HtoD"]
        of = self.get_json(f"{self.path}/named?name={row['name_id']}&kind={row['kind']}&operation=1")
        self.assertEqual([of[k] for k in ("name", "count", "total_ns", "median_ns")], ["Memcpy HtoD", row["calls"], row["total_ns"], row["med_ns"]])

    def test_place_of_a_slice(self):
        """Widest first, then by id; the ends are neighbours."""
        name = "void kernel_1<float>(int)"
        row = self.report("cuda_gpu_kern_sum", "")[name]
        sql = f"SELECT id FROM slices WHERE name = '{name}' ORDER BY duration_ns DESC, id"
        answer = self.server.request("POST", "/api/v1/sql", json.dumps({"run": self.path.split("/")[-1], "sql": sql, "limit": 100000}))
        ids = [one[0] for one in answer.json["rows"]]
        self.assertEqual(len(ids), row["calls"])
        for index in (0, 1, len(ids) // 2, len(ids) - 1):
            of = self.get_json(f"{self.path}/named?name={row['name_id']}&kind={row['kind']}&slice={ids[index]}")
            self.assertEqual(of["place"], {"index": index, "previous": ids[index - 1], "next": ids[(index + 1) % len(ids)]})
        self.assertIsNone(self.get_json(f"{self.path}/named?name={row['name_id']}&kind={row['kind']}")["place"])
        self.assertIsNone(self.get_json(f"{self.path}/named?name={row['name_id']}&kind={row['kind'] - 1}&slice={ids[0]}").get("place"))
        self.assertEqual(self.server.request("GET", f"{self.path}/named?name={row['name_id']}&slice=7").status, 404)

    def works_of(self, around):
        """What the calls of a range launched: those that begin inside, on its thread."""
        inside = {e["args"]["correlation"] for e in self.events
                  if e["cat"] == "cuda_runtime" and e["tid"] == around["tid"] and around["ts"] <= e["ts"] < around["ts"] + around["dur"]}
        return [(ns(e["ts"]), ns(e["ts"]) + ns(e["dur"])) for e in self.events
                if e["cat"] in ("kernel", *COPIES) and e["args"]["correlation"] in inside]

    def test_ranges_on_the_device(self):
        projected = [(e, works) for e in self.events if e["cat"] == "user_annotation" for works in (self.works_of(e),) if works]
        self.assertGreater(len(projected), 100)
        for more, inside in self.parts():
            lists, hosts, works_of = {}, {}, {}
            for e, works in projected:
                if inside(e):
                    name = e["name"]
                    lists.setdefault(name, []).append(max(end for _, end in works) - min(start for start, _ in works))
                    hosts[name] = hosts.get(name, 0) + ns(e["dur"])
                    works_of[name] = works_of.get(name, 0) + len(works)
            with self.subTest(range=more):
                rows = self.report("nvtx_gpu_proj_sum", more)
                self.same(rows, lists, before="proj_")
                self.assertEqual({name: row["range_total_ns"] for name, row in rows.items()}, hosts)
                self.assertEqual({name: row["works"] for name, row in rows.items()}, works_of)

    def test_sorted_searched_exported(self):
        rows = self.report("cuda_gpu_kern_sum", "&sort=stddev_ns&q=kernel_1")
        self.assertEqual(len(rows), 1)
        for key in ("total_ns", "time_pct", "calls", "avg_ns", "med_ns", "min_ns", "max_ns", "stddev_ns"):
            values = [row[key] for row in self.report("cuda_gpu_kern_sum", f"&sort={key}&desc=1").values()]
            self.assertEqual(values, sorted(values, reverse=True), key)
        hidden = urllib.parse.quote("kernel_[0-3]")
        csv = self.get(f"{self.path}/summary?report=cuda_gpu_kern_sum&format=csv&hide={hidden}").body.decode().splitlines()
        self.assertEqual(len(csv), 2)
        self.assertTrue(csv[0].startswith("id,name,name_id,kind,time_pct,total_ns,calls,avg_ns"), csv[0])

    def test_refuses(self):
        for query in ("", "?report=x", "?report=nvtx_sum&sort=x", "?report=nvtx_sum&from_ns=5&to_ns=4", "?report=nvtx_sum&q=(&regex=1"):
            with self.subTest(query):
                self.assertRefused(self.get(f"{self.path}/summary{query}"), 400, "bad_request")


class Nsight(ServerTest):
    """An export of Nsight Systems: domains, styles, a graph that one call launched, two processes with the same correlations."""
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with open(os.path.join(ROOT, "tests", "golden", "nsys", "ok_full.sqlite"), "rb") as file:
            answer = cls.server.request("POST", f"{RUNS}?wait=1&name=export", file.read())
        assert answer.status == 201, answer.body
        cls.path = f"{RUNS}/{answer.json['id']}"

    def report(self, name, *columns):
        table = self.get_json(f"{self.path}/summary?report={name}")
        rows = [dict(zip(table["columns"], row)) for row in table["rows"]]
        return [tuple(row[column] for column in columns) for row in rows]

    def test_which_there_are(self):
        self.assertEqual(self.get_json(f"{self.path}/summaries")["reports"],
                         ["cuda_gpu_kern_sum", "cuda_api_sum", "cuda_gpu_mem_time_sum", "cuda_gpu_mem_size_sum", "osrt_sum", "nvtx_sum", "nvtx_gpu_proj_sum"])

    def test_calls_and_copies(self):
        self.assertEqual(self.report("osrt_sum", "name", "total_ns", "calls", "min_ns", "max_ns"), [("read", 1400, 2, 500, 900)])
        self.assertIn(("cudaLaunchKernel", 900, 2), self.report("cuda_api_sum", "name", "total_ns", "calls"))
        self.assertEqual(self.report("cuda_gpu_mem_size_sum", "name", "total_bytes"),
                         [("[CUDA memcpy Host-to-Device]", 4096), ("[CUDA memset]", 64), ("[CUDA memcpy Unknown]", 8)])

    def test_ranges(self):
        """Marks are no ranges; what is open ends with the session."""
        rows = self.report("nvtx_sum", "name", "domain", "style", "calls", "min_ns")
        self.assertEqual(sorted(rows), [("allreduce", "NCCL", "PushPop", 1, 250), ("open", None, "PushPop", 1, 91400), ("other request", None, "StartEnd", 1, 2000),
                                        ("registered", None, "PushPop", 1, 650), ("request", None, "StartEnd", 2, 4500), ("step", None, "PushPop", 1, 3000)])

    def test_ranges_on_the_device(self):
        """step: a kernel, a copy, the two of the graph, 1700 to 3500; the other process has a call of the same number."""
        self.assertEqual(self.report("nvtx_gpu_proj_sum", "name", "domain", "proj_total_ns", "range_total_ns", "works"),
                         [("step", None, 1800, 3000, 4), ("registered", None, 900, 650, 2), ("allreduce", "NCCL", 300, 250, 2)])


class Devices(ServerTest):
    def test_findings_name_the_devices_as_the_trace_does(self):
        for label, word in (("XPU 0", "XPU"), ("GPU 0", "GPU"), ("python", "GPU")):
            events = [{"ph": "M", "name": "process_labels", "pid": 0, "tid": 0, "args": {"labels": label}}]
            events += [event("cudaLaunchKernel", "cuda_runtime", ts, 10, 1, 100, correlation=ts + 1) for ts in (0, 900)]
            events += [event("gemm", "kernel", ts + 15, 80, 7, 0, correlation=ts + 1, device=0, stream=7) for ts in (0, 900)]
            trace = json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "A"}], "traceEvents": events})
            run = self.server.request("POST", f"{RUNS}?wait=1&name={word}", trace.encode()).json["id"]
            findings = self.get_json(f"{RUNS}/{run}/findings")
            titles = {row["rule"]: row["title"] for row in findings["rows"]}
            self.assertEqual(titles["gpu_utilisation"], f"{word} busy less than half of the time")
            self.assertIn(f"{word} memory nearly full", [row["title"] for row in findings["checked"]])
            text = next(row["text"] for row in findings["rows"] if row["rule"] == "gpu_utilisation")
            self.assertIn(f"the {word} is busy 1", text)
