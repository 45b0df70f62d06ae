# SPDX-License-Identifier: MIT
"""Folders and archives of results: those of asv are a series in the order of its commits, the files of Criterion.rs are one run."""
import json
import os
import tarfile
import zipfile

from program import ShelfTest

COLUMNS = ["result", "params", "version", "started_at", "duration", "stats_ci_99_a", "stats_ci_99_b", "stats_q_25", "stats_q_75",
           "stats_number", "stats_repeat", "samples", "profile"]
DAY_MS = 86_400_000
BENCHMARKS = {
    "bench.time_sort": {"name": "bench.time_sort", "param_names": ["size", "kind"], "params": [["10", "100"], ["'str'"]], "type": "time",
                        "unit": "seconds", "version": "a1"},
    "bench.track_rows": {"name": "bench.track_rows", "param_names": [], "params": [], "type": "track", "unit": "rows", "version": "b1"},
    "version": 2,
}


def asv_result(day, times, machine="box", environment="virtualenv-py3.13"):
    """The times of the two parameter sets at the commit of a day."""
    results = {"bench.time_sort": [times, [["10", "100"], ["'str'"]], "a1", 1, 1, *([None] * 4), [1, 1], [5, 5]],
               "bench.track_rows": [[120], [], "b1"]}
    return {"commit_hash": f"{day:x}" * 40, "env_name": environment, "date": 1_700_000_000_000 + day * DAY_MS,
            "params": {"machine": machine, "os": "Linux"}, "python": "3.13", "requirements": {}, "env_vars": {}, "result_columns": COLUMNS,
            "results": results, "durations": {}, "version": 2}


def estimate(ns):
    return {"confidence_interval": {"confidence_level": 0.95, "lower_bound": ns * 0.9, "upper_bound": ns * 1.1}, "point_estimate": ns,
            "standard_error": ns / 50}


def criterion(name, ns):
    """The files of a benchmark by path below the folder of the run."""
    estimates = {key: estimate(ns) for key in ("mean", "median", "slope")} | {key: estimate(ns / 30) for key in ("std_dev", "median_abs_dev")}
    benchmark = {"group_id": name, "function_id": None, "value_str": None, "throughput": None, "full_id": name, "directory_name": name, "title": name}
    files = {f"{name}/{run}/estimates.json": estimates for run in ("new", "base")}
    return files | {f"{name}/new/benchmark.json": benchmark, f"{name}/new/sample.json": {"sampling_mode": "Linear", "iters": [1.0, 2.0], "times": [ns, 2 * ns]},
                    f"{name}/new/tukey.json": [1, 2, 3, 4], f"{name}/change/estimates.json": {"mean": estimate(0.01), "median": estimate(0.01)}}


class ResultFolders(ShelfTest):
    def write(self, folder, files):
        for name, content in files.items():
            path = os.path.join(self.folder, folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                json.dump(content, file, separators=(",", ":"))
        return os.path.join(self.folder, folder)

    def add(self, *args):
        done = self.run_verb("add", "--json", *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()], done.stderr.decode()

    def answer(self, *args):
        done = self.run_verb(*args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def results(self, count=8, project="shop"):
        # the names sort otherwise than the dates of the commits; the sort is slower from day 4 on
        files = {f"box/{(5 * day) % 11:08x}-virtualenv-py3.13.json": asv_result(day, [1e-3, (1.5 if day >= 4 else 1) * 2e-3 + day * 1e-6])
                 for day in range(count)}
        files |= {"benchmarks.json": BENCHMARKS, "box/machine.json": {"machine": "box", "os": "Linux", "version": 1}}
        return self.write(f"{project}/asv_bench/results", files)

    def test_results_of_asv_are_a_series_in_the_order_of_commits(self):
        runs, notes = self.add(self.results())
        self.assertEqual({run["kind"] for run in runs}, {"asv"})
        self.assertEqual((len(runs), notes.count("skipped")), (8, 0))
        trend = self.answer("trend", "--json", "shop, box, virtualenv-py3.13", "--of", "measurements", "--row", "bench.time_sort(100, 'str')")
        self.assertEqual([point["tags"]["commit"] for point in trend["points"]], [f"{day:x}" * 40 for day in range(8)])
        self.assertEqual([point["at"][:10] for point in trend["points"][:2]], ["2023-11-14", "2023-11-15"])
        self.assertEqual([change["index"] for change in trend["changes"]], [4])
        self.assertEqual(trend["points"][3]["value"], 2e-3 + 3e-6)
        shown = self.run_verb("trend", "shop, box, virtualenv-py3.13", "--of", "measurements", "--row", "bench.time_sort(100, 'str')").stdout.decode()
        self.assertRegex(shown, r" 3{10}\.\.4{10}\n")

    def test_units_and_names_of_parameters_are_those_of_benchmarks_json(self):
        self.add(self.results(1))
        rows = self.answer("sql", "--json", "@1", "SELECT name, unit, parameters FROM measurements ORDER BY id")
        self.assertEqual([row["unit"] for row in rows], ["s", "s", "rows"])
        self.assertEqual(json.loads(rows[1]["parameters"]), {"size": 100, "kind": "str"})

    def test_descriptions_in_another_order_are_found_soon(self):
        names = [f"bench.track_{i}" for i in range(30000)]
        descriptions = {name: {"name": name, "type": "track", "unit": f"unit {i}", "params": [], "param_names": []} for i, name in enumerate(names)}
        result = asv_result(1, [1, 2]) | {"results": {name: [[1.0], [], "v"] for name in ["bench.track_unknown", *reversed(names)]}}
        folder = self.write("shop/results", {"benchmarks.json": descriptions | {"version": 2}, "box/1.json": result})
        before = os.times()
        self.add(folder)
        after = os.times()
        rows = self.answer("sql", "--json", "@1", "SELECT name, unit FROM measurements ORDER BY id LIMIT 3")
        self.assertEqual([row["unit"] for row in rows], ["", "unit 29999", "unit 29998"])
        self.assertLess(after.children_user - before.children_user, 5)  # a search from the start for each name takes more than 10 s

    def test_a_result_remains_the_same_run_when_the_code_of_a_benchmark_changes(self):
        first, _ = self.add(self.results(2))
        changed = {name: value if name == "version" else {**value, "version": "c9", "code": "def f(): pass"} for name, value in BENCHMARKS.items()}
        self.write("shop/asv_bench/results", {"benchmarks.json": changed})
        again, _ = self.add(os.path.join(self.folder, "shop"))
        self.assertEqual([run["id"] for run in again], [run["id"] for run in first])
        self.assertTrue(all(run["already"] for run in again))

    def test_an_archive_of_results_holds_the_runs_of_the_folder(self):
        folder = self.results(3)
        packed = os.path.join(self.folder, "shop.tar.gz")
        with tarfile.open(packed, "w:gz") as archive:
            archive.add(folder, "results")
        from_archive, _ = self.add(packed)
        from_folder, _ = self.add(folder)
        self.assertEqual({run["id"] for run in from_archive}, {run["id"] for run in from_folder})
        self.assertEqual(self.answer("trend", "--json", "shop, box, virtualenv-py3.13")["kind"], "asv")

    def test_machines_and_environments_are_series_of_their_own(self):
        self.write("shop/results", {"benchmarks.json": BENCHMARKS, "box/1.json": asv_result(1, [1, 2]), "rack/1.json": asv_result(2, [1, 2], "rack"),
                                    "box/2.json": asv_result(3, [1, 2], "box", "virtualenv-py3.14")})
        self.add(os.path.join(self.folder, "shop"))
        shown = self.run_verb("list").stdout.decode()
        for series in ("shop, box, virtualenv-py3.13", "shop, rack, virtualenv-py3.13", "shop, box, virtualenv-py3.14"):
            self.assertIn(series, shown)

    def test_the_files_of_criterion_are_one_run(self):
        folder = self.write("crate/target/criterion", criterion("parse", 50.0) | criterion("render", 2000.0) |
                            {"report/index.html": "x", "parse/new/raw.csv": "group,function,value\nparse,,\n"})
        runs, notes = self.add(folder, "--name", "before")
        self.assertEqual([(run["kind"], run["name"], run["rows"]) for run in runs], [("criterion", "before", 2)])
        self.assertNotIn("skipped", notes)
        rows = self.answer("sql", "--json", "before", "SELECT name, value, statistic, n FROM measurements")
        self.assertEqual([(row["name"], row["value"], row["statistic"], row["n"]) for row in rows],
                         [("parse", 50.0 / 1e9, "slope", 2), ("render", 2000.0 / 1e9, "slope", 2)])
        again, _ = self.add(os.path.join(self.folder, "crate"))
        self.assertEqual((again[0]["id"], len(again), again[0]["already"]), (runs[0]["id"], 1, True))

    def test_an_archive_of_criterion_is_the_run_of_the_folder(self):
        folder = self.write("target/criterion", criterion("parse", 50.0) | criterion("deep/er", 3.0))
        packed = os.path.join(self.folder, "bench.zip")
        with zipfile.ZipFile(packed, "w") as archive:
            for top, _, names in sorted(os.walk(folder)):
                for name in sorted(names):
                    archive.write(os.path.join(top, name), os.path.relpath(os.path.join(top, name), os.path.dirname(folder)))
        from_archive, notes = self.add(packed)
        self.assertEqual(([run["rows"] for run in from_archive], notes.count("skipped")), ([2], 0))
        from_folder, _ = self.add(folder)
        self.assertEqual([run["id"] for run in from_folder], [run["id"] for run in from_archive])

    def test_packed_runs_are_imported_again_from_their_originals(self):
        self.add(self.results(2))
        self.add(self.write("target/criterion", criterion("parse", 50.0)))
        before = sorted((run["id"], run["kind"], run["series"], run["name"]) for run in self.json("list"))
        for top, _, names in os.walk(os.path.join(self.data, "runs")):
            for name in names:
                with open(os.path.join(top, name), "r+b") as file:
                    file.truncate(4000)
        self.run_verb("rebuild")
        self.assertEqual(sorted((run["id"], run["kind"], run["series"], run["name"]) for run in self.json("list")), before)
        self.assertEqual(len(before), 3)
