# SPDX-License-Identifier: MIT
"""An export of Nsight Systems, made here, through the server: its views, and the reports of `nsys stats` computed from the same rows."""
import random
import sqlite3
import statistics
import tempfile
from collections import defaultdict

from server import RUNS, ServerTest

PID = 1 << 48 | 500 << 24
LONG_NS = 90_000_000
TABLES = """
CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE META_DATA_EXPORT(name, value);
CREATE TABLE ANALYSIS_DETAILS(globalVid, duration, startTime, stopTime);
CREATE TABLE TARGET_INFO_GPU(id, name, totalMemory, smCount, computeMajor, computeMinor);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, eventClass, globalTid, correlationId, nameId, returnValue);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, gridX, gridY, gridZ);
CREATE TABLE OSRT_API(start, end, globalTid, nameId);
CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid, textId, domainId);
CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS(start, globalPid, deviceId, address, bytes, memKind, memoryOperationType);
"""
STRINGS = ["cudaLaunchKernel_v7000", "gemm<float>", "relu", "read", "cudaFree_v3020", "cudaMalloc_v3020"]


def export(seed=5):
    """Ranges inside ranges on two threads, launches in and between them, kernels some time later; the rows that were written."""
    rng, rows = random.Random(seed), defaultdict(list)
    rows["META_DATA_EXPORT"].append(("EXPORT_PRODUCT_VERSION", "2025.1"))
    rows["ANALYSIS_DETAILS"].append((1 << 48, 10_000_000_000, 0, 10_000_000_000))
    rows["TARGET_INFO_GPU"].append((0, "NVIDIA Made", 1 << 30, 100, 9, 0))
    rows["NVTX_EVENTS"].append((0, None, 75, "made", PID | 500, None, 3))
    rows["CUPTI_ACTIVITY_KIND_RUNTIME"].append((0, LONG_NS, 0, PID | 500, 1, 4, 0))
    busy = LONG_NS
    for thread in (500, 501):
        now, correlation = LONG_NS, thread * 1000
        for _ in range(200):
            start = now
            for _ in range(rng.randrange(5)):
                correlation += 1
                now += rng.randrange(10, 5000)
                call = (now, now + rng.randrange(1000, 3000), 0, PID | thread, correlation, 0, 0)
                rows["CUPTI_ACTIVITY_KIND_RUNTIME"].append(call)
                begin = max(busy, call[1] + rng.randrange(100, 9000))
                busy = begin + rng.randrange(500, 20000)
                rows["CUPTI_ACTIVITY_KIND_KERNEL"].append((begin, busy, 0, 1, 7, correlation, PID, rng.choice((1, 2)), 8, 1, 1))
                now = call[1] + rng.randrange(10, 500)
                if rng.random() < 0.3:
                    rows["OSRT_API"].append((now, now + rng.randrange(10, 800), PID | thread, 3))
                    now += 900
            if rng.random() < 0.8:
                name = f"range {rng.randrange(5)}"
                rows["NVTX_EVENTS"].append((start, now, 59, name, PID | thread, None, rng.choice((0, 3))))
                if rng.random() < 0.5 and now - start > 40:
                    rows["NVTX_EVENTS"].append((start + 5, now - 5, 59, "inner", PID | thread, None, 0))
            now += rng.randrange(100)
    rows["CUDA_GPU_MEMORY_USAGE_EVENTS"] = [(100, PID, 0, 1, 4096, 2, 0), (LONG_NS, PID, 0, 2, 1000, 2, 0), (LONG_NS + 5, PID, 0, 1, 4096, 2, 1)]
    with tempfile.NamedTemporaryFile(suffix=".sqlite") as file:
        db = sqlite3.connect(file.name)
        db.executescript(TABLES)
        db.executemany("INSERT INTO StringIds VALUES (?, ?)", enumerate(STRINGS))
        for table, values in rows.items():
            rng.shuffle(values)
            db.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(values[0]))})", values)
        db.commit()
        db.close()
        with open(file.name, "rb") as made:
            return made.read(), rows


def figures(values):
    return {"total_ns": sum(values), "calls": len(values), "avg_ns": sum(values) / len(values), "med_ns": statistics.median(values),
            "min_ns": min(values), "max_ns": max(values), "stddev_ns": statistics.stdev(values) if len(values) > 1 else 0}


class Nsys(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.content, cls.rows = export()

    def setUp(self):
        self.run_id = self.add(self.content, name="report.sqlite")["id"]

    def view(self, path):
        return self.get_json(f"{RUNS}/{self.run_id}/{path}")

    def table(self, path):
        answer = self.view(path)
        return [dict(zip(answer["columns"], row)) for row in answer["rows"]]

    def report(self, name):
        return self.table(f"summary?report={name}&limit=1000")

    def check(self, report, values):
        """values: (name, domain) -> durations."""
        have = {(row["name"], row.get("domain")): row for row in self.report(report)}
        self.assertEqual(set(have), set(values))
        whole = sum(map(sum, values.values()))
        for key, durations in values.items():
            want = figures(durations) | {"time_pct": 100 * sum(durations) / whole}
            for column, value in want.items():
                self.assertAlmostEqual(have[key][column], value, places=6, msg=f"{report} {key} {column}")

    def test_what_it_is(self):
        run = self.get_json(f"{RUNS}/{self.run_id}")
        self.assertEqual((run["kind"], run["tool"], run["tool_version"]), ("nsys", "NVIDIA Nsight Systems", "2025.1"))
        self.assertEqual(run["ledger"]["read"], sum(len(rows) for table, rows in self.rows.items() if not table.startswith(("META", "TARGET", "ANALYSIS"))))
        self.assertEqual(run["summary"]["peak_bytes"], 5096)

    def test_the_same_file_packed(self):
        """What is packed is spooled: nothing else differs."""
        import gzip
        packed = self.add(gzip.compress(self.content), name="packed")
        one, other = self.get_json(f"{RUNS}/{self.run_id}"), self.get_json(f"{RUNS}/{packed['id']}")
        self.assertEqual((one["ledger"], one["summary"]), (other["ledger"], other["summary"]))

    def test_reports(self):
        values = defaultdict(list)
        for begin, end, *_, name, _, _, _ in self.rows["CUPTI_ACTIVITY_KIND_KERNEL"]:
            values[STRINGS[name], None].append(end - begin)
        self.check("cuda_gpu_kern_sum", values)
        values = defaultdict(list)
        for begin, end, _, _, _, name, _ in self.rows["CUPTI_ACTIVITY_KIND_RUNTIME"]:
            values[STRINGS[name].split("_v")[0], None].append(end - begin)
        self.check("cuda_api_sum", values)
        self.check("osrt_sum", {("read", None): [end - begin for begin, end, *_ in self.rows["OSRT_API"]]})

    def ranges(self):
        return [row for row in self.rows["NVTX_EVENTS"] if row[2] == 59]

    def test_ranges(self):
        values = defaultdict(list)
        for begin, end, _, name, _, _, domain in self.ranges():
            values[name, "made" if domain == 3 else None].append(end - begin)
        self.check("nvtx_sum", values)

    def test_projected(self):
        calls = {call[4]: call for call in self.rows["CUPTI_ACTIVITY_KIND_RUNTIME"]}
        values, kernels = defaultdict(list), self.rows["CUPTI_ACTIVITY_KIND_KERNEL"]
        for begin, end, _, name, thread, _, domain in self.ranges():
            inside = [(k[0], k[1]) for k in kernels if calls[k[5]][3] == thread and begin <= calls[k[5]][0] < end]
            if inside:
                values[name, "made" if domain == 3 else None].append(max(e for _, e in inside) - min(b for b, _ in inside))
        have = {(row["name"], row["domain"]): row["proj_total_ns"] for row in self.report("nvtx_gpu_proj_sum")}
        self.assertEqual(have, {key: sum(durations) for key, durations in values.items()})

    def test_ranges_have_their_device_time(self):
        """Self: of kernels whose innermost range it is; total: of all that was launched inside."""
        calls = {call[4]: call for call in self.rows["CUPTI_ACTIVITY_KIND_RUNTIME"]}
        own, total = defaultdict(int), defaultdict(int)
        for kernel in self.rows["CUPTI_ACTIVITY_KIND_KERNEL"]:
            call = calls[kernel[5]]
            around = sorted((r for r in self.ranges() if r[4] == call[3] and r[0] <= call[0] and call[1] <= r[1]), key=lambda r: r[0])
            for name in {r[3] for r in around}:
                total[name] += kernel[1] - kernel[0]
            if around:
                own[around[-1][3]] += kernel[1] - kernel[0]
        rows = {row["name"]: row for row in self.table("operators?on=host&limit=1000")}
        for name in total:
            self.assertEqual((round(rows[name]["self_device_us"] * 1000), round(rows[name]["device_total_us"] * 1000)), (own[name], total[name]), name)

    def test_a_long_call_is_found(self):
        found = {row["rule"]: row for row in self.view("findings")["rows"]}["long_call"]
        self.assertIn("One call of cudaFree takes 90.000 ms", found["text"])
        slice_id = int(found["link"]["params"]["slice"])
        self.assertEqual(self.view(f"slices/{slice_id}")["slice"]["duration_ns"], LONG_NS)

    def test_views(self):
        self.assertEqual(self.view("overview")["devices"][0]["name"], "NVIDIA Made")
        names = {track["name"] for track in self.view("timeline")["tracks"]}
        self.assertEqual(names, {"stream 7", "thread 500", "thread 501"})
        self.assertEqual(self.view("allocations?limit=10")["total"], 2)
        flame = self.view("flame?on=device")
        self.assertEqual(flame["sum"], sum(end - begin for begin, end, *_ in self.rows["CUPTI_ACTIVITY_KIND_KERNEL"]))

    def test_threads_have_layers(self):
        """Each layer of a thread is a track: its slices, and their depth among those of the layer, as the slices themselves state it."""
        layer_of = {12: "nvtx", 4: "api", 13: "os"}
        tracks = {track["id"]: track for track in self.view("timeline")["tracks"]}
        threads = [track for track in tracks.values() if track["kind"] == 0]
        self.assertEqual([[layer["layer"] for layer in track["layers"]] for track in threads], [["nvtx", "api", "os"]] * 2)
        self.assertNotIn("layers", tracks[next(id for id, track in tracks.items() if track["kind"] == 1)])
        for track in threads:
            layers = track["layers"]
            self.assertEqual(layers[0]["id"], track["id"])
            self.assertEqual(sum(layer["slices"] for layer in layers), track["slices"])
            ids = ",".join(str(layer["id"]) for layer in layers)
            window = self.view(f"window?px=8192&layers=1&tracks={ids}")["tracks"]
            self.assertEqual([one["id"] for one in window], [layer["id"] for layer in layers])
            for one, layer in zip(window, layers):
                drawn = one["slices"]
                self.assertEqual(len(drawn["row"]) + one["counted"], layer["slices"])
                self.assertEqual(one["counted"], sum(one["density"]["count"]))
                self.assertEqual(max(drawn["depth"] + one["density"]["depth"]) + 1, layer["depth"])
                for row, depth, kind in list(zip(drawn["row"], drawn["depth"], drawn["kind"]))[::5]:
                    answer = self.view(f"slices/{track['id'] * 2**32 + row}")
                    kinds = [self.view(f"slices/{parent['id']}")["slice"]["kind"] for parent in answer["parents"]]
                    self.assertEqual(layer_of[kind], layer["layer"])
                    self.assertEqual(depth, sum(layer_of[of] == layer["layer"] for of in kinds))
                    self.assertEqual((answer["slice"]["layer_track"], answer["slice"]["layer_depth"]), (layer["id"], depth))
            whole = self.view(f"window?px=8192&tracks={track['id']}")["tracks"][0]
            self.assertEqual(len(whole["slices"]["row"]) + whole["counted"], track["slices"])
            self.assertEqual(sorted(whole["slices"]["row"]), sorted(row for one in window for row in one["slices"]["row"]))
        hit = self.view("find?q=cudaLaunchKernel")["hit"]
        self.assertEqual((hit["layer_track"] % 2**21, hit["layer_depth"]), (hit["track"], 0))
        self.assertNotEqual(hit["layer_track"], hit["track"])

    def test_the_span_is_that_of_the_timeline(self):
        """Not until the recording ended, seconds after the last event."""
        timeline, span = self.view("timeline"), self.get_json(f"{RUNS}/{self.run_id}")["summary"]["span_ns"]
        self.assertAlmostEqual(span, timeline["end_ns"] - timeline["start_ns"], delta=1000)
        self.assertLess(span, 1_000_000_000)

    def test_damage_is_one_sentence(self):
        cut = self.request("POST", f"{RUNS}?wait=1", self.content[:len(self.content) // 2])
        self.assertRefused(cut, 422, "bad_input")
        self.assertIn("the database is truncated", cut.error["text"])
        self.assertIn("nsys export --type sqlite", cut.error["hint"])
