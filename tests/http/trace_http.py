# SPDX-License-Identifier: MIT
"""A trace over HTTP: what its views say fits together, whatever the range."""
import json
import random

from server import RUNS, ServerTest, dump

OPS, LAUNCHES, KERNELS = 40, 40, 40
STEPS = 4


def event(name, cat, ts, dur, tid=1, pid=100, **args):
    return {"ph": "X", "name": name, "cat": cat, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}


def step_events(step):
    """A step of ten operators of 80 us; each launches a kernel of 30 us and allocates 1 KB, which the next one frees."""
    begin = 1000.5 + step * 1000
    yield event(f"ProfilerStep#{step}", "user_annotation", begin, 900)
    for i in range(10):
        link, at = step * 10 + i + 1, begin + 10 + i * 85
        yield event(f"aten::op{i % 3}", "cpu_op", at, 80, **{"External id": link, "Input Dims": [[i % 2, 8]]})
        yield event("cudaLaunchKernel", "cuda_runtime", at + 20, 10, **{"correlation": link, "External id": link})
        yield event(f"kernel{i % 2}", "kernel", at + 40, 30, tid=7, pid=0,
                    **{"correlation": link, "External id": link, "device": 0, "stream": 7, "grid": [i, 1, 1], "block": [32, 1, 1],
                       "registers per thread": 16, "shared memory": 0, "blocks per SM": 0.5, "est. achieved occupancy %": 50})
        yield {"ph": "s", "id": link, "cat": "ac2g", "name": "ac2g", "pid": 100, "tid": 1, "ts": at + 20}
        yield {"ph": "f", "id": link, "cat": "ac2g", "name": "ac2g", "pid": 0, "tid": 7, "ts": at + 40, "bp": "e"}
        yield memory(at + 5, 1024, 4096 + link * 1024, 1024)
        if link > 1:
            yield memory(at + 6, -1024, 4096 + (link - 1) * 1024, 1024)


def memory(ts, size, address, total):
    return {"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 100, "tid": 1, "ts": ts,
            "args": {"Device Type": 1, "Device Id": 0, "Bytes": size, "Addr": address, "Total Allocated": total,
                     "Total Reserved": 8192}}


def trace():
    events = [e for step in range(STEPS) for e in step_events(step)]
    events += [{"ph": "C", "name": "load", "pid": 100, "ts": 1000.5 + i * 10, "args": {"percent": i % 7}} for i in range(300)]
    return json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU", "numSms": 4}],
                       "traceEvents": events}).encode()


class Trace(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        answer = cls.server.request("POST", f"{RUNS}?wait=1&name=trace", trace())
        assert answer.status == 201, answer.body
        cls.run_ = answer.json
        cls.path = f"{RUNS}/{answer.json['id']}"
        cls.timeline = cls.server.request("GET", f"{cls.path}/timeline?px=100").json
        cls.tracks = {track["id"]: track for track in cls.timeline["tracks"]}

    def view(self, path):
        return self.get_json(f"{self.path}/{path}")

    def rows(self, path):
        """A table as objects."""
        table = self.view(path)
        return [dict(zip(table["columns"], row)) for row in table["rows"]]

    def ranges(self):
        rng = random.Random(3)
        starts = sorted({row["first_ns"] for row in self.rows("kernels?launch=1&limit=1000")})
        for number in range(20):  # half of them begin and end where a kernel starts: an end is outside
            yield sorted(rng.sample(starts if number % 2 else range(self.timeline["end_ns"] + 1), 2))


class WallFlame(ServerTest):
    def test_its_total_is_the_time_of_the_threads(self):
        """The profiler's own work happens on a thread, and two slices can share time."""
        events = [event("train.py(1): <module>", "python_function", 0, 100), event("nn.Module: Net", "python_function", 10, 50),
                  event("## forward ##", "user_annotation", 40, 55), event("aten::mm", "cpu_op", 61, 20, **{"External id": 1}),
                  event("aten::mm", "cpu_op", 20, 30, tid=2, **{"External id": 2}),
                  event("Activity Buffer Request", "overhead", 45, 30, tid=0, pid=-1)]
        answer = self.server.request("POST", f"{RUNS}?wait=1", json.dumps({"schemaVersion": 1, "traceEvents": events}).encode())
        path = f"{RUNS}/{answer.json['id']}"
        flame = self.get_json(f"{path}/flame?on=wall")
        self.assertEqual((flame["sum"], flame["tracks"]), (130_000, 2))
        self.assertEqual(sum(flame["self"]), flame["sum"])
        self.assertNotIn("Activity Buffer Request", flame["frames"]["name"])
        self.assertIn("Activity Buffer Request", self.get_json(f"{path}/flame?on=cpu")["frames"]["name"])
        alone = self.get_json(f"{path}/flame?on=wall&from_ns=30000")
        self.assertEqual(alone["tracks"], 1)


class Threads(ServerTest):
    def timeline(self, *events):
        answer = self.server.request("POST", f"{RUNS}?wait=1", json.dumps({"schemaVersion": 1, "traceEvents": events}).encode())
        return self.get_json(f"{RUNS}/{answer.json['id']}/timeline")

    def test_the_thread_with_the_steps_is_first(self):
        """Neither its number nor its number of slices decides."""
        others = [event("aten::add", "cpu_op", 10 * i, 5, tid=tid) for tid in (100, 1) for i in range(8)]
        timeline = self.timeline(*others, event("ProfilerStep#0", "user_annotation", 0, 90, tid=7), event("aten::mm", "cpu_op", 10, 5, tid=7))
        self.assertEqual(timeline["tracks"][0]["tid"], "7")

    def test_a_stream_has_the_device_of_its_kernels(self):
        """Where the process of the stream is not the device."""
        timeline = self.timeline(event("aten::mm", "cpu_op", 0, 50), *(event("gemm", "kernel", 10 + i, 5, tid=7, pid=9000 + i, device=5 + i, stream=7) for i in (0, 1)))
        self.assertEqual([track["device"] for track in timeline["tracks"] if track["kind"] == 1], [5, 6])


class Timeline(Trace):
    def test_what_stands_still(self):
        self.assertEqual(self.run_["kind"], "torch-trace")
        self.assertEqual(self.timeline["origin_us"], "1000")
        self.assertEqual(self.timeline["start_ns"], 500)  # 0 is the whole microsecond before the first event
        self.assertEqual([step["name"] for step in self.timeline["steps"]], [f"ProfilerStep#{i}" for i in range(STEPS)])
        self.assertEqual(sum(t["slices"] for t in self.tracks.values()), OPS + LAUNCHES + KERNELS + STEPS)
        self.assertEqual([c["name"] for c in self.timeline["counters"]], ["load percent"])
        memory = self.timeline["memory"]
        self.assertEqual([(m["device_type"], m["device"], m["peak_bytes"], m["reserved_peak_bytes"]) for m in memory], [(1, 0, 1024, 8192)])
        self.assertTrue(all(len(t["busy"]) == 100 for t in self.timeline["overview"]["tracks"]))

    def test_a_window_leaves_nothing_out(self):
        for px in (1, 7, 300, 8192):
            window = self.view(f"window?px={px}")
            self.assertEqual(window["drawn"] + window["counted"], OPS + LAUNCHES + KERNELS + STEPS)
            for track in window["tracks"]:
                self.assertEqual(len(track["slices"]["row"]) + sum(track["density"]["count"]), self.tracks[track["id"]]["slices"])
                self.assertEqual(sum(track["density"]["count"]), track["counted"])

    def test_any_window_is_the_whole_cut_out(self):
        whole = {(t["id"], row): (start + self.timeline["start_ns"], duration)
                 for t in self.view("window?px=8192")["tracks"]
                 for row, start, duration in zip(*(t["slices"][k] for k in ("row", "start", "duration")))}
        for begin, end in self.ranges():
            part = self.view(f"window?from_ns={begin}&to_ns={end}&px=8192")
            wanted = {key: value for key, value in whole.items() if value[0] < end and value[0] + value[1] > begin}
            drawn = {(t["id"], row): (start + begin, duration)
                     for t in part["tracks"]
                     for row, start, duration in zip(*(t["slices"][k] for k in ("row", "start", "duration")))}
            self.assertEqual(drawn, wanted)

    def test_tracks_and_names(self):
        track = next(iter(self.tracks))
        window = self.view(f"window?tracks={track}&px=8192")
        self.assertEqual([t["id"] for t in window["tracks"]], [track])
        ids = sorted(set(window["tracks"][0]["slices"]["name"]))
        names = self.view(f"names?ids={','.join(map(str, ids))}")["names"]
        self.assertEqual(sorted(map(int, names)), ids)

    def test_curves(self):
        stream = next(t["id"] for t in self.tracks.values() if t["kind"] == 1)
        curves = self.view(f"curves?px=50&counters=1&memory=1:0&busy={stream}")
        self.assertEqual((min(curves["counters"][0]["value"]), max(curves["counters"][0]["value"])), (0, 6))
        self.assertLessEqual(len(curves["counters"][0]["t_ns"]), 150)
        self.assertEqual(max(curves["memory"][0]["allocated"]), 1024)
        self.assertEqual(len(curves["busy"][0]["share"]), 50)

    def test_refuses(self):
        for path in ("window?px=0", "window?px=9999", "window?from_ns=5&to_ns=4", "window?tracks=a", "window?from_ns=1e9", "names?ids=0",
                     "curves?memory=x", "named", "named?name=x", "find", "find?q=(&regex=1", "find?q=a&dir=up", "find?q=a&px=8193", "parts?px=0", "flame?on=x",
                     "flame?track=x", "operators?from_ns=x", "operators?by_shape=2", "operators?on=x", "kernels?launch=x",
                     "operators?sort=x", "allocations?open=maybe", "operators?q=(&regex=1", "steps?format=x"):
            with self.subTest(path):
                self.assertRefused(self.get(f"{self.path}/{path}"), 400, "bad_request")
        for path in ("slices/1", "slices/99999999999999", "slices/x", "named?name=99999", "nothing"):
            with self.subTest(path):
                self.assertRefused(self.get(f"{self.path}/{path}"), 404, "not_found")

    def test_other_kinds_have_no_timeline(self):
        run = self.add(dump())
        self.assertRefused(self.get(f"{RUNS}/{run['id']}/timeline"), 404, "not_found")

    def test_answers_are_cached(self):
        answer = self.get(f"{self.path}/window?px=100")
        again = self.get(f"{self.path}/window?px=100", If_None_Match=answer.headers["ETag"])
        self.assertEqual(again.status, 304)


class Slices(Trace):
    def find_all(self, query):
        """Every hit, stepped to one by one."""
        hits, place = [], ""
        while True:
            hit = self.view(f"find?{query}{place}")["hit"]
            if not hit:
                return hits
            hits.append(hit)
            place = f"&from_ns={hit['start_ns']}&from_id={hit['id']}"

    def test_find_steps_through_all(self):
        forth = self.find_all("q=aten")
        self.assertEqual(len({hit["id"] for hit in forth}), OPS)
        self.assertEqual([hit["id"] for hit in self.find_all("q=aten&dir=previous")], [hit["id"] for hit in reversed(forth)])
        self.assertEqual([hit["index"] for hit in forth], list(range(OPS)))
        self.assertEqual(self.view("find?q=aten&dir=previous")["hit"]["index"], OPS - 1)
        found = self.view("find?q=aten::op[01]&regex=1")
        self.assertEqual([name["name"] for name in found["names"]], ["aten::op0", "aten::op1"])
        self.assertEqual(found["count"], sum(name["count"] for name in found["names"]))

    def test_hits_by_pixel(self):
        self.assertIsNone(self.view("find?q=aten")["bins"])
        timeline = self.view("timeline")
        width = (timeline["end_ns"] - timeline["start_ns"]) / 50
        bins = self.view("find?q=aten&px=50")["bins"]
        expected = {}
        for hit in self.find_all("q=aten"):
            px = min(49, int((hit["start_ns"] - timeline["start_ns"]) / width))
            expected[px] = expected.get(px, 0) + 1
        self.assertEqual(dict(zip(bins["px"], bins["count"], strict=True)), expected)
        self.assertEqual(sum(bins["count"]), OPS)

    def test_named(self):
        name = self.view("find?q=aten::op0")["names"][0]
        all_of = self.view(f"named?name={name['id']}")
        self.assertEqual((all_of["count"], all_of["total_ns"]), (name["count"], name["total_ns"]))
        self.assertEqual((all_of["min_ns"], all_of["median_ns"], all_of["p95_ns"], all_of["max_ns"]), (80000, 80000, 80000, 80000))
        self.assertEqual(sum(all_of["histogram"]["count"]), all_of["count"])

    def test_a_slice_and_its_kin(self):
        hit = self.view("find?q=aten")["hit"]
        op = self.view(f"slices/{hit['id']}")
        self.assertEqual((op["slice"]["name"], op["slice"]["duration_ns"], op["args"]["Input Dims"]), ("aten::op0", 80000, [[0, 8]]))
        self.assertEqual([p["name"] for p in op["parents"]], ["ProfilerStep#0"])
        self.assertEqual([(c["name"], c["duration_ns"]) for c in op["children"]], [("cudaLaunchKernel", 10000)])
        self.assertEqual([k["name"] for k in op["kernels"]], ["kernel0"])
        self.assertEqual([m["bytes"] for m in op["memory"]], [1024])
        kernel = self.view(f"slices/{op['kernels'][0]['id']}")
        self.assertEqual((kernel["operator"]["id"], kernel["launch"]["id"]), (hit["id"], op["children"][0]["id"]))
        self.assertEqual(kernel["launch"]["delay_ns"], 10000)
        self.assertEqual([(f["from_name"], f["to_name"]) for f in kernel["flows"]], [("cudaLaunchKernel", "kernel0")])
        self.assertEqual(self.view(f"slices/{op['next']}")["previous"], hit["id"])


class Tables(Trace):
    def test_operators_of_the_whole(self):
        rows = {row["name"]: row for row in self.rows("operators")}
        self.assertEqual(rows["aten::op0"]["calls"], 16)
        self.assertEqual(rows["aten::op0"]["self_cpu_us"], 16 * 70)
        self.assertEqual(rows["aten::op0"]["self_device_us"], 16 * 30)
        self.assertEqual(rows["ProfilerStep*"]["calls"], STEPS)
        self.assertAlmostEqual(sum(row["self_cpu_pct"] for row in rows.values()), 100)
        shapes = [row["input_shapes"] for row in self.rows("operators?by_shape=1&q=aten::op0")]
        self.assertEqual(len(shapes), 2)

    def test_the_whole_as_a_range_is_the_whole(self):
        end = self.timeline["end_ns"] + 1
        for view in ("operators", "operators?by_shape=1", "kernels", "kernels?launch=1", "memory_operators", "allocations"):
            sign = "&" if "?" in view else "?"
            strip = {"id"}
            whole = [{k: v for k, v in row.items() if k not in strip} for row in self.rows(f"{view}{sign}limit=1000&sort=name" if "all" not in view else view)]
            part = [{k: v for k, v in row.items() if k not in strip}
                    for row in self.rows(f"{view}{sign}limit=1000&from_ns=0&to_ns={end}" + ("&sort=name" if "all" not in view else ""))]
            self.assertEqual(sorted(map(repr, part)), sorted(map(repr, whole)), view)

    def test_parts_add_up(self):
        for _, cut in self.ranges():
            for view, key in (("operators?on=host", "calls"), ("operators?on=host", "self_cpu_us"), ("kernels", "total_us"),
                              ("memory_operators", "self_increase_bytes")):
                sign = "&" if "?" in view else "?"
                total = self.view(view)["sums"].get(key) or sum(row[key] for row in self.rows(view))
                parts = [self.view(f"{view}{sign}{side}")["sums"].get(key) or 0 for side in (f"to_ns={cut}", f"from_ns={cut}")]
                self.assertAlmostEqual(sum(parts), total, msg=f"{view} {key} at {cut}")

    def test_the_device_flame_is_the_kernel_table(self):
        for begin, end in self.ranges():
            flame = self.view(f"flame?on=device&from_ns={begin}&to_ns={end}")
            kernels = self.view(f"kernels?from_ns={begin}&to_ns={end}")["sums"]["total_us"] or 0
            self.assertAlmostEqual(flame["sum"] / 1000, kernels)
            self.assertEqual(sum(flame["self"]), flame["sum"])

    def test_the_cpu_flame_is_the_operator_table(self):
        flame = self.view("flame?on=cpu")
        self.assertAlmostEqual(flame["sum"] / 1000, self.view("operators?on=host")["sums"]["self_cpu_us"])
        self.assertTrue(all(parent < i for i, parent in enumerate(flame["parent"])))

    def test_kernels_by_launch(self):
        row = self.rows("kernels?launch=1&q=kernel1&sort=first_ns&desc=0")[0]
        self.assertEqual((row["operator"], row["registers"], row["occupancy_pct"], row["blocks_per_sm"]), ("aten::op1", 16, 50, 0.5))

    def test_steps_and_allocations(self):
        steps = self.rows("steps")
        self.assertEqual([row["host_ns"] for row in steps], [900000] * STEPS)
        self.assertEqual(len(self.rows(f"steps?from_ns={steps[1]['start_ns']}&to_ns={steps[3]['start_ns']}")), 2)
        allocations = self.rows("allocations?limit=100")
        self.assertEqual((len(allocations), {row["bytes"] for row in allocations}), (OPS, {1024}))
        self.assertEqual(len(self.rows("allocations?open=1")), 1)
        self.assertEqual({row["operator"] for row in allocations}, {"aten::op0", "aten::op1", "aten::op2"})

    def test_pages_and_exports(self):
        pages = [row for at in range(0, 8, 2) for row in self.view(f"operators?limit=2&offset={at}&sort=calls")["rows"]]
        whole = self.view("operators?sort=calls")
        self.assertEqual(pages, whole["rows"][:8])
        self.assertEqual(self.view("operators?offset=1000")["rows"], [])
        csv = self.get(f"{self.path}/operators?format=csv").body.decode().splitlines()
        self.assertEqual(len(csv), whole["total"] + 1)
        self.assertEqual(csv[0].split(","), whole["columns"])
