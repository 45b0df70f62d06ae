# SPDX-License-Identifier: MIT
"""Areas of a timeline, that is tracks by time: each number equals what a loop over all rows of the trace gives."""
import json
import os
import random
import statistics
import unittest

from server import ROOT, RUNS, ServerTest

PROFILES = os.path.join(ROOT, "demo", "profiles")
KERNEL, MEMSET = 6, 8
COLLECTIVE = 64
ROWS = """SELECT s.id, s.track, s.name, s.start_ns, s.duration_ns, s.self_ns, s.kind, s.flags, s.family, s.launch, t.kind AS track_kind,
    t.device, p.worker FROM ps_slices s JOIN track t ON t.id = s.track JOIN process p ON p.id = t.process"""


def union(spans, start, end):
    """The joined parts of spans in a range."""
    out = []
    for a, b in sorted((max(a, start), min(b, end)) for a, b in spans):
        if b <= a:
            continue
        if out and a <= out[-1][1]:
            out[-1][1] = max(out[-1][1], b)
        else:
            out.append([a, b])
    return out


def length(spans):
    return sum(b - a for a, b in spans)


def common(one, other):
    return sum(max(0, min(a[1], b[1]) - max(a[0], b[0])) for a in one for b in other)


class Area(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shelf = cls("setUp")
        cls.traces = {}
        for name in ("training-waits", "gpt-h200"):
            with open(os.path.join(PROFILES, name + ".pt.trace.json.gz"), "rb") as file:
                run = shelf.add(file.read(), name=name)["id"]
            timeline = shelf.get_json(f"{RUNS}/{run}/timeline")
            cls.traces[name] = {
                "run": run, "timeline": timeline, "tracks": [track["id"] for track in timeline["tracks"]],
                "slices": shelf.rows(run, ROWS), "flows": shelf.rows(run, "SELECT from_slice, to_slice, from_ns, to_ns FROM flows"),
                "memory": shelf.rows(run, "SELECT t_ns, bytes, device_type, device, address, slice_id FROM memory_events")}

    def rows(self, run, sql):
        answer = self.request("POST", "/api/v1/sql", json.dumps({"run": run, "sql": sql, "limit": 100000}))
        self.assertEqual(answer.status, 200, answer.body)
        columns = [column["name"] for column in answer.json["columns"]]
        return [dict(zip(columns, row)) for row in answer.json["rows"]]

    def area(self, trace, start, end, tracks=(), **more):
        query = {"from_ns": start, "to_ns": end} | ({"tracks": ",".join(map(str, tracks))} if tracks else {}) | more
        return self.get_json(f"{RUNS}/{trace['run']}/area?" + "&".join(f"{key}={value}" for key, value in query.items()))

    def table(self, trace, view, start, end, tracks):
        answer = self.get_json(f"{RUNS}/{trace['run']}/{view}?from_ns={start}&to_ns={end}&limit=1000&tracks={','.join(map(str, tracks))}")
        return answer, [dict(zip(answer["columns"], row)) for row in answer["rows"]]

    def samples(self, seed):
        """Random areas: short and long, of some and of all tracks."""
        pick = random.Random(seed)
        for trace in self.traces.values():
            first, last = trace["timeline"]["start_ns"], trace["timeline"]["end_ns"]
            for part in (1000, 30, 3):
                start = pick.randrange(first, last - (last - first) // part)
                tracks = pick.sample(trace["tracks"], pick.randint(1, len(trace["tracks"])))
                yield trace, start, start + (last - first) // part, tracks
            yield trace, first, last + 1, trace["tracks"]

    def test_slices_and_families(self):
        for trace, start, end, tracks in self.samples(1):
            area = self.area(trace, start, end, tracks)
            inside = [s for s in trace["slices"] if start <= s["start_ns"] < end and s["track"] in tracks]
            self.assertEqual((area["from_ns"], area["to_ns"], area["slices"]), (start, end, len(inside)))
            for key, on_device in (("device_families", True), ("host_families", False)):
                wanted = []
                for family in range(11):
                    rows = [s for s in inside if s["family"] == family and (KERNEL <= s["kind"] <= MEMSET) == on_device]
                    if rows:
                        times = [s["duration_ns"] for s in rows]
                        wanted.append({"family": family, "count": len(rows), "total_ns": sum(times), "self_ns": sum(s["self_ns"] for s in rows),
                                       "min_ns": min(times), "max_ns": max(times)})
                self.assertEqual(area[key], wanted)

    def test_tracks_are_busy_while_a_slice_lasts(self):
        for trace, start, end, tracks in self.samples(2):
            area = self.area(trace, start, end, tracks)
            wanted = []
            for track in tracks:
                rows = [s for s in trace["slices"] if s["track"] == track]
                row = {"id": track, "slices": sum(start <= s["start_ns"] < end for s in rows),
                       "busy_ns": length(union(((s["start_ns"], s["start_ns"] + s["duration_ns"]) for s in rows), start, end))}
                if row["slices"] or row["busy_ns"]:
                    wanted.append(row)
            self.assertEqual(area["tracks"], sorted(wanted, key=lambda row: (-row["busy_ns"], row["id"])))
            self.assertEqual(area["tracks_total"], len(wanted))
            self.assertTrue(all(row["busy_ns"] <= end - start for row in area["tracks"]))

    def test_devices_and_overlap(self):
        overlaps = 0
        for trace, start, end, tracks in self.samples(3):
            found = {(device["worker"], device["device"]): device for device in self.area(trace, start, end, tracks)["devices"]}
            parts = {}
            for s in trace["slices"]:
                if KERNEL <= s["kind"] <= MEMSET and s["track"] in tracks and s["start_ns"] < end and s["start_ns"] + s["duration_ns"] > start:
                    part = "communication" if s["flags"] & COLLECTIVE else "compute" if s["kind"] == KERNEL else "copies"
                    device = parts.setdefault((s["worker"], s["device"]), {"compute": [], "communication": [], "copies": []})
                    device[part].append((s["start_ns"], s["start_ns"] + s["duration_ns"]))
            self.assertEqual(set(found), set(parts))
            for device, spans in parts.items():
                joined = {part: union(list_, start, end) for part, list_ in spans.items()}
                wanted = {f"{part}_ns": length(list_) for part, list_ in joined.items()}
                wanted["busy_ns"] = length(union((span for list_ in joined.values() for span in list_), start, end))
                wanted["overlap_ns"] = common(joined["compute"], joined["communication"])
                overlaps += wanted["overlap_ns"]
                self.assertEqual({key: found[device][key] for key in wanted}, wanted)
        self.assertGreater(overlaps, 0)

    def test_flows_and_launches(self):
        kinds = set()
        for trace, start, end, tracks in self.samples(4):
            area = self.area(trace, start, end, tracks)
            wanted = {"inside": 0, "in": 0, "out": 0}
            for flow in trace["flows"]:
                starts = start <= flow["from_ns"] < end and flow["from_slice"] >> 32 in tracks
                ends = start <= flow["to_ns"] < end and flow["to_slice"] >> 32 in tracks
                if starts or ends:
                    wanted["inside" if starts and ends else "out" if starts else "in"] += 1
            self.assertEqual(area["flows"], wanted)
            kinds |= {kind for kind, count in wanted.items() if count}
            starts = {s["id"]: s["start_ns"] for s in trace["slices"]}
            latencies = [s["start_ns"] - starts[s["launch"]] for s in trace["slices"]
                         if s["launch"] and s["track"] in tracks and start <= s["start_ns"] < end]
            self.assertEqual(area["launches"]["count"], len(latencies))
            if latencies:
                self.assertEqual(area["launches"], {"count": len(latencies), "median_ns": statistics.median(latencies), "max_ns": max(latencies)})
        self.assertEqual(kinds, {"inside", "in", "out"})

    def test_counters_are_step_functions(self):
        events = [{"ph": "X", "name": "work", "pid": 1, "tid": 1, "ts": 0, "dur": 100},
                  *({"ph": "C", "name": "load", "pid": 1, "ts": ts, "args": {"value": value}} for ts, value in ((10, 4), (20, 8), (40, 2), (90, 100)))]
        run = self.add(json.dumps({"traceEvents": events}).encode())["id"]
        counter, = self.get_json(f"{RUNS}/{run}/timeline")["counters"]
        trace = {"run": run}
        for start, end, wanted in (
                (0, 5, {"points": 0}),
                (0, 15, {"points": 1, "min": 4, "max": 4, "mean": 4, "last": 4}),
                (10, 20, {"points": 1, "min": 4, "max": 4, "mean": 4, "last": 4}),
                (15, 50, {"points": 2, "min": 2, "max": 8, "mean": (5 * 4 + 20 * 8 + 10 * 2) / 35, "last": 2}),
                (50, 60, {"points": 0, "min": 2, "max": 2, "mean": 2, "last": 2})):
            found, = self.area(trace, start * 1000, end * 1000, counters=counter["id"])["counters"]
            self.assertEqual(found, {"id": counter["id"], **wanted}, (start, end))

    def test_tables_of_an_area(self):
        """The tables of the dock: slices by name, kernels, memory and flame graphs of the tracks."""
        for trace, start, end, tracks in self.samples(5):
            inside = [s for s in trace["slices"] if start <= s["start_ns"] < end and s["track"] in tracks]
            answer, rows = self.table(trace, "slices", start, end, tracks)
            wanted = {}
            for s in inside:
                wanted.setdefault(s["name"], []).append(s["duration_ns"])
            self.assertEqual({row["name_id"]: (row["calls"], round(row["cpu_total_us"] * 1000), round(row["min_us"] * 1000), round(row["max_us"] * 1000))
                              for row in rows}, {name: (len(times), sum(times), min(times), max(times)) for name, times in wanted.items()})
            self.assertEqual(answer["sums"]["calls"] or 0, len(inside))
            kernels = [s for s in inside if KERNEL <= s["kind"] <= MEMSET]
            answer, rows = self.table(trace, "kernels", start, end, tracks)
            self.assertEqual((answer["sums"]["calls"] or 0, round((answer["sums"]["total_us"] or 0) * 1000)),
                             (len(kernels), sum(s["duration_ns"] for s in kernels)))
            flame = self.get_json(f"{RUNS}/{trace['run']}/flame?on=device&from_ns={start}&to_ns={end}&tracks={','.join(map(str, tracks))}")
            self.assertEqual(flame["sum"], sum(s["duration_ns"] for s in kernels))
            allocated, increase = self.memory(trace, start, end, tracks)
            self.assertEqual(self.table(trace, "allocations", start, end, tracks)[0]["sums"]["bytes"] or 0, allocated)
            self.assertEqual(self.table(trace, "memory_operators", start, end, tracks)[0]["sums"]["self_increase_bytes"] or 0, increase)

    def memory(self, trace, start, end, tracks):
        """Bytes of the allocations of these tracks, also of those before the recording that are freed here, and the increase by their slices:
        a free belongs to the slice of its allocation."""
        owner, allocated, increase = {}, 0, 0
        for event in trace["memory"]:
            place = (event["device_type"], event["device"], event["address"])
            own = (event["slice_id"] or 0) >> 32 in tracks
            if event["bytes"] > 0:
                owner[place] = event["slice_id"] or 0
            is_known = place in owner
            belongs = owner.get(place, event["slice_id"] or 0) >> 32 in tracks
            if event["bytes"] < 0:
                owner.pop(place, None)
            if start <= event["t_ns"] < end:
                increase += event["bytes"] if belongs else 0
                allocated += abs(event["bytes"]) if own and (event["bytes"] > 0 or not is_known) else 0
        return allocated, increase

    def test_all_tracks_are_the_range(self):
        trace = self.traces["training-waits"]
        end = trace["timeline"]["end_ns"]
        for view in ("kernels", "slices", "flame?on=wall"):
            separator = "&" if "?" in view else "?"
            both = [self.get_json(f"{RUNS}/{trace['run']}/{view}{separator}from_ns=0&to_ns={end}{more}")
                    for more in ("", "&tracks=" + ",".join(map(str, trace["tracks"])))]
            self.assertEqual(*both)
        host = next(track["id"] for track in trace["timeline"]["tracks"] if track["kind"] == 0)
        with_all, of_host = (self.table(trace, "operators", 0, end, tracks)[1] for tracks in (trace["tracks"], [host]))
        self.assertTrue(any(row["kind"] == KERNEL for row in with_all))
        self.assertTrue(of_host and not any(row["kind"] == KERNEL for row in of_host))

    def test_refused(self):
        trace = self.traces["training-waits"]
        many = ",".join(["1"] * 4097)
        for view in ("area", "kernels", "operators", "slices", "flame", "memory_operators", "allocations"):
            for value in ("x", "1,,2", "-1", "0", "1,999999", "1;2", "99999999999999999999", many):
                self.assertRefused(self.get(f"{RUNS}/{trace['run']}/{view}?tracks={value}"), 400, "bad_request")
        for query in ("from_ns=9&to_ns=1", "from_ns=x", "counters=0", "counters=" + ",".join(["1"] * 257)):
            self.assertRefused(self.get(f"{RUNS}/{trace['run']}/area?{query}"), 400, "bad_request")
        self.assertIn("no track 999999", self.get(f"{RUNS}/{trace['run']}/area?tracks=1,999999").error["text"])
        run = self.add(b"import time: self [us] | cumulative | imported package\nimport time:         1 |          1 | a\n")["id"]
        self.assertEqual(self.get(f"{RUNS}/{run}/area").status, 404)


if __name__ == "__main__":
    unittest.main()
