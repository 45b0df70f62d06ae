#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kernels of replayed graphs get the operator that recorded them, or none: on made traces, no kernel gets a wrong one."""
import json
import os
import re
import unittest

from program import ShelfTest

import made_graphs

REPLAYED = """SELECT s.flags & 512 > 0 AS by_order, s.flags & 1024 > 0 AS by_node, json_extract(s.args, '$.truth') AS truth,
                      s.operator_id > 0 AS known, json_extract(o.args, '$."Ev Idx"') AS found
               FROM slices s LEFT JOIN slices o ON o.id = s.operator_id WHERE s.flags & 256"""
# forms of the traces, how calls are found, least share of slices that must have an operator
FORMS = (
    (("names",), "order", 1.0), (("names", "pieces"), "order", 1.0), (("names", "extra"), "order", 1.0), (("names", "outer"), "order", 1.0),
    (("names", "lost"), "order", 0.6), (("names", "streams"), "order", 0.5), (("names", "streams", "pieces", "lost"), "order", 0.4),
    (("nodes",), "node", 1.0), (("nodes", "names"), "node", 1.0), (("nodes", "pieces"), "node", 1.0), (("nodes", "streams"), "node", 1.0),
    (("nodes", "lost"), "node", 0.9), (("nodes", "pieces", "streams", "lost"), "node", 0.9), (("nodes", "outer"), "node", 1.0),
    ((), "order", 1.0), (("pieces",), "order", 1.0), (("streams",), "order", 0.0), (("lost",), "order", 0.3),
)


class Graphs(ShelfTest):
    def trace(self, name, events):
        path = os.path.join(self.folder, name)
        made_graphs.write(path, events)
        return path

    def replayed(self, run, n):
        """The slices of graphs; those with an operator must have the right one."""
        rows = self.json("sql", run["id"], REPLAYED)
        self.assertEqual(len(rows), n)
        for row in rows:
            self.assertEqual(bool(row["known"]), bool(row["by_order"] or row["by_node"]))
            if row["known"]:
                self.assertEqual(row["found"], row["truth"])
        return rows

    def check(self, run, n, how, least):
        rows = self.replayed(run, n)
        known = [row for row in rows if row["known"]]
        self.assertGreaterEqual(len(known) / n, least)
        self.assertTrue(all(row[f"by_{how}"] for row in known))
        return len(known)

    def test_capture_and_replay_in_two_files(self):
        for seed, (forms, how, least) in enumerate(FORMS):
            with self.subTest(forms):
                capture, replay, n, _ = made_graphs.make(seed, forms)
                files = self.trace(f"c{seed}.json", capture), self.trace(f"r{seed}.json", replay)
                both = [self.check(self.json("add", "--merge", *order), n, how, least) for order in (files, files[::-1])]
                self.assertEqual(*both)

    def test_capture_and_replay_in_one_file(self):
        for seed, (forms, how, least) in enumerate(FORMS):
            with self.subTest(forms):
                capture, replay, n, _ = made_graphs.make(100 + seed, forms)
                self.check(self.json("add", self.trace(f"b{seed}.json", capture + replay)), n, how, least)

    def test_the_run_is_that_of_the_replay(self):
        capture, replay, n, _ = made_graphs.make(7)
        alone = self.json("add", self.trace("alone.json", replay))["id"]
        merged = self.json("add", "--merge", self.trace("c.json", capture), self.trace("r.json", replay))["id"]
        steps = "SELECT name, start_ns, duration_ns, worker FROM steps ORDER BY 1, 2"
        self.assertEqual(self.json("sql", merged, steps), self.json("sql", alone, steps))
        for key in ("span_ns", "gpu_busy", "kernels", "steps", "devices", "replayed_ns", "workers"):
            numbers = [self.json("sql", run, f"SELECT v FROM meta WHERE k = '{key}'") for run in (alone, merged)]
            self.assertEqual(numbers[0], numbers[1], key)
        self.assertIn("perfshelf add --merge", json.dumps(self.json("sql", alone, "SELECT what FROM notes")))
        self.assertEqual(self.json("sql", merged, "SELECT count(*) AS n FROM slices WHERE kind = 6 AND start_ns >= 0"), [{"n": n}])

    def test_costs_count_for_each_replay(self):
        capture, replay, n, flops = made_graphs.make(9)
        run = self.json("add", "--merge", self.trace("c9.json", capture), self.trace("r9.json", replay))["id"]
        sums = self.json("sql", run, "SELECT sum(self_device_us) AS us FROM operators WHERE name LIKE '%::%' AND name <> 'aten::fill_'")
        kernels = self.json("sql", run, "SELECT sum(duration_ns) / 1e3 AS us FROM slices WHERE flags & 256")
        self.assertAlmostEqual(sums[0]["us"], kernels[0]["us"], places=3)
        self.assertEqual(self.json("sql", run, "SELECT flops FROM operators WHERE name = 'aten::mm'"), [{"flops": flops}])

    def test_another_shelf_accepts_a_redacted_run(self):
        for forms, how in ((("names",), "order"), (("nodes",), "node")):
            capture, replay, n, _ = made_graphs.make(10, forms)
            run = self.json("add", "--merge", self.trace("c10.json", capture), self.trace("r10.json", replay))["id"]
            bundle = os.path.join(self.folder, "redacted.perfshelf")
            self.ok("export", run, "--redact", "paths", "--force", "-o", bundle)
            flags = "SELECT sum(flags & 256 > 0) AS replayed, sum(flags & 512 > 0) AS by_order, sum(flags & 1024 > 0) AS by_node FROM slices"
            was = self.json("sql", run, flags)
            self.assertEqual((was[0]["replayed"], was[0][f"by_{how}"]), (n, n))
            other = os.path.join(self.folder, how)
            there = self.json("add", bundle, "--data", other)["id"]
            self.assertEqual(self.json("sql", there, flags, "--data", other), was)

    def test_another_process_has_other_graphs(self):
        capture, replay, n, _ = made_graphs.make(11)
        for event in capture:
            event["pid"] = event["pid"] and 101
        run = self.json("add", "--merge", self.trace("c11.json", capture), self.trace("r11.json", replay))
        self.assertEqual(self.check(run, n, "order", 0.0), 0)

    def test_batches_that_were_not_captured(self):
        """A step for more requests than each capture has room for replays none of them."""
        capture, replay, n, _ = made_graphs.make(13)
        for event in replay:
            event["name"] = re.sub(r"generation_.*", "generation_64(64)", event["name"])
        run = self.json("add", "--merge", self.trace("c13.json", capture), self.trace("r13.json", replay))
        self.assertEqual(self.check(run, n, "order", 0.0), 0)


if __name__ == "__main__":
    unittest.main()
