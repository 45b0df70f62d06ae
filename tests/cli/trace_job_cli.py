#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Several traces of one job become one run: its workers side by side, the same numbers as each alone."""
import os
import subprocess
import sys
import tarfile
import unittest
import zipfile

from program import ROOT, ShelfTest

MAKE = os.path.join(ROOT, "tests", "bench", "make_trace.py")
OPERATORS = "SELECT name, kind, calls, self_cpu_us, self_device_us, device_total_us, self_device_bytes FROM operators ORDER BY 1, 2"


class Job(ShelfTest):
    def traces(self, folder="job"):
        """Three ranks of 4,000 events."""
        os.makedirs(os.path.join(self.folder, folder), exist_ok=True)
        paths = [os.path.join(self.folder, folder, f"host_47{rank}.{time}.pt.trace.json{'.gz' if rank else ''}")
                 for rank, time in enumerate(("1727759448000", "0", "9876543210"))]
        for rank, path in enumerate(paths):
            subprocess.run([sys.executable, MAKE, "4000", path, "--seed", str(rank), "--rank", str(rank + 4), "--depth", "3"], check=True)
        return paths

    def sums(self, runs):
        """The operators of several runs, added up."""
        rows = {}
        for run in runs:
            for row in self.json("sql", run, OPERATORS):
                key, values = (row["name"], row["kind"]), [v or 0 for k, v in row.items() if k not in ("name", "kind")]
                rows[key] = [a + b for a, b in zip(rows.get(key, [0] * len(values)), values)]
        return {key: [round(v, 3) for v in values] for key, values in rows.items()}

    def test_a_folder_is_one_run(self):
        paths = self.traces()
        job = self.json("add", os.path.dirname(paths[0]))
        self.assertEqual((job["kind"], job["name"]), ("torch-trace", "job"))
        alone = [self.json("add", path)["id"] for path in paths]
        self.assertEqual(self.sums([job["id"]]), self.sums(alone))
        self.assertEqual(job["rows"], sum(run["rows"] for run in self.json("list") if run["id"] in alone))

    def test_whose_they_are(self):
        self.traces()
        job = self.json("add", os.path.join(self.folder, "job"))["id"]
        workers = self.json("sql", job, "SELECT worker, count(*) AS n FROM steps GROUP BY 1 ORDER BY 1")
        self.assertEqual([row["worker"] for row in workers], [0, 1, 2])
        names = self.json("sql", job, "SELECT v FROM meta WHERE k LIKE 'worker.%.name' ORDER BY k")
        self.assertEqual([row["v"] for row in names], ["host_470", "host_471", "host_472"])
        ranks = self.json("sql", job, "SELECT v FROM meta WHERE k LIKE 'worker.%.rank' ORDER BY k")
        self.assertEqual([row["v"] for row in ranks], ["4", "5", "6"])

    def test_memory_is_of_a_worker(self):
        """Addresses repeat from worker to worker: what was held is told apart by whose it is."""
        paths = self.traces()
        job = self.json("add", os.path.dirname(paths[0]))["id"]
        held = "SELECT count(*) AS n, sum(bytes) AS bytes, max(allocated) AS most FROM memory_events"
        alone = [self.json("sql", self.json("add", path)["id"], held)[0] for path in paths]
        self.assertEqual(self.json("sql", job, f"{held} GROUP BY worker ORDER BY worker"), alone)

    def test_slices_know_each_other(self):
        """Every kernel lies behind its launch, on its own worker, whatever the ids in the files."""
        self.traces()
        job = self.json("add", os.path.join(self.folder, "job"))["id"]
        wrong = self.json("sql", job, "SELECT count(*) AS n FROM slices k LEFT JOIN slices l ON l.id = k.launch_id "
                          "WHERE k.kind = 6 AND (l.name IS NOT 'cudaLaunchKernel' OR l.start_ns > k.start_ns)")
        self.assertEqual(wrong, [{"n": 0}])
        far = self.json("sql", job, "SELECT count(*) AS n FROM slices k JOIN track t ON t.id = k.track JOIN process p ON p.id = t.process "
                        "JOIN slices o ON o.id = k.operator_id JOIN track u ON u.id = o.track JOIN process q ON q.id = u.process "
                        "WHERE k.kind = 6 AND p.worker != q.worker")
        self.assertEqual(far, [{"n": 0}])

    def test_merged_and_zipped_are_the_same(self):
        paths = self.traces()
        merged = self.json("add", "--merge", *paths)
        packed = os.path.join(self.folder, "job.zip")
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("README.txt", "no trace")
            for path in paths:
                archive.write(path, os.path.basename(path))
        zipped = self.json("add", packed)
        self.assertEqual(self.sums([merged["id"]]), self.sums([zipped["id"]]))
        notes = self.json("sql", zipped["id"], "SELECT what FROM notes WHERE what LIKE '%skipped%'")
        self.assertIn({"what": "README.txt is not a trace and was skipped"}, notes)

    def test_an_archive_of_other_things(self):
        packed = os.path.join(self.folder, "other.zip")
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("a.txt", "nothing")
        self.assertIn("this archive contains no profile: a.txt: ", self.fails("add", packed))
        with open(packed, "rb") as file:
            cut = self.file("cut.zip", file.read()[:40])
        self.fails("add", cut)
        with zipfile.ZipFile(packed, "w") as archive:
            archive.write(self.traces()[0], "one.json")
        self.assertIn("contains only one file; unpack the archive and add that file", self.fails("add", packed))
        self.assertEqual(self.json("list"), [])


class Perfetto(ShelfTest):
    """The .pftrace of several ranks are one job, like the JSON of the same recordings."""
    SLICES = "SELECT w.worker, s.name, s.kind, s.start_ns, s.duration_ns FROM slices s JOIN track t ON t.id = s.track JOIN process w ON w.id = t.process ORDER BY 1, 4, 5, 2"

    def ranks(self, ending, folder, name="rank"):
        """Two ranks; the second is another model, so that they differ."""
        os.makedirs(os.path.join(self.folder, folder), exist_ok=True)
        paths = []
        for rank, case in enumerate(("none_mlp", "none_lstm")):
            paths.append(os.path.join(self.folder, folder, f"{name}{rank}.{ending}"))
            source = os.path.join(ROOT, "tests", "causes", "torch", f"{case}.trace.json.gz")
            subprocess.run([sys.executable, os.path.join(ROOT, "tests", "made_pftrace.py"), source, paths[-1]], check=True)
        return paths

    def pack(self, name, paths):
        packed = os.path.join(self.folder, name)
        with (zipfile.ZipFile(packed, "w") if name.endswith(".zip") else tarfile.open(packed, "w")) as archive:
            for path in paths:
                (archive.write if name.endswith(".zip") else archive.add)(path, os.path.basename(path))
        return packed

    def check(self, job, expected):
        """The job is one run, which is removed, so that the next one is imported anew."""
        slices = self.json("sql", job["id"], self.SLICES)
        self.assertEqual({row["worker"] for row in slices}, {0, 1})
        self.assertEqual(slices, expected)
        self.assertEqual([run["kind"] for run in self.json("list")], ["torch-trace"])
        self.ok("rm", job["id"])

    def test_every_way_is_one_run(self):
        json = self.json("add", "--merge", *self.ranks("json", "json"))["id"]
        expected = self.json("sql", json, self.SLICES)
        self.ok("rm", json)
        paths = self.ranks("pftrace", "ranks")
        for name in ("a.tar", "a.zip"):
            with self.subTest(name):
                self.check(self.json("add", self.pack(name, paths)), expected)
        self.check(self.json("add", os.path.dirname(paths[0])), expected)
        self.check(self.json("add", "--merge", *paths), expected)
        self.check(self.json("add", "--merge", self.ranks("json", "mixed")[0], paths[1]), expected)

    def test_files_without_a_rank_are_runs_of_their_own(self):
        paths = self.ranks("pftrace", "alone", "take")
        self.ok("add", os.path.dirname(paths[0]))
        self.assertEqual(len(self.json("list")), 2)


if __name__ == "__main__":
    unittest.main()
