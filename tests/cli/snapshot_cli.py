# SPDX-License-Identifier: MIT
"""Memory snapshots of PyTorch on the command line, with the samples of tests/golden/torch_memory."""
import json
import os

from program import ROOT, ShelfTest

SAMPLES = os.path.join(ROOT, "tests", "golden", "torch_memory")


class Snapshots(ShelfTest):
    def setUp(self):
        super().setUp()
        self.run_of = {name: self.json("add", os.path.join(SAMPLES, name))["id"] for name in ("ok_mini_p4.pickle", "ok_oom.pickle", "ok_empty.pickle")}

    def test_the_peak_and_who_holds_it(self):
        said = self.ok("show", self.run_of["ok_mini_p4.pickle"])
        self.assertIn("1.07 KiB peak allocated", said)
        self.assertIn("Memory peaks at 1.07 KiB on GPU 0.", said)
        self.assertIn("model.py:12 holds the most, 1000 B", said)

    def test_memory_without_a_stack_that_is_more_than_any_stack_is_said_first(self):
        stack = [{"name": "forward", "filename": "model.py", "line": 3}]
        for sizes, expected in (((4096, 2048, 1024), "4.00 KiB of the allocated memory has no Python stack. model.py:3 holds the most of the rest, 3.00 KiB in 2 allocations."),
                                ((4096, 64, 64), "4.00 KiB of the allocated memory has no Python stack. No stack holds more than 5 %."),
                                ((4096,), "The memory has no Python stack."),
                                ((1024, 2048, 1024), "model.py:3 holds the most, 3.00 KiB in 2 allocations.")):
            events = [{"action": "alloc", "addr": 65536 * (i + 1), "size": size, "stream": 0, "frames": stack if i else []} for i, size in enumerate(sizes)]
            path = self.file("stacks.json", json.dumps({"segments": [], "device_traces": [events]}).encode())
            self.assertIn(expected, self.ok("show", self.json("add", path)["id"]))

    def test_bytes_are_not_shown_as_a_time(self):
        said = self.ok("show", self.run_of["ok_mini_p4.pickle"])
        self.assertNotRegex(said, r"(?m)^(span_ns|weight|value_scale|origin_us|kernels) ")
        self.assertRegex(said, r"(?m)^tool +PyTorch$")

    def test_an_export_without_folders(self):
        path, bundle = os.path.join(self.folder, "m.json"), os.path.join(self.folder, "m.perfshelf")
        stack = [{"name": "forward", "filename": "/home/ana/secret/model.py", "line": 3}]
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"segments": [], "device_traces": [[{"action": "alloc", "addr": 4096, "size": 2048, "stream": 0, "frames": stack}]]}, file)
        run = self.json("add", path)["id"]
        self.assertEqual(self.json("sql", run, "SELECT DISTINCT file FROM memory_stacks"), [{"file": "/home/ana/secret/model.py"}])
        self.ok("export", run, "--redact", "all", "--force", "-o", bundle)
        copy = self.json("add", bundle)["id"]
        self.assertNotEqual(copy, run)
        [row] = self.json("sql", copy, "SELECT DISTINCT file FROM memory_stacks")
        self.assertTrue(row["file"].endswith("model.py"))
        for text in (row["file"], self.ok("show", copy)):
            self.assertNotIn("ana", text)
            self.assertNotIn("secret", text)
        self.assertIn("model.py:3 holds the most, 2.00 KiB in 1 allocation", self.ok("show", copy))

    def test_the_summary_has_bytes(self):
        said = self.ok("show", self.run_of["ok_mini_p4.pickle"])
        self.assertRegex(said, r"(?m)^peak_live_bytes +1\.07 KiB$")
        self.assertRegex(said, r"(?m)^live_end_bytes +1\.03 KiB$")
        self.assertRegex(self.ok("show", self.run_of["ok_oom.pickle"]), r"(?m)^ooms +1$")

    def test_a_failed_allocation(self):
        said = self.ok("show", self.run_of["ok_oom.pickle"])
        self.assertIn("An allocation of 4.00 KiB failed on GPU 0: the driver had 512 B free.", said)
        self.assertIn("PyTorch had reserved 16.0 KiB, of which 8.19 KiB were not in use; the largest hole was 1.00 KiB.", said)
        self.assertRegex(said, r"8\.19 KiB +0 to 8\.19 KiB  Reserved memory that no allocation used: 16\.0 KiB reserved in 1 segment, largest hole 1\.00 KiB")
        self.assertRegex(said, r"7\.81 KiB +100\.0 % +model\.py:12: 8 allocations, live for 16 events \(median\)")
        self.assertNotIn("thread", said)

    def test_memory_without_a_stack_saves_nothing(self):
        self.assertRegex(self.ok("show", self.run_of["ok_mini_p4.pickle"]), r"(?m)^ *100 B +9\.1 % +\(no Python stack\)")

    def test_an_empty_snapshot(self):
        self.assertIn("No memory was measured.", self.ok("show", self.run_of["ok_empty.pickle"]))

    def test_two_snapshots_by_function_and_peak(self):
        self.assertIn("forward (model.py)", self.ok("diff", self.run_of["ok_mini_p4.pickle"], self.run_of["ok_oom.pickle"], "--of", "functions"))
        said = self.ok("diff", self.run_of["ok_mini_p4.pickle"], self.run_of["ok_oom.pickle"], "--of", "memory")
        self.assertRegex(said, r"(?m)1\.07 KiB +16\.1 KiB .*peak")

    def test_two_snapshots_by_stack(self):
        mini, oom = self.run_of["ok_mini_p4.pickle"], self.run_of["ok_oom.pickle"]
        said = self.ok("diff", mini, oom)
        self.assertIn("GPU 0: The peak is higher. +14.6 KiB in 1 stack; 100 B → 0 B without a Python stack. "
                      "Largest change: forward model.py:12 +14.6 KiB.", said)
        self.assertRegex(said, r"(?m)^ *base +new +change +of base +count +verdict +stack$")
        self.assertRegex(said, r"(?m)^ *1000 B +15\.6 KiB +\+14\.6 KiB +\+1500\.0 % +1 → 16 +more +forward model\.py:12 from <module> train\.py:3$")
        self.assertRegex(said, r"(?m)^ *100 B +0 B +-100 B +-100\.0 % +1 → 0 +gone +memory without a Python stack$")
        self.assertRegex(said, r"(?m)^ *1\.07 KiB +15\.6 KiB +\+14\.6 KiB +\+1354\.5 % +all, live at the peaks$")

    def test_the_changes_of_all_stacks_are_that_of_the_peak(self):
        mini, oom = self.run_of["ok_mini_p4.pickle"], self.run_of["ok_oom.pickle"]
        said = self.json("diff", mini, oom, "--of", "stacks")
        self.assertEqual([said[key] for key in ("of", "metric", "per", "unit")], ["stacks", "live", "run", "B"])
        self.assertEqual(sum(row["change"] for row in said["rows"]), 16000 - 1100)
        self.assertEqual({row["verdict"] for row in said["rows"] if row["base_stack"] is None and row["new_stack"] is None}, {"gone"})
        self.assertEqual(said["headline"]["base"]["median"], 1100)

    def test_growth_of_functions_over_a_series(self):
        runs = [self.run_of[name] for name in ("ok_mini_p4.pickle", "ok_oom.pickle")]
        for run in runs:
            self.ok("edit", run, "--series", "train")
        growth = self.json("trend", "train", "--of", "functions")
        peaks = [self.json("show", run)["headline"]["value"] for run in runs]  # of all GPUs
        self.assertEqual((growth["unit"], growth["sum"]["first"], growth["sum"]["last"]), ("B", *peaks))
        self.assertEqual(sum(row["delta"] for row in growth["rows"]), peaks[1] - peaks[0])
        [row] = [row for row in growth["rows"] if row["name"].startswith("forward")]
        self.assertEqual(row["values"], [point["value"] for point in self.json("trend", "train", "--of", "functions", "--row", row["name"])["points"]])

    def test_equal_snapshots(self):
        oom = self.run_of["ok_oom.pickle"]
        said = self.ok("diff", oom, oom)
        self.assertIn("The peaks are equal. No stack changed.", said)
        self.assertNotIn("verdict", said)

    def test_stacks_have_no_metric(self):
        mini, oom = self.run_of["ok_mini_p4.pickle"], self.run_of["ok_oom.pickle"]
        said = self.fails("diff", mini, oom, "--of", "stacks", "--metric", "peak")
        self.assertIn("the stacks of memory snapshots have no --metric", said)
        self.assertIn("--of functions", said)

    def test_a_budget(self):
        self.ok("check", self.run_of["ok_mini_p4.pickle"], "--budget", "memory.peak=2KiB")
        self.assertEqual(self.run_verb("check", self.run_of["ok_mini_p4.pickle"], "--budget", "memory.peak=1KiB").returncode, 1)

    def test_addresses_of_64_bits_are_never_negative(self):
        high = 0xff00 << 48
        block = {"address": high, "size": 2048, "requested_size": 2048, "state": "active_allocated", "frames": []}
        segment = {"device": 0, "address": high, "total_size": 4096, "stream": 0, "segment_type": "small",
                   "blocks": [block, dict(block, address=high + 2048, requested_size=0, state="inactive")]}
        low = dict(segment, address=4096, blocks=[dict(block, address=4096), dict(block, address=6144, requested_size=0, state="inactive")])
        event = {"action": "alloc", "addr": high, "size": 2048, "stream": 0, "frames": []}
        run = self.json("add", self.file("high.json", json.dumps({"segments": [segment, low], "device_traces": [[event]]}).encode()))["id"]
        for view, want in (("memory_events", [str(high)]), ("memory_segments", [4096, str(high)]),
                           ("memory_blocks", [4096, 6144, str(high), str(high + 2048)]), ("memory_allocations", [4096, str(high)])):
            rows = self.json("sql", run, f"SELECT DISTINCT address FROM {view} ORDER BY address")
            self.assertEqual([row["address"] for row in rows], want, view)

    def test_the_views(self):
        run = self.run_of["ok_oom.pickle"]
        self.assertEqual(self.json("sql", run, "SELECT device, oom_event, oom_bytes, oom_free FROM memory_devices WHERE ooms"),
                         [{"device": 0, "oom_event": 33, "oom_bytes": 4096, "oom_free": 512}])
        self.assertEqual(self.json("sql", run, "SELECT pending FROM memory_allocations WHERE device = 1"), [{"pending": 1}])
        self.assertEqual(self.json("sql", run, "SELECT b.state, count(*) AS n FROM memory_blocks b JOIN memory_segments s USING (segment) "
                                               "WHERE s.type = 'large' GROUP BY 1"),
                         [{"state": "active_allocated", "n": 8}, {"state": "active_pending_free", "n": 1}, {"state": "inactive", "n": 9}])
        self.assertEqual(self.json("sql", run, "SELECT kind, max(bytes) AS bytes FROM memory WHERE device = 'device 0' GROUP BY kind"),
                         [{"kind": "allocated", "bytes": 16000}, {"kind": "reserved", "bytes": 16384}])
