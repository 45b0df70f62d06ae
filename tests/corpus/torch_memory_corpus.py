# SPDX-License-Identifier: MIT
"""PyTorch's memory snapshots of the corpus: all sums, the live bytes at 20 events and the owners of the peak equal what a reader of the whole
pickle computes (corpus/tools/oracle_torch_memory.py); damaged and hostile files are refused."""
import collections
import csv
import functools
import gzip
import json
import os
import unittest

from corpus import CORPUS, CorpusTest, Shelf, has, needs, paths, sha256

FOLDER = os.path.join("wild2", "torch-memory")
BAD = os.path.join("wild2", "bad", "torch-memory")
MANIFEST = os.path.join("wild2", "bad", "MANIFEST-a.tsv")


def oracle(path):
    stem = path.removesuffix(".gz")
    for name, opener in ((stem + ".oracle.json", open), (stem + ".oracle.json.gz", gzip.open)):
        if os.path.exists(name):
            with opener(name, "rt") as file:
                return json.load(file)
    raise AssertionError(f"{path} has no oracle")


@functools.cache
def snapshot_shelf():
    shelf = Shelf()
    shelf.add(paths(FOLDER))
    return shelf


class Snapshots(CorpusTest):
    fill = staticmethod(snapshot_shelf)

    def each_device(self):
        for path in paths(FOLDER):
            known = oracle(path)
            sums = {str(row["device"]): row for row in self.shelf.sql(path, "SELECT * FROM memory_devices")}
            self.assertEqual(set(sums), set(known["devices"]), path)
            for device, numbers in known["devices"].items():
                with self.subTest(os.path.basename(path), device=device):
                    yield path, int(device), numbers, sums[device]

    def test_all_are_read(self):
        self.assertEqual(self.shelf.refused, {})
        for path in paths(FOLDER):
            self.assertEqual(self.shelf.of(path)["kind"], "torch-memory")

    def test_sums_of_blocks(self):
        for _, _, known, row in self.each_device():
            for key in ("segments", "reserved", "allocated", "requested", "rounding", "free", "inactive_split", "events"):
                self.assertEqual(row[key], known[key], key)
            self.assertEqual(row["largest_free"], known["largest_free_block"])
            self.assertAlmostEqual(row["fragmentation"], known.get("fragmentation", 0), delta=1e-12)
            self.assertEqual(row["pending"], known["block_bytes"].get("active_pending_free", 0))

    def test_blocks_and_segments(self):
        for path, device, known, _ in self.each_device():
            rows = self.shelf.sql(path, f"SELECT state, count(*) AS n, sum(bytes) AS bytes FROM memory_blocks WHERE device = {device} GROUP BY state")
            self.assertEqual({row["state"]: row["n"] for row in rows}, known["blocks"])
            self.assertEqual({row["state"]: row["bytes"] for row in rows}, known["block_bytes"])
            rows = self.shelf.sql(path, "SELECT address, bytes, allocated, active, requested, stream, type, blocks FROM memory_segments "
                                        f"WHERE device = {device} ORDER BY bytes DESC, address LIMIT 20")
            for row, want in zip(rows, known["largest_segments"], strict=True):
                stream = row["stream"] and self.shelf.sql(path, f"SELECT pointer FROM snapshot_stream WHERE id = {row['stream']}")[0]["pointer"]
                self.assertEqual([row["address"] % 2**64, row["bytes"], row["allocated"], row["active"], row["requested"], stream % 2**64, row["type"],
                                  row["blocks"]], want)

    def test_sums_of_the_trace(self):
        for path, device, known, row in self.each_device():
            if not known["events"]:
                self.assertEqual((row["ooms"], row["peak_event"], row["live_before"]), (0, None, row["peak_live"]))
                continue
            self.assertEqual([row["before_count"], row["live_before"]], known["alive_before"])
            self.assertEqual(row["peak_live"], known["peak_live"])
            self.assertEqual(-1 if row["peak_event"] is None else row["peak_event"], known["peak_index"])
            self.assertEqual(row["live_end"], known["final_live"])
            self.assertEqual(row["reserved_before"], known["reserved_before"])
            self.assertEqual(row["peak_reserved"], known["peak_reserved"])
            if "time_us" in known:
                self.assertEqual([row["first_us"], row["last_us"]], known["time_us"])
            oom = self.shelf.sql(path, f"SELECT event, bytes, address FROM memory_events WHERE device = {device} AND action = 'oom' ORDER BY event")
            self.assertEqual([[o["event"], o["bytes"], o["address"]] for o in oom], known["oom"])
            self.assertEqual(row["ooms"], len(known["oom"]))
            actions = self.shelf.sql(path, f"SELECT action, count(*) AS n FROM memory_events WHERE device = {device} GROUP BY action")
            self.assertEqual({a["action"]: a["n"] for a in actions}, known["actions"])

    def test_live_bytes_at_20_events(self):
        for path, device, known, _ in self.each_device():
            for event, live in known.get("live_at", []):
                rows = self.shelf.sql(path, f"SELECT allocated FROM memory_events WHERE device = {device} AND event = {event}")
                self.assertEqual([row["allocated"] for row in rows], [live], event)
                rows = self.shelf.sql(path, f"SELECT sum(bytes) AS bytes FROM memory_allocations WHERE device = {device} "
                                            f"AND coalesce(start_event, -1) <= {event} AND (end_event IS NULL OR end_event > {event})")
                self.assertEqual(rows[0]["bytes"] or 0, live, event)

    def test_levels_of_detail(self):
        for path, device, known, _ in self.each_device():
            events = collections.defaultdict(list)
            for row in self.shelf.sql(path, f"SELECT event, allocated, reserved FROM memory_events WHERE device = {device}"):
                events[row["event"] // 1024].append((row["allocated"], row["reserved"]))
            rows = self.shelf.sql(path, f"SELECT * FROM memory_levels WHERE device = {device}")
            self.assertEqual(len(rows), len(events))
            for row in rows:
                live, reserved = zip(*events[row["first_event"] // 1024])
                self.assertEqual((row["live_min"], row["live_max"], row["live_last"]), (min(live), max(live), live[-1]))
                self.assertEqual((row["reserved_max"], row["reserved_last"]), (max(reserved), reserved[-1]))
                self.assertEqual(live[row["live_max_event"] - row["first_event"]], row["live_max"])

    def stack_text(self, stacks, stack):
        parts = []
        while stack:
            row = stacks[stack]
            self.assertFalse(row["hidden"])
            parts.append(f"{row['file']}:{row['line'] or 0}:{row['function']}")
            stack = row["parent"]
        return ";".join(parts)

    def test_owners_of_the_peak(self):
        for path, device, known, row in self.each_device():
            stacks = {row["stack"]: row for row in self.shelf.sql(path, "SELECT * FROM memory_stacks")}
            owners = self.shelf.sql(path, f"SELECT stack, bytes, count FROM memory_owners WHERE device = {device}")
            self.assertEqual(sum(owner["bytes"] for owner in owners), row["peak_live"])
            if not known["events"]:
                continue
            self.assertEqual(len(owners), known["stacks_at_peak"])
            named = sorted(([owner["bytes"], owner["count"], self.stack_text(stacks, owner["stack"])] for owner in owners),
                           key=lambda owner: (-owner[0], owner[2]))
            self.assertEqual(named[:20], known["top_stacks_at_peak"])

    def test_the_flame_is_the_live_set_at_the_peak(self):
        for path in paths(FOLDER):
            peaks = self.shelf.sql(path, "SELECT coalesce(sum(peak_live), 0) AS bytes FROM memory_devices")[0]["bytes"]
            total = self.shelf.sql(path, "SELECT coalesce(sum(self), 0) AS bytes FROM nodes")[0]["bytes"]
            self.assertEqual((total, self.shelf.sql(path, "SELECT headline_value AS v FROM run")[0]["v"]), (peaks, peaks), path)

    def test_settings_and_annotations(self):
        for path in paths(FOLDER):
            known = oracle(path)
            header = self.shelf.sql(path, "SELECT v FROM meta WHERE k = 'header.allocator_settings'")
            settings = json.loads(header[0]["v"]) if header else {}
            settings.pop("roundup_power2_divisions", None)
            self.assertEqual(settings, known["allocator_settings"], path)
            marks = self.shelf.sql(path, "SELECT t.text AS name, count(*) AS n FROM snapshot_mark m JOIN snapshot_text t ON t.id = m.name "
                                         "WHERE NOT m.ends GROUP BY 1 ORDER BY 2 DESC")
            self.assertEqual(sum(mark["n"] for mark in marks), known["annotations"][1].get("START", 0), path)
            names = {mark["name"]: mark["n"] for mark in marks}
            for name, n in known["annotation_names"].items():
                self.assertEqual(names[name], n, path)


@needs(MANIFEST)
class BadSnapshots(unittest.TestCase):
    def test_manifest(self):
        with open(os.path.join(CORPUS, MANIFEST), encoding="utf-8") as file:
            rows = [row for row in csv.reader(file, delimiter="\t") if row and row[0].startswith("torch-memory/") and has(os.path.join("wild2", "bad", row[0]))]
        self.assertTrue(rows)
        for name, _, _, must, why in rows:
            with self.subTest(name, why=why):
                path = os.path.join(CORPUS, "wild2", "bad", name)
                if sha256(path) in {sha256(good) for good in paths(FOLDER)}:
                    continue  # bad_utf8.pickle of one edition is a copy of a good file; tests/golden/torch_memory/ok_odd.pickle has such a text
                shelf = Shelf()
                shelf.add([path])
                if must == "reject":
                    self.assertIn(path, shelf.refused)
                    self.assertNotIn("crashed", shelf.refused[path])
                    continue
                self.assertEqual(shelf.of(path)["kind"], "torch-memory")
                notes = shelf.sql(path, "SELECT severity, what FROM notes WHERE severity <> 'info'")
                self.assertEqual(any(note["severity"] in ("repaired", "rejected") for note in notes), must == "partial", notes)


if __name__ == "__main__":
    unittest.main()
