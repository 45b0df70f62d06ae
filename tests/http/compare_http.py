# SPDX-License-Identifier: MIT
"""Two groups of runs through HTTP: tables, filters, rows, trees, caching, wrong questions."""
import concurrent.futures
import gzip
import json
import marshal
import pathlib
import urllib.parse

from server import RUNS, ServerTest

GOLDEN = pathlib.Path(__file__).parents[1] / "golden"
HEAD = "import time: self [us] | cumulative | imported package\n"


def log(*rows):
    """An import log of (depth, name, self, cumulative), children first."""
    return (HEAD + "".join(f"import time: {own:9} | {total:10} | {'  ' * depth}{name}\n" for depth, name, own, total in rows)).encode()


BASE = log((2, "app.models", 300, 300), (2, "app.slow", 5000, 5000), (1, "app", 100, 5400), (1, "json", 200, 200))
NEW = log((2, "app.models", 310, 310), (1, "app", 110, 420), (2, "app.extra", 40, 40), (1, "json", 210, 250))


def folded(**weights):
    return "".join(f"{path.replace('_', ';')} {weight}\n" for path, weight in weights.items()).encode()


def benchmark(name, samples):
    return json.dumps({"results": [{"command": name, "mean": sum(samples) / len(samples), "stddev": 0.01, "median": samples[0], "user": 0.1,
                                    "system": 0.1, "min": min(samples), "max": max(samples), "times": samples}]}).encode()


def training_steps(n, loader, kernel_lag, mark="ProfilerStep#"):
    """A trace of n steps, in each a wait of `loader` µs, aten::addmm of 300 µs and its kernel of 500 µs, which starts `kernel_lag` µs later.

    Before and after the steps are an addmm of 700 µs with a kernel of 700 µs, and aten::outside.
    """
    events, at, number = [], 1000, 0

    def event(category, name, start, duration, pid=7, tid=7, **args):
        events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": start, "dur": duration, "args": args})

    def call(start, duration, kernel_start, kernel_duration):
        nonlocal number
        number += 1
        event("cpu_op", "aten::addmm", start, duration, **{"External id": number})
        event("cuda_runtime", "cudaLaunchKernel", start + 10, 20, correlation=number, **{"External id": number})
        event("kernel", "gemm", kernel_start, kernel_duration, 0, 20, device=0, stream=20, correlation=number, **{"External id": number})

    call(0, 700, 100, 700)
    for i in range(n):
        length = loader + 1000
        event("user_annotation", f"{mark}{i + 1}", at, length)
        event("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at + 10, loader)
        call(at + loader + 100, 300, at + loader + 100 + kernel_lag - 500, 500)
        at += length
    event("cpu_op", "aten::outside", at + 5000, 50)
    return json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU"}], "traceEvents": events}).encode()


class Compare(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        runs = cls("run_ids")
        cls.base, cls.new = runs.add(BASE, name="base.log")["id"], runs.add(NEW, name="new.log")["id"]
        cls.groups = []
        for side, extra in (("before", 0), ("after", 900)):
            for i in range(5):
                run = log((2, "app.models", 300 + i, 300 + i), (1, "app", 5000 + extra + 7 * i, 5300 + extra + 8 * i), (1, f"only_{side}", 9, 9))
                runs.add(run, series=side, name=f"{side}{i}")
        cls.pair = f"base={cls.base}&new={cls.new}"

    def run_ids(self):
        pass

    def rows(self, of="imports", query=None, **params):
        answer = self.get_json(f"/api/v1/compare/{of}?{query or self.pair}&{urllib.parse.urlencode(params)}")
        return [dict(zip(answer["columns"], row)) for row in answer["rows"]], answer

    def test_rows_tell_what_changed(self):
        rows, answer = self.rows()
        self.assertEqual((answer["total"], answer["of"], answer["metric"]), (5, 5, "self_us"))
        self.assertEqual([(r["name"], r["change"], r["base"], r["new"], r["delta"]) for r in rows],
                         [("app.slow", "removed", 5000, 0, -5000), ("app.extra", "added", 0, 40, 40), ("app.models", None, 300, 310, 10),
                          ("app", None, 100, 110, 10), ("json", None, 200, 210, 10)])
        self.assertEqual(answer["sums"], {"base": 5600, "new": 670, "delta": -4930, "whole_base": 5600, "whole_new": 670, "factor": 1.5,
                                          "small_factor": 1.5, "fdr": 0})
        self.assertAlmostEqual(sum(abs(r["share"]) for r in rows), 100)
        self.assertEqual((rows[0]["base_by"], rows[1]["by"]), ("app", "json"))
        self.assertEqual({r["verdict"] for r in rows}, {None})
        self.assertEqual(rows[4]["delta_pct"], 5)

    def test_filters_sorts_and_pages(self):
        self.assertEqual([r["name"] for r in self.rows(change="added,removed")[0]], ["app.slow", "app.extra"])
        self.assertEqual([r["name"] for r in self.rows(q="app", sort="name", desc=0)[0]], ["app", "app.extra", "app.models", "app.slow"])
        self.assertEqual([r["name"] for r in self.rows(q="els$", regex=1)[0]], ["app.models"])
        self.assertEqual([r["name"] for r in self.rows(hide="app")[0]], ["json"])
        self.assertEqual([r["name"] for r in self.rows(name="app")[0]], ["app"])
        self.assertEqual([r["name"] for r in self.rows(limit=2, offset=1)[0]], ["app.extra", "app.models"])
        self.assertEqual([r["new_self_us"] for r in self.rows(metric="cumulative_us", name="app")[0]], [110])
        self.assertEqual(self.rows(verdict="up")[0], [])
        csv = self.get(f"/api/v1/compare/imports?{self.pair}&format=csv")
        self.assertIn("attachment", csv.headers["Content-Disposition"])
        self.assertEqual(len(csv.body.decode().splitlines()), 6)
        self.assertEqual(len(self.get_json(f"/api/v1/compare/imports?{self.pair}&format=rows")), 5)

    def test_a_row_of_one_run_is_found_in_the_other(self):
        def ids(run):
            return {r["module"]: r["id"] for r in self.get_json(f"/api/v1/runs/{run}/imports?format=rows&limit=100")}
        def twin(side, id):
            return self.get_json(f"/api/v1/compare/twin/imports?{self.pair}&side={side}&id={id}")
        base, new = ids(self.base), ids(self.new)
        shared = set(base) & set(new)
        self.assertTrue(any(base[name] != new[name] for name in shared), "ids alone say nothing")
        for name in shared:
            self.assertEqual(twin("base", base[name]), {"id": new[name], "name": name})
            self.assertEqual(twin("new", new[name]), {"id": base[name], "name": name})
        self.assertEqual(twin("base", base["app.slow"]), {"id": None, "name": "app.slow"})
        for query, status in (("side=base&id=999", 404), ("side=both&id=1", 400), ("side=base&id=x", 400), ("id=1", 400)):
            self.assertEqual(self.get(f"/api/v1/compare/twin/imports?{self.pair}&{query}").status, status, query)
        several = f"base=series:before&new={self.new}&side=base&id=1"
        self.assertEqual(self.get(f"/api/v1/compare/twin/imports?{several}").status, 400)

    def test_what_there_is_to_compare(self):
        about = self.get_json(f"/api/v1/compare?{self.pair}")
        self.assertEqual([run["id"] for run in about["base"] + about["new"]], [self.base, self.new])
        self.assertEqual([table["of"] for table in about["tables"]], ["imports", "packages"])
        self.assertEqual(about["tables"][0]["metrics"][0], {"metric": "self_us", "title": "Self time", "unit": "us", "adds_up": True, "per_call": False, "resolution": 1})
        self.assertEqual(about["pictures"], ["tree"])
        self.assertIsNone(about["headline"]["verdict"])

    def test_printed_figures_are_as_fine_as_they_were_printed(self):
        for folder, kind, fine in (("key_averages/ok_cpu.txt", "key-averages", [1, 1, 0]), ("lightning/ok_simple.txt", "lightning", [0.01, 0.01, 0])):
            run = self.add((GOLDEN / folder).read_bytes())
            self.assertEqual(run["kind"], kind)
            table = self.get_json(f"/api/v1/compare?base={run['id']}&new={run['id']}")["tables"][0]
            self.assertEqual([metric["resolution"] for metric in table["metrics"]], fine, table)

    def test_groups_have_verdicts(self):
        rows, answer = self.rows(query="base=series:before&new=series:after")
        found = {r["name"]: r for r in rows}
        self.assertEqual({name: r["verdict"] for name, r in found.items()},
                         {"app": "up", "app.models": "same", "only_before": "down", "only_after": "up"})
        self.assertEqual((found["app"]["base"], found["app"]["delta"]), (5014, 900))
        self.assertTrue(found["app"]["low"] <= 900 <= found["app"]["high"] and found["app"]["p"] < 0.01)
        self.assertLessEqual(answer["sums"]["fdr"], 0.05)
        row = self.get_json(f"/api/v1/compare/imports/{found['app']['id']}?base=series:before&new=series:after")
        self.assertEqual((row["name"], row["base_values"]), ("app", [5000, 5007, 5014, 5021, 5028]))
        mirror = {r["name"]: r for r in self.rows(query="base=series:after&new=series:before")[0]}
        self.assertEqual((mirror["app"]["verdict"], mirror["app"]["delta"]), ("down", -900))
        self.assertEqual(self.get_json("/api/v1/compare?base=series:before&new=series:after")["headline"]["verdict"], "up")

    def test_groups_that_are_no_pairs_say_why(self):
        for i in range(3):
            for side in ("pair-base", "pair-new"):
                tags = [] if (i, side) == (2, "pair-new") else ["ab=1", f"pair={i}"]
                self.add(log((1, "app", 1000 + i, 1000 + i), (1, side, 9, 9)), series=side, name=f"{side}{i}", tag=tags)
        headline = self.get_json("/api/v1/compare?base=series:pair-base&new=series:pair-new")["headline"]
        self.assertEqual(headline["no_pairs"], "1 of the 6 runs are not of a pair")

    def test_trees_are_merged_by_path(self):
        tree = self.get_json(f"/api/v1/compare/tree?{self.pair}")
        self.assertTrue(all(parent < i for i, parent in enumerate(tree["parent"])))
        paths = {path: tuple(of[key] for key in ("base_total", "new_total", "base_self", "new_self")) for path, of in self.paths_of(tree).items()}
        self.assertEqual(paths, {("app",): (5400, 420, 100, 110), ("app", "app.models"): (300, 310, 300, 310),
                                 ("app", "app.slow"): (5000, 0, 5000, 0), ("json",): (200, 250, 200, 210), ("json", "app.extra"): (0, 40, 0, 40)})
        self.assertEqual((tree["base"]["sum"], tree["new"]["sum"], tree["unit"], tree["cut"]), (5600, 670, "us", 0))
        self.assertEqual(self.get_json(f"/api/v1/compare/tree?{self.pair}&limit=2")["cut"], 3)

    def test_one_group_is_a_report(self):
        group = "new=series:before"
        about = self.get_json(f"/api/v1/compare?{group}")
        self.assertEqual((len(about["base"]), len(about["new"]), about["pictures"]), (0, 5, ["tree"]))
        totals = [5309 + 8 * i for i in range(5)]
        spread = about["headline"]["new"]
        self.assertEqual((spread["values"], spread["median"], round(spread["mad"], 9)), ([total / 1e6 for total in totals], 5325 / 1e6, 8e-6))
        self.assertNotIn("base", about["headline"])
        rows, answer = self.rows(query=group)
        self.assertEqual([(r["name"], r["median"], r["mad"], r["min"], r["max"], r["in"]) for r in rows],
                         [("app", 5014, 7, 5000, 5028, 5), ("app.models", 302, 1, 300, 304, 5), ("only_before", 9, 0, 9, 9, 5)])
        self.assertEqual(answer["sums"], {"median": 5325, "whole": 5325})
        self.assertAlmostEqual(rows[0]["share"], 100 * 5014 / 5325)
        self.assertEqual([r["median_cumulative_us"] for r in rows], [5316, 302, 9])
        self.assertEqual([r["name"] for r in self.rows(query=group, sort="min", desc=0)[0]], ["only_before", "app.models", "app"])
        row = self.get_json(f"/api/v1/compare/imports/{rows[0]['id']}?{group}")
        self.assertEqual((row["name"], row["values"]), ("app", [5000, 5007, 5014, 5021, 5028]))
        tree = self.get_json(f"/api/v1/compare/tree?{group}")
        self.assertEqual((tree["sum"], tree["total"], tree["self"]), (5325, [5316, 302, 9], [5014, 302, 9]))
        self.assertFalse({"base", "new", "verdict"} & set(tree))
        csv = self.get(f"/api/v1/compare/imports?{group}&format=csv").body.decode().splitlines()
        self.assertEqual(csv[0], "id,name,place,within,line,by,median,mad,min,max,share,in,median_cumulative_us")
        for path, status in (("compare?base=&new=series:before", 400), (f"compare/imports?{group}&sort=p", 400), ("compare", 400)):
            self.assertEqual(self.get(f"/api/v1/{path}").status, status, path)

    def test_the_same_question_at_once_has_one_answer(self):
        ids = [self.add(log(*[(1, f"m{k}", 100 * k + i, 100 * k + i) for k in range(400)]))["id"] for i in range(2)]
        pair = f"base={ids[0]}&new={ids[1]}"
        paths = [f"/api/v1/compare/imports?{pair}"] * 6 + [f"/api/v1/compare/imports?{pair}&metric={metric}" for metric in ("none", "none", "cumulative_us")]
        with concurrent.futures.ThreadPoolExecutor(len(paths)) as pool:
            answers = list(pool.map(self.get, paths))
        self.assertEqual([answer.status for answer in answers], [200] * 6 + [400] * 2 + [200])
        self.assertEqual(len({bytes(answer.body) for answer in answers[:6]}), 1)

    def test_pages_of_one_order_fit_together(self):
        whole, answer = self.rows(sort="name", desc=0)
        pages = [self.rows(sort="name", desc=0, limit=2, offset=at) for at in (0, 2, 4, 6)]
        self.assertEqual([row for rows, _ in pages for row in rows], whole)
        self.assertEqual([page["sums"] for _, page in pages], [answer["sums"]] * 4)
        self.assertEqual([r["name"] for r in self.rows(sort="name", desc=1)[0]], [r["name"] for r in whole][::-1])
        for i, row in enumerate(whole):
            self.assertEqual(self.get_json(f"/api/v1/compare/imports/{row['id']}?{self.pair}&sort=name&desc=0")["at"], i)
        self.assertNotIn("at", self.get_json(f"/api/v1/compare/imports/{whole[0]['id']}?{self.pair}&sort=name&q=nothing"))

    def test_a_row_that_some_runs_lack(self):
        ids = [self.add(log((1, "always", 100 + i, 100 + i), *([(1, "seldom", 50, 50)] if i == 0 else [])))["id"] for i in range(3)]
        rows, _ = self.rows(query=f"new={','.join(ids)}", sort="max")
        self.assertEqual([(r["name"], r["median"], r["min"], r["max"], r["in"]) for r in rows], [("always", 101, 100, 102, 3), ("seldom", 0, 0, 50, 1)])
        answer = self.get(f"/api/v1/compare/imports?new={','.join(ids)}")
        self.assertIn("immutable", answer.headers["Cache-Control"])

    def paths_of(self, tree):
        """Paths of names, each with what `keys` say of it."""
        at, out = [], {}
        for i, parent in enumerate(tree["parent"]):
            at.append((at[parent] if parent >= 0 else ()) + (tree["frames"]["name"][tree["frame"][i]],))
            out[at[i]] = {f"{side}_{key}": tree[side][key][i] for side in ("base", "new") for key in ("total", "low", "self") if key in tree[side]}
            if "certainty" in tree:
                out[at[i]]["certainty"] = tree["certainty"][i]
        return out

    def test_small_paths_of_large_runs_are_not_gone(self):
        """A run of so many stacks is drawn without its small paths; in a comparison they have their weight."""
        many = "".join(f"root;f{i} 4\n" for i in range(310_000))
        base, new = (self.add((many + f"root;rare {weight}\n").encode())["id"] for weight in (1, 1_000_000))
        paths = self.paths_of(self.get_json(f"/api/v1/compare/tree?base={base}&new={new}&limit=10"))
        self.assertEqual((paths[("root", "rare")]["base_total"], paths[("root", "rare")]["new_total"]), (1, 1_000_000))
        self.assertEqual((paths[("root",)]["base_total"], paths[("root",)]["new_total"]), (1_240_001, 2_240_000))

    def test_calls_of_a_dump_have_bounds(self):
        def dump(folder, render):
            main, parse, draw, shared = ((f"/{folder}/work.py", line, name) for line, name in ((1, "main"), (2, "parse"), (3, "render"), (4, "shared")))
            return marshal.dumps({main: (1, 1, 0.0, 1.0 + render, {}), parse: (1, 1, 0.5, 1.0, {main: (1, 1, 0.5, 1.0)}),
                                  draw: (1, 1, render - 0.25, render, {main: (1, 1, render - 0.25, render)}),
                                  shared: (2, 2, 0.75, 0.75, {parse: (1, 1, 0.5, 0.5), draw: (1, 1, 0.25, 0.25)})})
        base, new = self.add(dump("one", 0.5))["id"], self.add(dump("two", 0.75))["id"]
        tree = self.get_json(f"/api/v1/compare/tree?base={base}&new={new}")
        paths = self.paths_of(tree)
        self.assertEqual(paths[("main",)], {"base_total": 1.5, "base_low": 1.5, "new_total": 1.75, "new_low": 1.75, "certainty": 0})
        self.assertEqual((paths[("main", "render")]["base_total"], paths[("main", "render")]["new_total"]), (0.5, 0.75))
        self.assertEqual(len(paths), 5, "the same functions in another checkout")
        self.assertEqual(set(tree["frames"]["file"]), {"work.py"})
        self.assertEqual((tree["unit"], tree["base"]["sum"], tree["new"]["sum"]), ("s", 1.5, 1.75))
        about = self.get_json(f"/api/v1/compare?base={base}&new={new}")
        self.assertEqual((about["pictures"], about["no_tree"]), (["tree", "graph"], None))

    def test_small_calls_are_not_gone(self):
        """A call that is too small for the call tree of one run has its time there if another run has it."""
        def dump(seldom):
            root, inner, outer = (("/app.py", n, name) for n, name in enumerate(("root", "inner", "seldom"), 1))
            return marshal.dumps({root: (1, 1, 10 - seldom, 10, {}), outer: (1, 1, 0, seldom, {root: (1, 1, 0, seldom)}),
                                  inner: (1, 1, seldom, seldom, {outer: (1, 1, seldom, seldom)}),
                                  ("/app.py", 9, "tiny"): (1, 1, 0.0001, 0.0001, {root: (1, 1, 0.0001, 0.0001)})})
        base, new = (self.add(dump(seldom))["id"] for seldom in (4, 0.001))
        paths = self.paths_of(self.get_json(f"/api/v1/compare/tree?base={base}&new={new}"))
        for path in (("root", "seldom"), ("root", "seldom", "inner")):
            self.assertEqual({key: round(paths[path][key], 6) for key in ("base_total", "new_total", "new_low", "certainty")},
                             {"base_total": 4, "new_total": 0.001, "new_low": 0.001, "certainty": 0})
        self.assertNotIn(("root", "tiny"), paths, "too small in both")

    def test_calls_below_recursion_are_left_open(self):
        """What a recursive call calls is unknown, so it is not gone."""
        main, walk, leaf = (("/app.py", n, name) for n, name in enumerate(("main", "walk", "leaf"), 1))
        straight = {main: (1, 1, 1, 9, {}), walk: (1, 1, 3, 8, {main: (1, 1, 3, 8)}), leaf: (1, 1, 5, 5, {walk: (1, 1, 5, 5)})}
        looped = {main: (3, 1, 1, 9, {walk: (2, 2, 0, 6)}), walk: (3, 1, 3, 8, {main: (3, 1, 3, 8)}), leaf: (1, 1, 5, 5, {walk: (1, 1, 5, 5)})}
        base, new = (self.add(marshal.dumps(functions))["id"] for functions in (straight, looped))
        paths = self.paths_of(self.get_json(f"/api/v1/compare/tree?base={base}&new={new}"))
        found = paths[("main", "walk", "leaf")]
        self.assertEqual((found["base_total"], found["new_total"], found["new_low"], found["certainty"]), (5, None, None, 2))

    def test_calls_that_a_report_leaves_out_are_below_its_threshold(self):
        """pyinstrument leaves out calls with less than 1 %; their time is in "[calls left out]"."""
        def report(small):
            def frame(name, time, *children):
                return {"function": name, "file_path": "/app.py", "file_path_short": "app.py", "line_no": 1, "time": time, "await_time": 0, "is_application_code": True,
                        "children": list(children), "identifier": f"{name}\0/app.py\x001"}
            kept = [frame("small", small)] if small >= 0.1 else []
            return json.dumps({"start_time": 1, "duration": 10, "sample_count": 10000, "target_description": "app", "cpu_time": 10,
                               "root_frame": frame("main", 10, frame("load", 4 + small, frame("read", 4), *kept), frame("rest", 6 - small))}).encode()
        base, new = (self.add(report(small))["id"] for small in (1, 0.05))
        tree = self.get_json(f"/api/v1/compare/tree?base={base}&new={new}")
        small = self.paths_of(tree)[("main (/app.py)", "load (/app.py)", "small (/app.py)")]
        self.assertEqual((small["base_total"], small["new_total"], small["new_self"]), (1, None, None))
        self.assertEqual((tree["base"].get("floor"), tree["new"]["floor"]), (None, 0.1))
        rows, _ = self.rows("functions", f"base={base}&new={new}")
        row = next(row for row in rows if row["name"] == "small (/app.py)")
        self.assertEqual((row["base"], row["new"], row["delta"], row["change"]), (1, None, None, "unlisted"))
        rows, _ = self.rows("functions", f"base={new}&new={base}")
        self.assertIn((None, 1, "unlisted"), [(row["base"], row["new"], row["change"]) for row in rows])

    def test_frames_that_a_drawing_leaves_out_are_below_a_tenth_of_a_pixel(self):
        def drawing(n, rare):
            def box(name, start, end, y):
                return f'<g><title>{name} ({end - start} samples, {100 * (end - start) / n:.2f}%)</title><rect x="{10 + 1180 * start / n:.1f}" y="{y}" width="{1180 * (end - start) / n:.1f}" height="15.0"/></g>'
            boxes = [box("all", 0, n, 100), box("main", 0, n, 84), box("work", 0, n // 2, 68), *([box("rare", n // 2, n // 2 + rare, 68)] if rare else [])]
            return ('<?xml version="1.0" standalone="no"?><svg version="1.1" width="1200" height="130" xmlns="http://www.w3.org/2000/svg"><g id="frames">' + "".join(boxes) + "</g></svg>").encode()
        for n, gone in ((20_000, None), (2_000, 0)):  # one sample of 2,000 is wide enough
            base, new = (self.add(drawing(n, rare))["id"] for rare in (n // 5, 0))
            tree = self.get_json(f"/api/v1/compare/tree?base={base}&new={new}")
            rare = next(of for path, of in self.paths_of(tree).items() if path[-1] == "rare")
            self.assertEqual((rare["base_total"], rare["new_total"], tree["new"].get("floor")), (n // 5, gone, 2 if gone is None else None))
            rows, _ = self.rows("functions", f"base={base}&new={new}")
            self.assertEqual(next((row["delta"], row["change"]) for row in rows if row["name"] == "rare"), (-n // 5, "removed"))

    def test_functions_that_a_printed_table_leaves_out_are_not_gone(self):
        def table(of, times):
            head = f"         62 function calls in {sum(times.values()):.3f} seconds\n\n   Ordered by: internal time\n"
            rows = sorted(times.items(), key=lambda item: -item[1])[:2]
            return (head + f"   List reduced from {of} to 2 due to restriction <2>\n\n   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n" +
                    "".join(f"        1    {s:.3f}    {s:.3f}    {s:.3f}    {s:.3f} app.py:{ord(name[0])}({name})\n" for name, s in rows) + "\n\n").encode()
        base, new = (self.add(table(3, times), series="printed")["id"] for times in ({"load": 5, "parse": 4, "render": 3}, {"load": 5, "parse": 1, "render": 3}))
        rows, _ = self.rows("functions", f"base={base}&new={new}")
        found = {row["name"]: (row["base"], row["new"], row["delta"], row["change"]) for row in rows}
        self.assertEqual(found, {"parse": (4, None, None, "unlisted"), "render": (None, 3, None, "unlisted"), "load": (5, 5, 0, None)})
        self.assertEqual(self.get_json(f"/api/v1/compare/conclusion?base={base}&new={new}")["found"], "none")
        trend = self.get_json("/api/v1/trend?runs=series:printed&of=functions&row=parse&metric=tottime_s")
        self.assertEqual([(part["why"], part["runs"]) for part in trend["left_out"]], [("whose profile leaves out small rows", 1)])
        growth = self.get_json("/api/v1/trend/rows?runs=series:printed&of=functions&metric=tottime_s")
        self.assertEqual([row["name"] for row in growth["rows"]], ["load"])

    def test_lines_are_a_tree_of_files_and_functions(self):
        def report(parse, *more):
            head = "Timer unit: 1e-06 s\n\nTotal time: {:g} s\nFile: work.py\nFunction: main at line 1\n\n" + \
                   "Line #      Hits         Time  Per Hit   % Time  Line Contents\n==============================================================\n"
            lines = [(1, "", "def main():"), (2, parse, "    parse()"), *more]
            row = "{:6d} {:>9} {:>12} {:>8} {:>8}  {}\n"
            body = "".join(row.format(n, 1 if us else "", f"{us}.0" if us else "", f"{us}.0" if us else "", "1.0" if us else "", text) for n, us, text in lines)
            return (head.format(sum(us for _, us, _ in lines if us) / 1e6) + body).encode()
        base, new = self.add(report(100))["id"], self.add(report(100, (3, 40, "    render()")))["id"]
        paths = self.paths_of(self.get_json(f"/api/v1/compare/tree?base={base}&new={new}"))
        self.assertEqual({path: (round(of["base_total"] * 1e6), round(of["new_total"] * 1e6)) for path, of in paths.items()},
                         {("work.py",): (100, 140), ("work.py", "main"): (100, 140), ("work.py", "main", "parse()"): (100, 100), ("work.py", "main", "render()"): (0, 40)})

    def test_what_has_no_tree_says_why(self):
        table = self.add((GOLDEN / "key_averages/ok_cpu.txt").read_bytes())["id"]
        about = self.get_json(f"/api/v1/compare?base={table}&new={table}")
        self.assertEqual(about["pictures"], [])
        self.assertIn("printed table", about["no_tree"])
        self.assertRefused(self.get(f"/api/v1/compare/tree?base={table}&new={table}"), 404, "not_found")

    def test_stacks(self):
        base, new = self.add(folded(main_parse=60, main_render=40))["id"], self.add(folded(main_parse=60, main_render=90, main=10))["id"]
        rows, answer = self.rows("functions", f"base={base}&new={new}")
        self.assertEqual([(r["name"], r["base"], r["new"]) for r in rows], [("render", 40, 90), ("main", 0, 10), ("parse", 60, 60)])
        tree = self.get_json(f"/api/v1/compare/tree?base={base}&new={new}")
        self.assertEqual((tree["base"]["sum"], tree["new"]["sum"], tree["unit"], tree["new"]["total"][0]), (100, 160, "samples", 160))

    def test_samples_of_one_run_are_its_group(self):
        base = self.add(benchmark("app", [1.0, 1.01, 0.99, 1.02, 1.0]))["id"]
        new = self.add(benchmark("app", [1.3, 1.31, 1.29, 1.32, 1.3]))["id"]
        rows, _ = self.rows("measurements", f"base={base}&new={new}")
        wall = max(rows, key=lambda r: r["base"] or 0)
        self.assertEqual((wall["verdict"], wall["place"]), ("up", "s"))
        row = self.get_json(f"/api/v1/compare/measurements/{wall['id']}?base={base}&new={new}")
        self.assertEqual(row["new_values"], [1.3, 1.31, 1.29, 1.32, 1.3])

    def test_caching(self):
        path = f"/api/v1/compare/imports?{self.pair}"
        answer = self.get(path)
        self.assertIn("immutable", answer.headers["Cache-Control"])
        self.assertEqual(self.get(path, If_None_Match=answer.headers["ETag"]).status, 304)
        self.assertNotIn("immutable", self.get("/api/v1/compare/imports?base=base.log&new=new.log").headers["Cache-Control"])
        self.assertNotIn("immutable", self.get(f"/api/v1/compare?{self.pair}").headers["Cache-Control"])

    def test_wrong_questions(self):
        stacks = self.add(folded(a_b=1))["id"]
        refused = self.get(f"/api/v1/compare?base={self.base}&new={stacks}")
        self.assertRefused(refused, 400, "bad_request")
        self.assertIn("importtime", refused.error["text"])
        self.assertIn("folded", refused.error["text"])
        for path, status in ((f"compare?base={self.base}", 400), (f"compare?base={self.base},{self.base}&new={self.new}", 400),
                             (f"compare?base={self.base}&new=nobody", 404), (f"compare/kernels?{self.pair}", 404),
                             (f"compare/imports?{self.pair}&metric=no", 400), (f"compare/imports?{self.pair}&sort=no", 400),
                             (f"compare/imports/0?{self.pair}", 404), (f"compare/imports/99?{self.pair}", 404),
                             (f"compare/imports/x?{self.pair}", 404), (f"compare/imports?{self.pair}&format=xml", 400),
                             (f"compare/imports?{self.pair}&q=(&regex=1", 400), ("compare?base=series:none&new=series:none", 404)):
            self.assertEqual(self.get(f"/api/v1/{path}").status, status, path)

    def test_different_units_have_no_difference(self):
        def profile(unit, *weights):
            return json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": "main"}, {"name": "app"}]},
                               "profiles": [{"type": "sampled", "name": "t", "unit": unit, "startValue": 0, "endValue": sum(weights),
                                             "samples": [[0, i] for i in range(2)], "weights": weights}]}).encode()
        ms, weight = (self.add(profile(*of))["id"] for of in (("milliseconds", 300, 54.5), ("none", 800, 13)))
        about = self.get_json(f"/api/v1/compare?base={ms}&new={weight}")
        self.assertEqual((about["headline"], about["no_headline"]), (None, "one run measures sampled in s, another weight without a unit"))
        self.assertEqual([[metric["unit"] for metric in table["metrics"]] for table in about["tables"]], [["%", "%"]])
        self.assertRefused(self.get(f"/api/v1/compare/functions?base={ms}&new={weight}&metric=self"), 400, "bad_request")
        self.assertIn("different units", about["no_tree"])
        same = self.get_json(f"/api/v1/compare?base={ms}&new={ms}")
        self.assertIsNone(same["no_headline"])

    def test_runs_without_marked_steps_have_no_parts_of_a_step(self):
        runs = []
        for name in ("aten::mm", "aten::addmm"):
            events = [{"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": 50} for ts in (0, 100)]
            runs.append(self.add(json.dumps({"schemaVersion": 1, "traceEvents": events}).encode())["id"])
        about = self.get_json(f"/api/v1/compare?base={runs[0]}&new={runs[1]}")
        self.assertEqual([table["of"] for table in about["tables"]], ["operators"])
        self.assertEqual(self.get(f"/api/v1/compare/step_parts?base={runs[0]}&new={runs[1]}").status, 404)

    def test_what_one_run_did_not_record_is_not_compared(self):
        """Shapes and memory of one run alone are not new ones: the other was recorded without them."""
        def recorded(*more, **args):
            events = [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 0, "dur": 50, "args": args}, *more]
            return self.add(json.dumps({"schemaVersion": 1, "traceEvents": events}).encode())["id"]
        memory = {"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "ts": 10,
                  "args": {"Total Reserved": 0, "Total Allocated": 4096, "Bytes": 4096, "Addr": 4096, "Device Id": -1, "Device Type": 0}}
        bare, full = recorded(), [recorded(memory, **{"Input Dims": [[n, 8]]}) for n in (2, 3)]
        for pair, expected in (((bare, full[0]), set()), ((full[0], bare), set()), (full, {"shapes", "memory"})):
            found = {table["of"] for table in self.get_json("/api/v1/compare?base={}&new={}".format(*pair))["tables"]}
            self.assertIn("operators", found)
            self.assertEqual(found & {"shapes", "memory", "modules"}, expected)

    def test_values_per_step_count_what_starts_in_steps(self):
        base, new = (self.add(training_steps(*of))["id"] for of in ((3, 4000, 700), (7, 100, 700)))
        pair = f"base={base}&new={new}"
        about = self.get_json(f"/api/v1/compare?{pair}")
        self.assertEqual([(table["of"], table["per"]) for table in about["tables"]],
                         [("step_parts", ["step"]), ("operators", ["step", "run", "call"]), ("kernels", ["step", "run", "call"])])
        self.assertEqual(about["tables"][1]["work"], {"of": "steps", "base": [3], "new": [7]})
        # A step waits for data, calls addmm once, and its kernel follows; what is outside of steps has other names or adds to these.
        for of, metric, per, name, base_value, new_value in (
                ("operators", "cpu_total_us", "step", "aten::addmm", 300, 300), ("operators", "cpu_total_us", "run", "aten::addmm", 1600, 2800),
                ("operators", "cpu_total_us", "call", "aten::addmm", 400, 350), ("operators", "calls", "step", "aten::addmm", 1, 1),
                ("operators", "self_device_us", "step", "aten::addmm", 500, 500),
                ("operators", "cpu_total_us", "step", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 4000, 100),
                ("operators", "cpu_total_us", "step", "aten::outside", None, None), ("operators", "cpu_total_us", "run", "aten::outside", 50, 50),
                ("kernels", "total_us", "step", "gemm", 500, 500), ("kernels", "total_us", "run", "gemm", 2200, 4200),
                ("kernels", "total_us", "call", "gemm", 550, 525)):
            rows, answer = self.rows(of, pair, metric=metric, per=per, name=name)
            self.assertEqual(answer["per"], per)
            self.assertEqual([(row["base"], row["new"]) for row in rows], [] if base_value is None else [(base_value, new_value)], (of, metric, per, name))
        default, answer = self.rows("operators", pair, metric="cpu_total_us")
        self.assertEqual((answer["per"], default[0]["name"][:21], default[0]["delta"]), ("step", "ProfilerStep*", -3900))
        used, answer = self.rows("operators", pair, metric="self_device_us", with_value=1)
        self.assertEqual(([row["name"] for row in used], answer["total"], answer["of"]), (["aten::addmm"], 1, len(default)))
        for of, per in (("step_parts", "run"), ("operators", "week"), ("memory", "step")):
            self.assertIn(self.get(f"/api/v1/compare/{of}?{pair}&per={per}").status, (400, 404))
        tree = self.get_json(f"/api/v1/compare/tree?{pair}")
        found = {path: (of["base_total"], of["new_total"]) for path, of in self.paths_of(tree).items()}
        self.assertEqual((tree["per"], found["ProfilerStep*",], found["ProfilerStep*", "aten::addmm"]), ("step", (5000e3, 1100e3), (300e3, 300e3)))
        self.assertNotIn(("aten::outside",), found)
        whole = self.get_json(f"/api/v1/compare/tree?{pair}&per=run")
        self.assertIn("aten::outside", whole["frames"]["name"])

    def test_chosen_steps_are_those_of_both_sides(self):
        """Ranges of another name that lie where marked steps would: the same values per step, in tables and tree."""
        of = ((3, 4000, 700), (7, 100, 700))
        marked = "&".join(f"{side}={self.add(training_steps(*one))['id']}" for side, one in zip(("base", "new"), of))
        own = "&".join(f"{side}={self.add(training_steps(*one, mark='pass '))['id']}" for side, one in zip(("base", "new"), of))
        self.assertEqual(self.get_json(f"/api/v1/compare?{own}")["step"], None)
        about = self.get_json(f"/api/v1/compare?{own}&step=pass")
        self.assertEqual((about["step"], about["headline"]["label"], about["headline"]["base"]["median"], about["headline"]["new"]["median"]),
                         ("pass", "mean step", 0.005, 0.0011))
        self.assertEqual([(table["of"], table["per"][0], table["work"]["new"]) for table in about["tables"]], [("operators", "step", [7]), ("kernels", "step", [7])])
        for table, metric in (("operators", "cpu_total_us"), ("operators", "self_device_us"), ("kernels", "total_us")):
            values = [{row["name"]: (row["base"], row["new"]) for row in self.rows(table, query, metric=metric)[0]} for query in (marked, own + "&step=pass")]
            values[0] = {name.replace("ProfilerStep*", "pass"): value for name, value in values[0].items()}
            self.assertEqual(*values)
        self.assertEqual(self.rows("operators", own, metric="cpu_total_us")[1]["per"], "run")
        tree = self.get_json(f"/api/v1/compare/tree?{own}&step=pass")
        found = {path: (round(of["base_total"]), round(of["new_total"])) for path, of in self.paths_of(tree).items()}
        self.assertEqual((found["pass",], found["pass", "aten::addmm"]), ((5000e3, 1100e3), (300e3, 300e3)))
        self.assertNotIn(("aten::outside",), found)
        self.assertEqual(self.get_json(f"/api/v1/compare/conclusion?{own}&step=pass")["per"], "step")
        run = own.split("&")[0].split("=")[1]
        overview = self.get_json(f"/api/v1/runs/{run}/overview?step=pass")
        self.assertEqual((overview["steps_total"], [step["name"] for step in overview["steps"]]), (3, ["pass 1", "pass 2", "pass 3"]))
        for step in overview["steps"]:
            for parts in step["parts"].values():
                self.assertEqual(sum(ns for _, ns in parts), step["end_ns"] - step["start_ns"])
        mean = dict(overview["mean"]["tensorboard"])
        self.assertEqual((mean["kernel"], round(sum(mean.values()))), (500_000, 5_000_000))
        self.assertEqual(len(self.get_json(f"/api/v1/runs/{run}/overview")["steps"]), 1)
        self.assertEqual(self.get(f"/api/v1/runs/{run}/overview?step=epoch").status, 400)
        for path in ("compare", "compare/operators", "compare/tree", "compare/conclusion"):
            self.assertEqual(self.get(f"/api/v1/{path}?{own}&step=epoch").status, 400)
        self.assertEqual(self.get(f"/api/v1/compare/step_parts?{marked}&step=ProfilerStep").status, 404)

    def test_one_total_of_imports_whose_rows_are_rounded(self):
        # CPython rounds each row, so self times add up to 602; a module that is tried twice counts twice.
        base = log((2, "app.models", 300, 300), (2, "nt", 50, 50), (1, "app", 102, 451), (1, "nt", 50, 50), (1, "json", 100, 99))
        new = log((2, "app.models", 200, 200), (2, "nt", 50, 50), (1, "app", 102, 351), (1, "nt", 50, 50), (1, "json", 100, 99))
        pair = "base={}&new={}".format(*(self.add(text)["id"] for text in (base, new)))
        headline = self.get_json(f"/api/v1/compare?{pair}")["headline"]
        self.assertEqual([round(headline[side]["median"] * 1e6) for side in ("base", "new")], [600, 500])
        for of in ("imports", "packages"):
            sums = self.rows(of, pair)[1]["sums"]
            self.assertEqual([sums[key] for key in ("base", "new", "whole_base", "whole_new")], [602, 502, 600, 500], of)
        found = self.get_json(f"/api/v1/compare/conclusion?{pair}")
        self.assertEqual((found["base"], found["new"], found["delta"], found["rows"][0]["name"]), (600, 500, -100, "app.models"))
        self.assertEqual([row["base"] for row in self.rows("imports", pair, name="nt")[0]], [100])
        dump = self.add(marshal.dumps({("a.py", 1, "f"): (2, 2, 1.0, 3.0, {("a.py", 2, "g"): (2, 2, 1.0, 3.0)}),
                                       ("a.py", 2, "g"): (2, 2, 2.0, 3.0, {("a.py", 1, "f"): (1, 1, 2.0, 3.0)})}))["id"]
        self.assertEqual(self.get_json(f"/api/v1/compare/tree?base={dump}&new={dump}")["new"]["sum"], 3)

    def test_modules_and_operators_per_step_are_those_of_the_file(self):
        """Sums over the events of real size, by their names, that start while a step is active."""
        demo = pathlib.Path(__file__).parents[2] / "demo" / "profiles"
        files = {side: gzip.decompress((demo / name).read_bytes()) for side, name in
                 (("base", "training-waits.pt.trace.json.gz"), ("new", "training.pt.trace.json.gz"))}
        pair = "&".join(f"{side}={self.add(text)['id']}" for side, text in files.items())
        for side, text in files.items():
            events = [event for event in json.loads(text)["traceEvents"] if event.get("ph") == "X"]
            steps = [(event["ts"], event["ts"] + event["dur"]) for event in events if event["name"].startswith("ProfilerStep#") and event["cat"] == "user_annotation"]
            in_steps = [event for event in events if any(start <= event["ts"] < end for start, end in steps)]
            for of, metric, category, kept in (("modules", "host_total_us", "python_function", lambda event: "Python module id" in event["args"]),
                                               ("operators", "cpu_total_us", "cpu_op", lambda event: True)):
                expected, last = {}, {}
                for event in sorted(in_steps, key=lambda event: (event["ts"], -event["dur"])):
                    if event["cat"] == category and kept(event):
                        name = event["name"].removeprefix("nn.Module: ")
                        if event["ts"] < last.get(name, 0):  # inside of a call of the same name, which torch merges with it
                            continue
                        last[name] = event["ts"] + event["dur"]
                        expected[name] = expected.get(name, 0) + event["dur"] / len(steps)
                rows, answer = self.rows(of, pair, metric=metric, limit=1000)
                self.assertEqual(answer["per"], "step")
                found = {row["name"]: row[side] for row in rows if row["name"] in expected}
                self.assertEqual(found.keys(), expected.keys())
                self.assertGreater(len(found), 5)
                for name, value in expected.items():
                    self.assertAlmostEqual(found[name], value, 3, f"{of} {name}")

    def test_values_per_call(self):
        def dump(**functions):
            return marshal.dumps({("app.py", i, name): (primitive, calls, own, total, {}) for i, (name, (primitive, calls, own, total)) in enumerate(functions.items(), 1)})
        base = self.add(dump(load=(10, 20, 4.0, 30.0), parse=(5, 5, 1.0, 1.0)))["id"]
        new = self.add(dump(load=(40, 50, 5.0, 60.0), render=(2, 2, 3.0, 3.0)))["id"]
        table = self.get_json(f"/api/v1/compare?base={base}&new={new}")["tables"][0]
        self.assertEqual((table["per"], table["work"]), (["run", "call"], {"of": "calls", "base": [25], "new": [52]}))
        rows, answer = self.rows("functions", f"base={base}&new={new}", per="call")
        # tottime per call, cumtime per primitive call, as pstats prints; a function that one run lacks has no difference
        self.assertEqual([(r["name"], r["base"], r["new"], r["delta"], r["base_cumtime_s"], r["new_cumtime_s"]) for r in rows],
                         [("load", 0.2, 0.1, -0.1, 3, 1.5), ("parse", 0.2, None, None, 0.2, None), ("render", None, 1.5, None, None, 1.5)])
        self.assertEqual([metric["metric"] for metric in table["metrics"]], ["tottime_s", "cumtime_s", "ncalls"])
        self.assertRefused(self.get(f"/api/v1/compare/functions?base={base}&new={new}&per=call&metric=ncalls"), 400, "bad_request")
        self.assertRefused(self.get(f"/api/v1/compare/functions?base={base}&new={new}&per=step"), 400, "bad_request")
        row = self.get_json(f"/api/v1/compare/functions/{rows[1]['id']}?base={base}&new={new}&per=call")
        self.assertEqual((row["base_values"], row["new_values"]), ([0.2], [None]))
        self.assertGreater(row["base_id"], 0)
        self.assertIsNone(row["new_id"])

    def test_a_conclusion_names_the_rows_that_explain_the_difference(self):
        def conclusion(base, new):
            base, new = (self.add(text)["id"] for text in (base, new))
            return self.get_json(f"/api/v1/compare/conclusion?base={base}&new={new}")

        def imports(**modules):
            return log(*((1, name, us, us) for name, us in modules.items()))

        def words(found):
            return found["found"], [row["name"] for row in found["rows"]], round(found["delta"], 3)
        waits = conclusion(training_steps(4, 4000, 700), training_steps(9, 100, 700))
        self.assertEqual((waits["of"], waits["per"], waits["unit"], waits["base"], waits["new"]), ("step_parts", "step", "us", 5000, 1100))
        self.assertEqual((words(waits), waits["rows"][0]["delta"]), (("one", ["dataloader"], -3900), -3900))
        same = dict(b=1000, c=1000, d=1000, e=1000)
        for new, expected in ((dict(same, b=1600, c=1100), ("one", ["b"], 700)), (dict(same, b=1400, c=1300, d=1200, e=1100), ("two", ["b", "c"], 1000)),
                              (dict(same, b=1600, c=500), ("two", ["b", "c"], 100)), (dict(same, b=1010), ("none", [], 10))):
            found = conclusion(imports(**same), imports(**new))
            self.assertEqual(words(found), expected, new)
        many = {f"m{i}": 1000 for i in range(20)}
        found = conclusion(imports(**many), imports(**{name: 1100 for name in many}))
        self.assertEqual((words(found), found["n"]), (("spread", [], 2000), 18))
        noise = self.get_json("/api/v1/compare/conclusion?base=series:before&new=series:after")
        self.assertEqual(words(noise), ("one", ["app"], 900))
        samples = benchmark("x", [1, 1.1]), benchmark("x", [2, 2.1])
        self.assertIsNone(conclusion(*samples))
        self.assertRefused(self.get(f"/api/v1/compare/conclusion?new={self.new}"), 400, "bad_request")
