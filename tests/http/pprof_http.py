# SPDX-License-Identifier: MIT
"""Sample types and labels of pprof: what the questions of stacks answer for a chosen sample type, and how wrong choices are refused."""
import os
import sys
import urllib.parse

from server import ROOT, ServerTest

sys.path.insert(0, os.path.join(ROOT, "tests", "golden"))
import make_pprof  # noqa: E402

RUNS = "/api/v1/runs"
PROFILE = make_pprof.Profile
TYPES = [("cpu", "nanoseconds"), ("alloc", "bytes")]


class Pprof(ServerTest):
    def add(self, name, *args, **more):
        answer = self.server.request("POST", f"{RUNS}?wait=1&name={name}", PROFILE(*args, **more).bytes())
        self.assertIn(answer.status, (200, 201), answer.body)
        return answer.json["id"]

    def ask(self, run, view, *query):
        return self.get_json(f"{RUNS}/{run}/{view}?{urllib.parse.urlencode(query)}")

    def refused(self, run, view, *query):
        answer = self.server.request("GET", f"{RUNS}/{run}/{view}?{urllib.parse.urlencode(query)}")
        self.assertEqual(answer.status, 400, answer.body)
        return answer.error["text"]

    def labelled(self):
        return self.add("labelled", TYPES, [
            (["main", "work"], [5_000_000_000, 100], {"thread name": "A", "task": "x", "span id": 1}),
            (["main", "work"], [2_000_000_000, 0], {"thread name": "A", "task": "y", "span id": 2}),
            (["main", "rest"], [1_000_000_000, 900], {"thread name": "B", "task": "x", "span id": 3}),
            (["main"], [500_000_000, 30])])

    def test_one_sample_type_at_a_time(self):
        run = self.labelled()
        self.assertEqual(self.ask(run, "stack_flame")["sum"], 8.5e9)
        self.assertEqual(self.ask(run, "stack_flame")["unit"], "ns")
        alloc = self.ask(run, "stack_flame", ("sample_type", "alloc"))
        self.assertEqual((alloc["sum"], alloc["unit"]), (1030, "B"))
        self.assertEqual(sum(self.ask(run, "stack_threads", ("sample_type", "alloc"))["weight"]), 1030)
        rows = self.ask(run, "stack_functions", ("sample_type", "alloc"))
        self.assertEqual(rows["sums"]["self"], 1030)
        name_id = next(row[2] for row in rows["rows"] if row[1].startswith("work"))
        self.assertEqual(self.ask(run, "sandwich", ("sample_type", "alloc"), ("name_id", name_id))["sum"], 1030)
        self.assertEqual(self.get_json(f"{RUNS}/{run}")["headline"], {"value": 8.5, "unit": "s", "label": "cpu"})

    def test_labels(self):
        run = self.labelled()
        of = lambda *labels: self.ask(run, "stack_flame", *(("label", label) for label in labels))["sum"] / 1e9  # noqa: E731
        self.assertEqual(of("task=x"), 6)
        self.assertEqual(of("task=x", "task=y"), 8)
        self.assertEqual(of("task=x", "thread name=B"), 1)
        self.assertEqual(of("task=none"), 0)
        roles = {label["key"]: label["role"] for label in self.ask(run, "sample-types")["labels"]}
        self.assertEqual(roles, {"thread name": "thread", "task": "divides", "span id": "summed"})

    def test_threads_stay_when_the_sample_type_changes(self):
        run = self.labelled()
        found = self.ask(run, "stack_threads")
        for track, weight in zip(found["ids"], found["weight"]):
            alloc = self.ask(run, "stack_flame", ("threads", track), ("sample_type", "alloc"))["sum"]
            self.assertEqual(alloc, {5e9: 100, 2e9: 0, 1e9: 900, 5e8: 30}[weight])

    def test_wrong_choices_are_refused(self):
        run = self.labelled()
        self.assertEqual(self.refused(run, "stack_flame", ("sample_type", "wall")), "this run has no sample type wall; it has cpu, alloc")
        self.assertEqual(self.refused(run, "stack_functions", ("label", "task")), "label must be KEY=VALUE")
        self.assertEqual(self.refused(run, "stack_functions", ("label", "job=1")), "samples of this run have no label job")
        self.assertEqual(self.refused(run, "stack_functions", ("label", "span id=1")),
                         "samples with different values of the label span id were summed at import")
        with open(os.path.join(ROOT, "tests", "golden", "folded", "ok_plain.txt"), "rb") as file:
            folded = self.server.request("POST", f"{RUNS}?wait=1", file.read()).json["id"]
        self.assertEqual(self.refused(folded, "stack_flame", ("sample_type", "cpu")), "this run has no sample types")

    def test_many_labels_do_not_divide(self):
        """Values beyond 4,096 sets: the label with most of them is summed, with a note, and its totals are kept."""
        run = self.add("many", TYPES, [(["main"], [1000 + i, 1], {"request": i, "task": f"t{i % 2}"}) for i in range(5000)])
        labels = {label["key"]: label for label in self.ask(run, "sample-types")["labels"]}
        self.assertEqual({key: label["role"] for key, label in labels.items()}, {"request": "summed", "task": "divides"})
        self.assertEqual((labels["request"]["n_values"], len(labels["request"]["values"])), (5000, 100))
        self.assertEqual(labels["request"]["values"][0]["value"], "4999")
        self.assertIn("cannot be selected by the label request", str(self.ask(run, "notes")))
        self.assertEqual(self.ask(run, "stack_flame", ("label", "task=t1"))["sum"], sum(1000 + i for i in range(1, 5000, 2)))

    def roles(self, run):
        return {label["key"]: label["role"] for label in self.ask(run, "sample-types")["labels"]}

    def test_many_numbers_are_a_quantity(self):
        for n, role in ((16, "divides"), (17, "summed")):
            run = self.add(f"sizes{n}", TYPES, [(["main"], [1, 1 << i], {"bytes": 1 << i, "tid": i, "task": f"t{i}"}) for i in range(n)])
            self.assertEqual(self.roles(run), {"bytes": role, "tid": "thread", "task": "divides"})
            self.assertEqual("label bytes, which has 17 values: so many numbers" in str(self.ask(run, "notes")), role == "summed")
            values = next(label for label in self.ask(run, "sample-types", ("sample_type", "alloc"))["labels"] if label["key"] == "bytes")["values"]
            self.assertEqual({row["value"]: row["total"] for row in values}, {str(1 << i): 1 << i for i in range(n)})

    def test_labels_do_not_multiply_a_large_tree(self):
        """9,000 nodes in each of 500 sets of labels would be 4.5 million: threads divide, the route is summed."""
        samples = [(["f"] * 9000, [1, 0], {"route": f"r{i}", "thread name": f"t{i % 2}"}) for i in range(500)]
        run = self.add("large", TYPES, samples)
        self.assertEqual(self.roles(run), {"route": "summed", "thread name": "thread"})
        self.assertIn("label route, which has 500 values: the stacks of each would be too many nodes", str(self.ask(run, "notes")))
        self.assertEqual(self.ask(run, "stack_flame", ("label", "thread name=t1"))["sum"], 250)
        self.assertEqual(self.roles(self.add("small", TYPES, samples[:4])), {"route": "divides", "thread name": "thread"})

    def test_locations_that_share_frames(self):
        """Locations with equal frames are one node, also if one has more frames, or is below such a node."""
        inlined = (("a", "x.c", 1), ("b", "x.c", 2))
        run = self.add("shared", TYPES, [
            ([inlined, "leaf"], [1, 0]), (["other"], [8, 0]), ([("a", "x.c", 1), ("b", "x.c", 2), "leaf"], [2, 0]), ([("a", "x.c", 1)], [4, 0])])
        frames = self.ask(run, "stack_flame")["frames"]
        self.assertEqual(sorted(name.split(" ")[0] for name in frames["name"]), ["a", "b", "leaf", "other"])
        self.assertEqual(self.ask(run, "stack_flame")["sum"], 15)
        slices = self.server.request("POST", "/api/v1/sql", f'{{"run": "{run}", "sql": "SELECT slices FROM track WHERE sample_type = 1"}}').json
        self.assertEqual(slices["rows"], [[4]])

    def test_differences_keep_their_sign_in_tables(self):
        run = self.add("difference", TYPES[:1], [(["main", "work"], [50]), (["main", "rest"], [-20]), (["main"], [-5])])
        rows = {row[1].split(" ")[0]: tuple(row[6:8]) for row in self.ask(run, "stack_functions")["rows"]}
        self.assertEqual(rows, {"main": (-5, 25), "work": (50, 50), "rest": (-20, -20)})
        self.assertEqual(self.ask(run, "stack_flame")["sum"], 50)
        total = self.ask(run, "sample-types")["types"][0]
        self.assertEqual((total["total"], total["negative"]), (25e-9, 25e-9))

    def test_the_sign_chooses_values_above_or_below_0(self):
        run = self.add("signs", TYPES[:1], [(["main", "work"], [50]), (["main", "rest"], [-20]), (["main"], [-5])])
        selves = lambda *sign: {row[1].split()[0]: row[6] for row in self.ask(run, "stack_functions", *sign)["rows"]}  # noqa: E731
        self.assertEqual(selves(("sign", "positive")), {"main": 0, "work": 50})
        self.assertEqual(selves(("sign", "negative")), {"main": 5, "rest": 20})
        below = self.ask(run, "stack_flame", ("sign", "negative"))
        self.assertEqual((below["sum"], sorted(name.split()[0] for name in below["frames"]["name"])), (25, ["main", "rest"]))
        self.assertIn("sign must be", self.refused(run, "stack_flame", ("sign", "both")))

    def said(self, run):
        """The first sentences of the conclusion as text."""
        conclusion = self.ask(run, "conclusion")
        return "".join(str(part.get("code") or part.get("text") or f"{part['value']:.4g}") for part in conclusion["verdict"] + conclusion["sentence"])

    def test_only_moments_of_a_clock_wait(self):
        waiting = ("wait", "/usr/lib/python3.12/threading.py", 300)
        stacks = [([("main", "app.c", 1), waiting], [7_000_000_000, 7 << 20, 700]), ([("main", "app.c", 1)], [3_000_000_000, 3 << 20, 300])]
        for at, (name, unit, verb) in enumerate([("wall", "nanoseconds", "waits"), ("space", "bytes", "holds"), ("inuse_objects", "count", "takes")]):
            run = self.add(name, [(name, unit)], [(stack, values[at:at + 1]) for stack, values in stacks])
            self.assertIn(f" {verb} 70", self.said(run))

    def test_addresses_are_no_cause(self):
        run = self.add("stripped", TYPES[:1], [([0x9100, 0x9110], [8_000_000_000]), ([("main", "app.c", 1)], [3_000_000_000])], mapping="/srv/app")
        self.assertTrue(self.said(run).startswith("The profile does not name most functions."), self.said(run))
        run = self.add("libraries", TYPES[:1], [([("main", "app.c", 1), 0x9110], [8_000_000_000])], mapping="/srv/libz.so")
        self.assertNotIn("does not name", self.said(run))

    def test_frames_of_the_profiler_are_no_cause(self):
        walk = [("rs.rs:23 - ::trace", "backtrace_rs.rs", 23), ("backtrace::backtrace::trace_unsynchronized", "mod.rs", 66)]
        run = self.add("rust", TYPES[:1], [([("app::parse", "main.rs", 7), *walk], [8_000_000_000]), (walk, [2_000_000_000])])
        self.assertTrue(self.said(run).startswith("20"), self.said(run))
        self.assertIn("app::parse takes 80", self.said(run))

    def test_names_that_hold_their_place(self):
        frames = [("./index.js:handle:31", "/app/index.js", 33, "handle"), (":(idle):0", "", 0, "(idle)"), ("a::b:2", "a.cc", 2, "")]
        run = self.add("node", [("wall", "nanoseconds")], [([frame], [1_000_000_000]) for frame in frames])
        self.assertEqual(sorted(row[1] for row in self.ask(run, "stack_functions")["rows"]), ["(idle)", "a::b:2 (a.cc)", "handle (/app/index.js)"])
        self.assertEqual([row[1] for row in self.ask(run, "stack_functions")["rows"] if "idle" in row[1]], ["(idle)"])

    def test_nouns_of_counts(self):
        for name, noun in {"goroutine": "goroutines", "alloc_in_new_tlab_objects": "objects", "tlab": "tlab"}.items():
            run = self.add(name, [(name, "count")], [(["main"], [4])])
            self.assertEqual(self.ask(run, "sample-types")["types"][0]["unit"], noun)
            self.assertEqual(self.said(run).startswith("Too few to tell the cause: 4 objects. "), noun == "objects")

    def test_labels_with_the_greatest_differences(self):
        run = self.add("change", TYPES[:1], [(["main"], [-1000 if i == 150 else i + 1], {"task": f"t{i}"}) for i in range(151)])
        values = self.ask(run, "sample-types")["labels"][0]["values"]
        self.assertEqual((len(values), "t150" in [row["value"] for row in values]), (100, True))

    def test_one_warning_for_all_values_below_0(self):
        run = self.add("below", TYPES, [(["main"], [-50, -3]), (["main", "work"], [9, 9])])
        self.assertEqual(len([row for row in self.ask(run, "notes")["rows"] if "some values of cpu, alloc are below 0" in str(row)]), 1)

    def test_first_sample_type_may_be_empty(self):
        plain = make_pprof.Profile(TYPES, [(["main"], [5, 100])]).bytes()
        size = 2 + plain[1]
        answer = self.server.request("POST", f"{RUNS}?wait=1&name=empty", b"\x0a\x00" + plain[size:])
        self.assertEqual((answer.status, answer.json.get("kind")), (201, "pprof"), answer.body)

    def test_sql(self):
        run = self.labelled()
        answer = self.server.request("POST", "/api/v1/sql", f'{{"run": "{run}", "sql": "SELECT sum(self), min(unit) FROM nodes"}}')
        self.assertEqual(answer.json["rows"], [[8.5, "s"]])
        statement = "SELECT sample_type, sum(self), min(unit) FROM sample_nodes GROUP BY 1"
        answer = self.server.request("POST", "/api/v1/sql", f'{{"run": "{run}", "sql": "{statement}"}}')
        self.assertEqual(answer.json["rows"], [["alloc", 1030.0, "B"], ["cpu", 8.5, "s"]])

    def test_comparisons(self):
        base = self.add("base", TYPES, [(["main", "work"], [5_000_000_000, 100])])
        new = self.add("new", TYPES, [(["main", "work"], [4_000_000_000, 300])])
        swapped = self.add("swapped", TYPES[::-1] + [("idle", "nanoseconds")], [(["main", "work"], [300, 0, 7])])
        of = f"/api/v1/compare?base={base}&new={new}"
        self.assertEqual(self.get_json(of)["sample_type"], "cpu")
        self.assertEqual(self.get_json(of)["headline"]["new"]["median"], 4)
        chosen = self.get_json(f"{of}&sample_type=alloc")
        headline = chosen["headline"]
        self.assertEqual((headline["base"]["median"], headline["new"]["median"], headline["unit"]), (100, 300, "B"))
        rows = self.get_json(f"/api/v1/compare/functions?base={base}&new={new}&sample_type=alloc")["rows"]
        self.assertIn(100, rows[0])
        tree = self.get_json(f"/api/v1/compare/tree?base={base}&new={new}&sample_type=alloc")
        self.assertEqual((tree["base"]["sum"], tree["new"]["sum"], tree["unit"]), (100, 300, "B"))
        self.assertEqual(self.get_json(f"/api/v1/compare?base={base}&new={swapped}")["sample_type"], "cpu")  # of the base
        answer = self.server.request("GET", f"{of}&sample_type=wall")
        self.assertEqual((answer.status, answer.error["text"]), (400, f"run {base} has no sample type wall"))
