# SPDX-License-Identifier: MIT
"""A figure over the runs of a series through HTTP: points, repeats, steps, what is left out, baselines."""
import csv
import io
import json
import marshal
import statistics
import urllib.parse

from server import RUNS, ServerTest, dump

HEAD = "import time: self [us] | cumulative | imported package\n"


def log(**modules):
    return (HEAD + "".join(f"import time: {us:9} | {us:10} | {name}\n" for name, us in modules.items())).encode()


def stacks(unit, *weights):
    """A speedscope profile of two functions; the headline of milliseconds is in s, of "none" a weight."""
    return json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": "main"}, {"name": "app"}]},
                       "profiles": [{"type": "sampled", "name": "t", "unit": unit, "startValue": 0, "endValue": sum(weights),
                                     "samples": [[0, i] for i in range(len(weights))], "weights": weights}]}).encode()


def noise(i):
    """-8 .. 8, in no order."""
    return i * 7 % 17 - 8


class Trend(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shelf = cls("add_runs")
        cls.ids = []
        for i in range(24):
            modules = {"app": 3000 + noise(i) + (400 if i >= 14 else 0), "json": 500 + noise(i + 5)}
            if i >= 4:
                modules["late"] = 50 + i
            cls.ids.append(shelf.add(log(**modules), series="nightly", name=f"n{i}", tag=f"commit={100 - i // 2}")["id"])

    def add_runs(self):
        pass

    def trend(self, runs="series:nightly", **params):
        return self.get_json(f"/api/v1/trend?{urllib.parse.urlencode(dict(params, runs=runs))}")

    def refused(self, status, code, **params):
        self.assertRefused(self.get(f"/api/v1/trend?{urllib.parse.urlencode(params)}"), status, code)

    def test_headlines_and_their_step(self):
        trend = self.trend()
        self.assertEqual([point["id"] for point in trend["points"]], self.ids)
        self.assertEqual((trend["kind"], trend["metric"], trend["title"], trend["unit"], trend["older"]), ("importtime", "headline", "import", "s", 0))
        runs = {run["id"]: run for run in self.get_json(f"{RUNS}?series=nightly")["rows"]}
        for point in trend["points"]:
            run = runs[point["id"]]
            self.assertEqual((point["value"], point["at"], point["name"], point["tags"]),
                             (run["headline"]["value"], run["created_at"], run["name"], run["tags"]))
            self.assertEqual((point["n"], point["mad"], point["ids"], point["absent"]), (1, None, [point["id"]], False))
        [change] = trend["changes"]
        values = [point["value"] for point in trend["points"]]
        self.assertEqual((change["index"], change["from"], change["to"]), (14, 0, 24))
        self.assertEqual((change["before"], change["after"]), (statistics.median(values[:14]), statistics.median(values[14:])))
        self.assertAlmostEqual(change["delta_pct"], 100 * change["delta"] / change["before"])
        self.assertLessEqual(change["p"], trend["rules"]["alpha"])
        self.assertIn("modules", trend["figures"])

    def rows(self, runs="series:nightly", **params):
        return self.get_json(f"/api/v1/trend/rows?{urllib.parse.urlencode(dict(params, runs=runs))}")

    def test_rows_by_change(self):
        growth = self.rows(of="imports")
        self.assertEqual([point["id"] for point in growth["points"]], self.ids)
        self.assertEqual((growth["metric"], growth["unit"], growth["total"], growth["place_is_unit"]), ("self_us", "us", 3, False))
        sizes = [abs(row["delta"]) for row in growth["rows"]]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        rows = {row["name"]: row for row in growth["rows"]}
        for name, row in rows.items():
            trend = self.trend(of="imports", row=name)
            self.assertEqual(row["values"], [point["value"] for point in trend["points"]])
            self.assertEqual(row["changes"], trend["changes"])
            self.assertEqual((row["first"], row["last"], row["delta"]), (row["values"][0], row["values"][-1], row["values"][-1] - row["values"][0]))
        self.assertEqual((rows["late"]["found"], rows["app"]["found"], rows["late"]["delta_pct"]), ("new", None, None))
        self.assertEqual(sum(row["delta"] for row in rows.values()), growth["sum"]["delta"])
        self.assertEqual([change["index"] for change in rows["app"]["changes"]], [14])

    def test_rows_of_repeats(self):
        growth = self.rows(of="imports", by="tag:commit")
        self.assertEqual([point["by"] for point in growth["points"]], [str(commit) for commit in range(89, 101)])
        for row in growth["rows"]:
            trend = self.trend(of="imports", row=row["name"], by="tag:commit")
            self.assertEqual((row["values"], row["changes"]), ([point["value"] for point in trend["points"]], trend["changes"]))
        self.assertEqual({row["name"]: row["found"] for row in growth["rows"]}["late"], "gone")

    def test_limits_of_rows(self):
        growth = self.rows(of="imports", metric="cumulative_us", limit=5, rows=1)
        self.assertEqual(([point["id"] for point in growth["points"]], growth["older"]), (self.ids[-5:], 19))
        self.assertEqual((len(growth["rows"]), growth["total"], growth["sum"]), (1, 3, None))

    def test_operators_without_a_device(self):
        for i, us in enumerate((50, 45, 40)):
            events = [{"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": at, "dur": dur} for name, at, dur in (("aten::mm", 0, us), ("aten::add", 60, 10))]
            self.add(json.dumps({"schemaVersion": 1, "traceEvents": events}).encode(), series="no-device", name=f"t{i}")
        growth = self.rows("series:no-device", of="operators")
        self.assertEqual((growth["metric"], [row["name"] for row in growth["rows"]], growth["left_out"]), ("self_cpu_us", ["aten::mm", "aten::add"], []))
        self.assertEqual(growth["rows"][0]["values"], [50, 45, 40])
        self.assertEqual([point["value"] for point in self.trend("series:no-device", of="operators", row="aten::mm")["points"]], [50, 45, 40])
        self.assertEqual(self.rows("series:no-device", of="operators", metric="self_device_us")["points"], [])

    def test_rows_are_refused(self):
        for status, code, params in ((400, "bad_request", {}), (404, "not_found", {"of": "none"}), (400, "bad_request", {"of": "imports", "metric": "none"}),
                                     (400, "bad_request", {"of": "imports", "limit": 201}), (404, "not_found", {"of": "imports", "runs": "series:none"})):
            query = urllib.parse.urlencode({"runs": "series:nightly", **params})
            self.assertRefused(self.get(f"/api/v1/trend/rows?{query}"), status, code)

    def test_limit(self):
        trend = self.trend(limit=5)
        self.assertEqual(([point["id"] for point in trend["points"]], trend["older"], trend["changes"]), (self.ids[-5:], 19, []))

    def test_figures_of_summaries(self):
        trend = self.trend(metric="modules")
        self.assertEqual([point["value"] for point in trend["points"]], [2] * 4 + [3] * 20)
        self.assertEqual(self.trend(metric="total_us")["unit"], "us")
        nothing = self.trend(metric="no_such")
        self.assertEqual((nothing["points"], nothing["left_out"]), ([], [{"why": "without this metric", "runs": 24}]))

    def test_rows(self):
        trend = self.trend(of="imports", row="json")
        self.assertEqual([point["value"] for point in trend["points"]], [500 + noise(i + 5) for i in range(24)])
        self.assertEqual((trend["metric"], trend["title"], trend["unit"], trend["changes"]), ("self_us", "Self time", "us", []))
        again = self.trend(of="imports", row="json", metric="cumulative_us")
        self.assertEqual([point["value"] for point in again["points"]], [500 + noise(i + 5) for i in range(24)])
        self.assertEqual(again["title"], "Cumulative time")
        late = self.trend(of="imports", row="late")
        self.assertEqual([(point["value"], point["absent"]) for point in late["points"][2:6]], [(0, True), (0, True), (54, False), (55, False)])
        self.assertEqual(self.trend(of="imports", row="app")["changes"][0]["index"], 14)

    def test_repeats_are_one_point(self):
        trend = self.trend(by="tag:commit")
        self.assertEqual([point["by"] for point in trend["points"]], [str(100 - i) for i in reversed(range(12))])
        last = trend["points"][-1]
        values = [point["value"] for point in self.trend()["points"][:2]]
        self.assertEqual((last["ids"], last["n"], last["id"]), (self.ids[:2], 2, self.ids[1]))
        self.assertAlmostEqual(last["value"], statistics.median(values))
        self.assertAlmostEqual(last["mad"], abs(values[0] - values[1]) / 2)
        self.assertEqual(self.trend(by="tag:none")["left_out"], [{"why": "without the tag none", "runs": 24}])

    def test_by_a_tag_that_is_no_number(self):
        for i, word in enumerate(("b", "a", "b", "c")):
            self.add(log(w=10 + i), series="words", tag=f"host={word}")
        self.add(log(w=99), series="words")
        trend = self.trend("series:words", by="tag:host")
        self.assertEqual([(point["by"], point["n"]) for point in trend["points"]], [("b", 2), ("a", 1), ("c", 1)])
        self.assertEqual(trend["left_out"], [{"why": "without the tag host", "runs": 1}])
        self.assertEqual(len(self.trend("tag:host=b")["points"]), 2)

    def test_other_kinds_are_left_out(self):
        self.add(log(m=1), series="mixed")
        self.add(dump(), series="mixed")
        self.add(log(m=2), series="mixed")
        trend = self.trend("series:mixed")
        self.assertEqual([point["value"] for point in trend["points"]], [1e-6, 2e-6])
        self.assertEqual(trend["left_out"], [{"why": "of kind pstats", "runs": 1}])
        other = self.trend("series:mixed", kind="pstats")
        self.assertEqual((other["kind"], len(other["points"]), other["left_out"]), ("pstats", 1, [{"why": "of kind importtime", "runs": 2}]))
        none = self.trend("series:mixed", kind="top")
        self.assertEqual((none["points"], none["kind"]), ([], None))
        self.assertEqual(len(self.trend("series:mixed", kind="pstats", of="functions", row="fib")["points"]), 1)

    def test_rows_of_one_name(self):
        for folder, scale in (("/x", 1), ("/z", 3)):
            own = {(f"{folder}/{file}.py", 7, "f"): (1, 2, tt * scale, 2 * tt * scale, {}) for file, tt in (("one", 0.25), ("two", 0.5))}
            self.add(marshal.dumps(own), series="places")
        def values(**more):
            return [point["value"] for point in self.trend("series:places", of="functions", row="f", **more)["points"]]
        self.assertEqual(values(), [0.75, 2.25])  # own times add up
        self.assertEqual(values(metric="cumtime_s"), [1, 3])  # of others the largest counts
        self.assertEqual(values(place="/x/one.py"), [0.25, 0.75])  # moved to another folder
        self.assertEqual(values(place="/z/two.py", metric="ncalls"), [2, 2])

    def test_csv(self):
        answer = self.get("/api/v1/trend?runs=series:nightly&format=csv")
        self.assertEqual((answer.status, answer.headers["Content-Disposition"]), (200, 'attachment; filename="trend.csv"'))
        rows = list(csv.DictReader(io.StringIO(answer.body.decode())))
        points = self.trend()["points"]
        self.assertEqual([float(row["value"]) for row in rows], [point["value"] for point in points])
        self.assertEqual([row["run"] for row in rows if row["step"]], [self.ids[14]])
        self.assertEqual(float(rows[3]["delta"]), points[3]["value"] - points[2]["value"])

    def test_wrong_questions(self):
        self.refused(400, "bad_request")
        self.refused(400, "bad_request", runs="nightly")
        self.refused(404, "not_found", runs="series:none")
        self.refused(404, "not_found", runs="tag:none=1")
        for wrong in ({"by": "commit"}, {"of": "imports"}, {"row": "app"}, {"limit": "0"}, {"limit": "99999"}, {"format": "xml"},
                      {"of": "imports", "row": "app", "metric": "none"}, {"metric": '"'}, {"limit": "2001", "of": "imports", "row": "app"}):
            with self.subTest(wrong):
                self.refused(400, "bad_request", runs="series:nightly", **wrong)
        self.refused(404, "not_found", runs="series:nightly", of="functions", row="x")
        self.refused(404, "not_found", runs="series:nightly", of="imports", row="nowhere")

    # --- baselines

    def test_baselines(self):
        runs = [self.add(log(x=10 + i), series="pinned", name=f"p{i}")["id"] for i in range(3)]
        self.assertIsNone(self.trend("series:pinned")["baseline"])
        self.assertRefused(self.get(f"{RUNS}/baseline:pinned"), 404, "not_found")
        pinned = self.request("PUT", f"{RUNS}/{runs[0]}/baseline")
        self.assertEqual((pinned.status, pinned.json["id"], pinned.json["baseline"]), (200, runs[0], True))
        baseline = self.trend("series:pinned")["baseline"]
        self.assertEqual((baseline["id"], baseline["name"], baseline["value"]), (runs[0], "p0", 10e-6))
        self.assertEqual(self.trend("series:pinned", of="imports", row="x")["baseline"]["value"], 10)
        self.assertEqual(self.get_json(f"{RUNS}/baseline:pinned")["id"], runs[0])
        self.assertEqual([run["id"] for run in self.get_json(f"/api/v1/compare?base=baseline:pinned&new={runs[2]}")["base"]], [runs[0]])
        self.assertEqual(self.request("PUT", f"{RUNS}/{runs[1]}/baseline").status, 200)
        self.assertEqual([run["baseline"] for run in self.get_json(f"{RUNS}?series=pinned")["rows"]], [False, True, False])
        self.assertFalse(self.request("DELETE", f"{RUNS}/{runs[1]}/baseline").json["baseline"])
        self.assertRefused(self.request("DELETE", f"{RUNS}/{runs[1]}/baseline"), 404, "not_found")

    def test_a_baseline_is_one_of_its_series(self):
        run = self.add(log(moved=3), series="old")["id"]
        self.request("PUT", f"{RUNS}/{run}/baseline")
        self.request("PATCH", f"{RUNS}/{run}", b'{"series":"new"}')
        self.assertRefused(self.get(f"{RUNS}/baseline:old"), 404, "not_found")
        self.assertEqual(self.request("DELETE", "/api/v1/baselines?series=old").status, 204)  # it has one, which does not count
        self.assertRefused(self.request("DELETE", "/api/v1/baselines?series=old"), 404, "not_found")
        self.assertRefused(self.request("DELETE", "/api/v1/baselines"), 400, "bad_request")
        self.request("PUT", f"{RUNS}/{run}/baseline")
        self.assertEqual(self.get_json(f"{RUNS}/baseline:new")["id"], run)
        self.request("DELETE", f"{RUNS}/{run}")
        self.assertRefused(self.get(f"{RUNS}/baseline:new"), 404, "not_found")
        alone = self.add(log(alone=3))["id"]
        self.assertRefused(self.request("PUT", f"{RUNS}/{alone}/baseline"), 409, "conflict")
        self.assertRefused(self.request("PUT", f"{RUNS}/nowhere/baseline"), 404, "not_found")

    def test_headlines_of_different_units_have_no_difference(self):
        runs = [self.add(stacks(unit, *weights), series="units")["id"] for unit, weights in
                (("milliseconds", (300, 54.5)), ("none", (800, 13)), ("none", (813, 13)), ("milliseconds", (300, 56.5)))]
        found = {run["id"]: run for run in self.get_json(f"{RUNS}?series=units")["rows"]}
        seen = [[found[run][key] for key in ("trend", "delta_pct", "no_delta")] for run in runs]
        self.assertEqual(seen[0], [[], None, None])
        self.assertEqual(seen[1], [[], None, "the previous run measures sampled in s, this run weight without a unit"])
        self.assertEqual((seen[2][0], seen[2][2]), ([813, 826], None))
        self.assertAlmostEqual(seen[2][1], 100 * 13 / 813)
        self.assertEqual(seen[3], [[0.3545, 0.3565], None, "the previous run measures weight without a unit, this run sampled in s"])
        trend = self.trend("series:units", metric="weight")
        self.assertEqual([point["value"] for point in trend["points"]], [354.5e6, 356.5e6])
        self.assertEqual(trend["left_out"], [{"why": "measured without a unit", "runs": 2}])
        self.request("PUT", f"{RUNS}/{runs[1]}/baseline")
        for params in ({}, {"metric": "weight"}, {"of": "functions", "row": "app"}):
            self.assertIsNone(self.trend("series:units", **params)["baseline"]["value"], params)
        self.assertEqual(self.trend("series:units", of="functions", row="app", metric="self_pct")["baseline"]["value"], 100 * 13 / 813)

    def results(self, day, times):
        """A result of asv with the parameter sets of two benchmarks; null failed."""
        results = {name: [values, [[str(i) for i in range(len(values))]], "v"] for name, values in times.items()}
        return json.dumps({"commit_hash": f"{day:040x}", "env_name": "e", "date": 1_700_000_000_000 + day * 86_400_000, "params": {"machine": "m"},
                           "python": "3.13", "requirements": {}, "result_columns": ["result", "params", "version"], "results": results, "version": 2}).encode()

    def test_results_follow_the_dates_of_commits_and_have_no_value_where_they_failed(self):
        for day in (5, 1, 4, 0, 3, 2):
            failed = None if day == 2 else 4.0 + day % 2 * 0.01
            times = {"b.time_a": [1.0, failed], "b.time_ab": [9.0]} if day < 4 else {"b.time_a": [1.5, failed]}
            self.add(self.results(day, times), series="commits", name=f"d{day}")
        trend = self.trend("series:commits", of="measurements", row="b.time_a(1)")
        self.assertEqual([point["name"] for point in trend["points"]], ["d0", "d1", "d3", "d4", "d5"])
        self.assertEqual([point["value"] for point in trend["points"]], [4.0, 4.01, 4.01, 4.0, 4.01])
        self.assertEqual((trend["changes"], trend["left_out"]), ([], [{"why": "without a value of this row", "runs": 1}]))
        self.assertEqual((trend["points"][0]["at"][:10], trend["points"][0]["tags"]["commit"]), ("2023-11-14", f"{0:040x}"))
        self.assertEqual(len(self.trend("series:commits", of="measurements", row="b.time_ab(0)")["points"]), 4)

        rows = {row["name"]: row for row in self.rows("series:commits", of="measurements", names="b.time_a(", limit=2000)["rows"]}
        self.assertEqual(list(rows), ["b.time_a(0)", "b.time_a(1)"])
        self.assertEqual(rows["b.time_a(1)"]["values"], [4.0, 4.01, None, 4.01, 4.0, 4.01])
        self.assertEqual((rows["b.time_a(0)"]["first"], rows["b.time_a(0)"]["last"]), (1.0, 1.5))
        gone = self.rows("series:commits", of="measurements", names="b.time_ab(")["rows"][0]
        self.assertEqual((gone["found"], gone["values"], gone["first"], gone["last"]), ("gone", [9.0] * 4 + [None] * 2, 9.0, 9.0))

    def test_a_measurement_is_followed_in_one_unit(self):
        gnu = "0.40user 0.10system 0:00.60elapsed 83%CPU (0avgtext+0avgdata {}maxresident)k\n8inputs+16outputs (2major+98minor)pagefaults 0swaps\n"
        mac = "        0.10 real         0.02 user         0.01 sys\n             {}  maximum resident set size\n"
        for text, number in ((gnu, 4000), (gnu, 4100), (mac, 8192000), (gnu, 4200)):
            self.add(text.format(number).encode(), series="rss")
        trend = self.trend("series:rss", of="measurements", row="max RSS")
        self.assertEqual([point["value"] for point in trend["points"]], [4000, 4100, 4200])
        self.assertEqual((trend["place"], trend["unit"], trend["left_out"]), ("KiB", "KiB", [{"why": "with another unit", "runs": 1}]))
