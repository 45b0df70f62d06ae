# SPDX-License-Identifier: MIT
"""Facts about the devices of real traces, computed again from their slices; conclusions of all traces hold together."""
import collections
import functools
import re
import unittest
import urllib.parse

from corpus import CorpusTest, Shelf, paths

KERNEL, COPY, SET = 6, 7, 8
COLLECTIVE = 64  # a flag of slices
COMMUNICATION = 6  # a family of kernels
TRACES = ("wild/torch-trace", "wild/nsys-sqlite", "wild2/graph-replay", "made/torch-trace")


@functools.cache
def shelf():
    filled = Shelf()
    filled.add(paths(*TRACES))
    return filled


def idle_of(intervals):
    """Gaps between the joined intervals: (number, ns)."""
    count = ns = 0
    until = None
    for start, end in sorted(intervals):
        if until is not None and start > until:
            count, ns = count + 1, ns + start - until
        until = max(end, until if until is not None else end)
    return count, ns


class Facts(CorpusTest):
    fill = shelf

    def each(self):
        """The path and the summary of each run that has kernels."""
        n = 0
        for path in paths(*TRACES):
            run = self.shelf.of(path) and self.shelf.show(path)
            if run and run["kind"] in ("torch-trace", "nsys") and run["summary"].get("kernels"):
                n += 1
                yield path, run
        if not n:
            self.skipTest("no trace of the corpus has kernels")

    def test_kernels_and_copies_are_those_of_the_table(self):
        for path, run in self.each():
            calls = collections.Counter()
            for row in self.shelf.sql(path, "SELECT kind, calls FROM kernels"):
                calls["kernels" if row["kind"] == KERNEL else "copies"] += row["calls"]
            self.assertEqual({key: run["summary"][key] for key in ("kernels", "copies")},
                             {key: calls[key] for key in ("kernels", "copies")}, path)

    def test_idle_time_is_that_of_devices(self):
        """A gap is a time in which no stream of a device works."""
        for path, run in self.each():
            devices = collections.defaultdict(list)
            for row in self.shelf.sql(path, f"SELECT t.device, p.worker, s.start_ns, s.duration_ns FROM ps_slices s "
                                            f"JOIN track t ON t.id = s.track JOIN process p ON p.id = t.process "
                                            f"WHERE s.kind IN ({KERNEL}, {COPY}, {SET})"):
                devices[row["worker"], row["device"]].append((row["start_ns"], row["start_ns"] + row["duration_ns"]))
            idle = [idle_of(intervals) for intervals in devices.values()]
            gaps = self.shelf.ask("GET", f"/runs/{run['id']}/overview")["gaps"]
            if not run["summary"].get("devices"):
                continue  # no device is described
            self.assertEqual((gaps["of"], gaps["count"], gaps["total_ns"]), ("device", sum(n for n, _ in idle), sum(ns for _, ns in idle)), path)
            self.assertEqual(sum(ns for _, ns, _ in gaps["by_cause"]), gaps["total_ns"])

    def test_communication_has_one_colour(self):
        """A kernel has the colour of communication if it counts as communication, and only then."""
        for path, _ in self.each():
            rows = self.shelf.sql(path, f"SELECT DISTINCT n.text AS name, s.flags & {COLLECTIVE} AS counted, s.family FROM ps_slices s "
                                        f"JOIN text n ON n.id = s.name WHERE s.kind = {KERNEL}")
            self.assertEqual([row for row in rows if bool(row["counted"]) != (row["family"] == COMMUNICATION)], [], path)

    def test_use_of_tensor_cores(self):
        """Kernels of Blackwell whose name does not say it are unknown."""
        for path, _ in self.each():
            for row in self.shelf.sql(path, f"SELECT name, tensor_core FROM kernels WHERE kind = {KERNEL}"):
                if row["name"].startswith(("bmm_MxE4m3", "fmhaSm100")):
                    self.assertIsNone(row["tensor_core"], row["name"])


# tab -> parameters of its URL that it reads; the names are keys of importers/kinds.c
PARAMETERS = {"timeline": {"slice"}, "overview": set(), "flame": set(), "device-memory": set(), "inference": set(),
              "operators": {"q", "regex", "sort", "desc"}, "slices": {"q", "regex", "sort", "desc"}, "kernels": {"q", "regex", "sort", "desc"}}
# cause -> parts of a step, as the TensorBoard plugin divides it
ROLES = {"host_bound": ("runtime", "cpu", "other"), "blocking": ("runtime", "cpu", "other"), "graph_capture": ("runtime", "cpu", "other"), "kernels": ("kernel",), "copies": ("memcpy", "memset"),
         "dataloader": ("dataloader",), "communication": ("communication",), "operators": ("cpu",), "runtime": ("runtime",), "other": ("other",)}
SMALL = 0.02  # of a step: smaller parts are not causes


def profiler_ns(conclusion):
    """What a note of the conclusion says that the profiler itself took."""
    found = re.search(r"The profiler's own work takes ([0-9.]+) (ns|\u00b5s|ms|s)\b", " ".join(conclusion["notes"]))
    return float(found[1]) * {"ns": 1, "\u00b5s": 1e3, "ms": 1e6, "s": 1e9}[found[2]] if found else 0


class Conclusions(CorpusTest):
    fill = shelf

    def each(self):
        for path in paths(*TRACES):
            run = self.shelf.of(path) and self.shelf.show(path)
            if run and run["kind"] in ("torch-trace", "nsys"):
                yield path, run, self.shelf.ask("GET", f"/runs/{run['id']}/conclusion")

    def test_causes_are_the_parts_of_the_step(self):
        """Those of the mean step in the overview, which the importer computed."""
        for path, run, found in self.each():
            causes = [cause for cause in found["causes"] if cause["level"] == 0]
            if any(cause["rule"] not in ROLES for cause in causes):
                continue  # ranked by name
            mean = dict(self.shelf.ask("GET", f"/runs/{run['id']}/overview")["mean"]["tensorboard"])
            whole = sum(mean.values())
            if not whole:
                continue  # no step is counted
            amounts = collections.Counter()
            for cause in causes:
                amounts[ROLES[cause["rule"]]] += cause["amount"] * 1e9
                self.assertAlmostEqual(cause["share"], cause["amount"] * 1e9 / whole, places=6, msg=path)
            for roles, ns in amounts.items():
                expected = sum(mean[role] for role in roles)
                missing = expected - ns  # a small rest beside a blocking call, and the work of the profiler
                self.assertTrue(-len(mean) <= missing < SMALL * whole + len(mean) + profiler_ns(found), (path, roles, ns, expected))
            named = {role for roles in amounts for role in roles}
            for role in set(mean) - named:
                self.assertLess(mean[role], SMALL * whole * (3 if role in ("runtime", "cpu", "other") else 1) + 1, (path, role))

    def test_parts_fit_into_their_cause(self):
        for path, _, found in self.each():
            left = 0
            self.assertLessEqual(sum(cause["share"] or 0 for cause in found["causes"] if cause["level"] == 0), 1.0000001, path)
            for cause in found["causes"]:
                self.assertTrue(cause["share"] is None or 0 <= cause["share"] <= 1, path)
                left = cause["amount"] if cause["level"] == 0 else left - (cause["amount"] or 0)
                self.assertGreaterEqual(left, -1e-9, (path, cause["rule"]))

    def test_findings_are_said_once(self):
        """A rule is a check that passed, or a cause, or a part, or a note."""
        for path, run, found in self.each():
            answer = self.shelf.ask("GET", f"/runs/{run['id']}/findings")
            titles = {row["title"] for row in answer["rows"]}
            if found["checked"]:
                self.assertEqual(set(found["checked"]), {row["title"] for row in answer["checked"]} - titles, path)
            rules = [cause["rule"] for cause in found["causes"] if cause["amount"] is None]
            self.assertEqual(len(rules), len(set(rules)), path)
            self.assertLessEqual(set(rules), {row["rule"] for row in answer["rows"]}, path)

    def test_links_lead_to_tabs_of_the_kind(self):
        tabs = {row["kind"]: row["tabs"] for row in self.shelf.ask("GET", "/formats")["rows"]}
        for path, run, found in self.each():
            sentences = [found["verdict"], found["sentence"]] + [cause[key] for cause in found["causes"] for key in ("title", "evidence")]
            for link in (part["link"] for sentence in sentences for part in sentence if "link" in part):
                self.assertIn(link["tab"], tabs[run["kind"]], path)
                self.assertLessEqual(set(link["params"]), PARAMETERS[link["tab"]], (path, link))
                if link["params"].get("regex"):
                    rows = self.shelf.ask("GET", f"/runs/{run['id']}/{'kernels' if link['tab'] == 'kernels' else 'operators'}?" +
                                          urllib.parse.urlencode(link["params"] | {"limit": 1}))
                    self.assertGreater(rows["total"], 0, (path, link))


if __name__ == "__main__":
    unittest.main()
