# SPDX-License-Identifier: MIT
"""Profiles of XLA (*.xplane.pb): the log folder of JAX, several hosts as one run, and the same recording as JSON."""
import io
import os
import sys
import tarfile
import zipfile

from program import ROOT, ShelfTest

sys.path.insert(0, os.path.join(ROOT, "tests"))
import made_xla  # noqa: E402
from made_xplane import Plane, Ref, environment, space  # noqa: E402

US = 1_000_000  # ps
START = 1_700_000_000_000_000_000


def host(name, start_ns=START, tenth=False):
    """A step of 100 us with an operator of 60 us, 10 us after the recording began; `tenth`: the operator takes 0.1 ns more."""
    plane = Plane("/host:CPU")
    plane.line(1, "python", 10_000, plane.event("train", 0, 100 * US, step_num=3))
    plane.line(2, "tf_XLAEigen/2", 10_000, plane.event("dot", 20 * US, 60 * US + 100 * tenth, hlo_op=Ref("dot"), hlo_module=Ref("jit_f")))
    return space(plane, environment(start_ns), hosts=[name])


class XPlane(ShelfTest):
    def test_a_recording_is_imported_once(self):
        """JAX writes it up to three times; the .pb has more digits and the links between threads."""
        session = "log/plugins/profile/2026_11_29_10_00_00"
        self.file(f"{session}/vm.xplane.pb", host("vm"))
        for name in ("vm.trace.json.gz", "perfetto_trace.json.gz"):
            self.file(f"{session}/{name}", made_xla.recording(made_xla.step(0, 0, 300)) + bytes(len(name)))
        self.file(f"{session}/vm.SSTABLE", b"cache")
        added = self.run_verb("add", f"{self.folder}/log")
        self.assertEqual([line.split()[1:3] for line in added.stdout.decode().splitlines()], [["xla-trace", "vm.xplane.pb"]])
        said = [line.rpartition("/")[2] for line in added.stderr.decode().splitlines() if "skipped" in line]
        self.assertEqual(sorted(said), ["perfetto_trace.json.gz: skipped: the same recording as vm.xplane.pb",
                                        "vm.trace.json.gz: skipped: the same recording as vm.xplane.pb"])
        self.assertNotIn(b"SSTABLE", added.stderr)

    def hosts(self):
        """Two hosts, of which the second began 5 us later. Their names are addresses."""
        return {"10.0.0.1.xplane.pb": host("10.0.0.1"), "10.0.0.2.xplane.pb": host("10.0.0.2", START + 5_000),
                "10.0.0.1.trace.json.gz": made_xla.recording(made_xla.step(0, 0, 300))}

    def check_job(self, run):
        run = self.json("show", run)
        self.assertEqual((run["kind"], run["summary"]["workers"], run["summary"]["steps"]), ("xla-trace", 2, 2))
        rows = self.json("sql", run["id"], "SELECT start_ns FROM slices WHERE name = 'train' ORDER BY start_ns")
        self.assertEqual([row["start_ns"] for row in rows], [0, 5_000])
        rows = self.json("sql", run["id"], "SELECT v FROM meta WHERE k LIKE 'worker.%.name' ORDER BY k")
        self.assertEqual([row["v"] for row in rows], ["10.0.0.1", "10.0.0.2"])

    def test_hosts_of_a_folder_are_one_run(self):
        for name, content in self.hosts().items():
            self.file(f"log/plugins/profile/session/{name}", content)
        added = self.run_verb("add", f"{self.folder}/log")
        lines = added.stdout.decode().splitlines()
        self.assertEqual([line.split()[1:3] for line in lines], [["xla-trace", "session"]])
        self.check_job(lines[0].split()[0])

    def test_hosts_of_an_archive_are_one_run(self):
        tar, zipped = io.BytesIO(), io.BytesIO()
        with tarfile.open(fileobj=tar, mode="w:gz") as archive:
            for name, content in self.hosts().items():
                entry = tarfile.TarInfo(f"plugins/profile/session/{name}")
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
        with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in self.hosts().items():
                archive.writestr(name, content)
        for name, content in (("log.tgz", tar.getvalue()), ("log.zip", zipped.getvalue())):
            added = self.run_verb("add", self.file(name, content)).stdout.decode().splitlines()
            self.assertEqual(len(added), 1, name)
            self.check_job(added[0].split()[0])

    def test_hosts_are_merged_when_they_are_named(self):
        paths = [self.file(name, content) for name, content in self.hosts().items() if name.endswith(".pb")]
        self.check_job(self.json("add", "--merge", *paths)["id"])

    def test_times_are_exact(self):
        """Sums of picoseconds: the run has nanoseconds, and what was rounded off."""
        run = self.json("add", self.file("vm.xplane.pb", host("vm", tenth=True)))
        rows = self.json("sql", run["id"], "SELECT duration_ns, json_extract(args, '$.duration_ps') AS ps FROM slices WHERE name = 'dot'")
        self.assertEqual(rows, [{"duration_ns": 60_000, "ps": 60_000_100}])

    def test_redacted_copies_keep_their_operators(self):
        """What XLA writes itself stays; stats that the program gave do not."""
        plane = Plane("/host:CPU")
        plane.line(1, "tf_XLAEigen/1", 0, plane.event("dot", 0, 60 * US, hlo_op=Ref("dot"), hlo_module=Ref("jit_f"), customer="Miller"))
        run = self.json("add", self.file("vm.xplane.pb", space(plane, environment())))
        copy = os.path.join(self.folder, "copy.perfshelf")
        self.ok("export", run["id"], "--redact", "all", "-o", copy)
        copied = self.json("add", copy)
        args = self.json("sql", copied["id"], "SELECT json_extract(args, '$.hlo_op') AS op, json_extract(args, '$.customer') AS customer FROM slices")
        self.assertEqual(args, [{"op": "dot", "customer": None}])

    def test_lines_that_repeat_a_stream_are_no_host_work(self):
        """xprof names them after their stream if a device has several."""
        plane = Plane("/device:GPU:0")
        plane.line(1, "Stream #17(Kernel)", 0, plane.event("fusion", 0, 60 * US, correlation_id=1))
        plane.line(2, "XLA Ops - from #17", 0, plane.event("fusion.1", 0, 60 * US))
        run = self.json("add", self.file("vm.xplane.pb", space(plane, environment())))
        self.assertEqual(self.json("sql", run["id"], "SELECT name FROM kernels"), [{"name": "fusion"}])
        self.assertEqual(self.json("sql", run["id"], "SELECT name FROM operators WHERE self_cpu_us > 0"), [])
