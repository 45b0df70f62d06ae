# SPDX-License-Identifier: MIT
"""Archives: each profile in one is a run, jobs of traces are one, and nothing else stays."""
import io
import json
import os
import subprocess
import tarfile
import unittest
import zipfile

from program import PROGRAM, ShelfTest

LOG = "import time: self [us] | cumulative | imported package\nimport time:       %d |        %d | a\n"
STACKS = "main;work %d\nmain;rest 2\n"


def trace(rank):
    events = [{"ph": "X", "cat": "cpu_op", "name": f"op{rank}", "pid": 1, "tid": 1, "ts": 10 * rank, "dur": 5}]
    return json.dumps({"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": 2}, "traceEvents": events})


def zipped(files, **more):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, **more) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()


def tarred(files, mode="w:gz"):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    return packed.getvalue()


FILES = {"logs/a.log": LOG % (5, 5), "b.folded": STACKS % 3, "readme.txt": "no profile"}
LOGDIR = {"tb/run1/h_1.1.pt.trace.json": trace(0), "tb/run1/h_2.1.pt.trace.json": trace(1), "tb/run2/h_1.2.pt.trace.json": trace(3),
          "tb/events.out.tfevents.1.h": "\0\1scalars"}


class Archives(ShelfTest):
    def add(self, *args, status=0, **more):
        """The runs that `add` told of, and what stands on stderr."""
        done = self.run_verb("add", "--json", *args, **more)
        self.assertEqual(done.returncode, status, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()], done.stderr.decode()

    def added(self, *args, **more):
        return self.add(*args, **more)[0]

    def test_each_profile_is_a_run(self):
        for name, packed in (("p.zip", zipped(FILES)), ("p.tar.gz", tarred(FILES)), ("p.tar", tarred(FILES, "w"))):
            runs = self.added(self.file(name, packed))
            self.assertEqual([run["kind"] for run in runs], ["importtime", "folded"], name)
            self.assertEqual([run["already"] for run in runs], [name != "p.zip"] * 2, "the same members are the same runs")
        tags = {run["name"]: run["tags"] for run in self.json("list")}
        self.assertEqual(tags, {"a.log": {"archive": "p.zip"}, "b.folded": {"archive": "p.zip"}})

    def test_a_tar_file_of_the_oldest_format(self):
        """The V7 format has no magic bytes, and its members would pass as one log."""
        folder = os.path.join(self.folder, "v7")
        os.mkdir(folder)
        for seed, name in enumerate(("a.log", "b.log")):
            with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                file.write(LOG % (50 + seed, 50))
        subprocess.run(["tar", "--format=v7", "-cf", os.path.join(self.folder, "v7.tar"), "-C", folder, "a.log", "b.log"], check=True)
        self.assertEqual([run["name"] for run in self.added(os.path.join(self.folder, "v7.tar"))], ["a.log", "b.log"])

    def test_what_is_left_out_is_named(self):
        _, said = self.add(self.file("p.zip", zipped(FILES)))
        self.assertIn("p.zip/readme.txt: skipped: this is not a supported profile", said)

    def test_one_file_only(self):
        for name, packed in (("one.zip", zipped({"b.folded": STACKS % 3})), ("one.tar", tarred({"b.folded": STACKS % 3}, "w"))):
            self.assertIn("this archive contains only one file; unpack the archive and add that file", self.fails("add", self.file(name, packed)))
        self.assertEqual(self.json("list"), [])

    def test_no_profile_at_all(self):
        for files in ({"readme.txt": "no profile"}, {"readme.txt": "no profile", "more.txt": "nothing"}):
            self.assertIn("this archive contains no profile: readme.txt: ", self.fails("add", self.file("p.zip", zipped(files))))
        self.assertEqual(self.json("list"), [])

    def test_a_log_folder_of_tensorboard(self):
        for name, packed in (("tb.zip", zipped(LOGDIR)), ("tb.tar.gz", tarred(LOGDIR))):
            runs = self.added(self.file(name, packed))
            self.assertEqual(sorted(run["rows"] for run in runs), [1, 2], "a job of two ranks, and a run of one file")
        self.assertEqual(len(self.json("list")), 2)

    def test_a_job_is_the_same_from_folder_and_archive(self):
        for name, text in LOGDIR.items():
            path = os.path.join(self.folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        first = {run["id"] for run in self.added(os.path.join(self.folder, "tb"))}
        self.assertEqual({run["id"] for run in self.added(self.file("tb.tar", tarred(LOGDIR, "w")))}, first)

    def test_a_damaged_member_does_not_spoil_the_others(self):
        with open(self.dump, "rb") as file:
            dump = file.read()
        packed = self.file("p.zip", zipped({"bad.prof": dump[:-20], **FILES}))
        runs, said = self.add(packed, status=1)
        self.assertEqual(len(runs), 2)
        self.assertIn("p.zip/bad.prof: ", said)

    def test_a_cut_archive_gives_what_came_before(self):
        whole = tarred({**FILES, "z.log": LOG % (7, 7) * 2000}, "w")
        runs, said = self.add(self.file("cut.tar", whole[: len(whole) // 2]), status=1)
        self.assertEqual([run["kind"] for run in runs], ["importtime", "folded"])
        self.assertIn("the archive is damaged", said)

    def test_names_lead_nowhere(self):
        runs = self.added(self.file("slip.zip", zipped({"../../evil.log": LOG % (1, 1), "/tmp/\nevil.folded": STACKS % 1})))
        self.assertEqual(len(runs), 2)
        self.assertFalse(any("\n" in run["name"] for run in runs))
        self.assertFalse(os.path.exists(os.path.join(self.folder, "..", "..", "evil.log")))

    def test_entries_that_are_no_files(self):
        """A name or a target that leads outside creates nothing there: no entry is ever unpacked."""
        special = [("link", tarfile.SYMTYPE, "/etc/passwd"), ("up", tarfile.SYMTYPE, "../../" + os.path.basename(self.folder)), ("hard", tarfile.LNKTYPE, "a.log"),
                   ("pipe", tarfile.FIFOTYPE, ""), ("null", tarfile.CHRTYPE, ""), ("disk", tarfile.BLKTYPE, "")]
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as archive:
            for name, text in {**FILES, "/a.abs.log": LOG % (11, 1), "../../up.log": LOG % (12, 1)}.items():
                info = tarfile.TarInfo(name)
                info.size = len(text)
                archive.addfile(info, io.BytesIO(text.encode()))
            for name, kind, target in special:
                info = tarfile.TarInfo(name)
                info.type, info.linkname, info.devmajor, info.devminor = kind, target, 1, 3
                archive.addfile(info)
            info = tarfile.TarInfo("folder")
            info.type = tarfile.DIRTYPE
            archive.addfile(info)
        runs, said = self.add(self.file("p.tar", packed.getvalue()))
        self.assertEqual(len(runs), 4)
        for name, what in (("link", "a symbolic link"), ("up", "a symbolic link"), ("hard", "a hard link"), ("pipe", "a named pipe"),
                           ("null", "a device"), ("disk", "a device")):
            self.assertIn(f"p.tar/{name}: skipped: this is {what}, not a file", said)
        self.assertNotIn("p.tar/folder", said)
        for path in ("/a.abs.log", os.path.join(self.folder, "..", "up.log"), os.path.join(self.folder, "..", "..", "up.log"), "pipe", "link"):
            self.assertFalse(os.path.lexists(path), path)
        with zipfile.ZipFile(packed := io.BytesIO(), "w") as archive:
            info = zipfile.ZipInfo("link")
            info.create_system, info.external_attr = 3, 0o120777 << 16
            archive.writestr(info, "/etc/passwd")
        self.assertIn("this archive contains", self.fails("add", self.file("only.zip", packed.getvalue())))

    def test_an_archive_in_an_archive_is_left_out(self):
        runs, said = self.add(self.file("n.zip", zipped({"in.zip": zipped(FILES), "a.log": LOG % (2, 2)})))
        self.assertEqual(len(runs), 1)
        self.assertIn("archives inside archives", said)

    def test_too_many_files(self):
        packed = self.file("many.zip", zipped({f"{i}.log": "x" for i in range(10001)}))
        self.assertIn("more than 10000 files", self.fails("add", packed))

    def test_a_bomb(self):
        packed = self.file("bomb.zip", zipped({"a.log": LOG % (3, 3), "b.log": LOG % (4, 4) + "\n" * 100_000_000}, compresslevel=9))
        runs, said = self.add(packed, status=1)
        self.assertEqual(len(runs), 1)
        self.assertIn("1000 times", said)

    def test_a_wrong_checksum_costs_one_member(self):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
            for name, text in {**FILES, **LOGDIR}.items():
                archive.writestr(name, text)
        for word, rows in ((b"h_2.1.pt", [1, 1, 1, 2]), (b"logs/a.log", [1, 2, 2])):
            raw = bytearray(packed.getvalue())
            raw[raw.index(word) + len(word) + 40] ^= 1
            self.data = os.path.join(self.folder, f"shelf{rows[2]}")
            runs, said = self.add(self.file("flip.zip", raw), status=1)
            self.assertEqual(sorted(run["rows"] for run in runs), rows)
            self.assertIn(f"flip.zip/{'tb/run1/' if b'pt' in word else ''}{word.decode()}", said)

    def test_names_of_any_letters(self):
        job = {f"jöb/{'ü' * 60}{rank}.pt.trace.json": trace(rank) for rank in range(2)}
        for packed in (zipped({**job, "b.folded": STACKS % 3}), tarred({**job, "b.folded": STACKS % 3})):
            runs = self.added(self.file("p", packed))
            self.assertEqual([run["rows"] for run in runs], [2, 2])
        self.assertEqual(len(self.json("list")), 2)

    def test_killed_in_the_middle(self):
        packed = self.file("m.zip", zipped({f"{i}.log": LOG % (i, i) + f"import time: 1 | 1 |   m{i}\n" * 3000 for i in range(60)}))
        process = subprocess.Popen([PROGRAM, "add", "--data", self.data, packed], stdout=subprocess.PIPE)
        process.stdout.readline()
        process.kill()
        process.communicate()
        runs = self.json("list")
        self.assertTrue(0 < len(runs) < 60, len(runs))
        for run in runs:
            self.assertEqual(self.json("sql", run["id"], "SELECT count(*) AS n FROM imports"), [{"n": run["rows"]}])
        self.assertEqual((len(self.left_over()["runs"]), self.left_over()["spool"]), (len(runs), []))
        self.assertEqual(len(self.added(packed)), 60)

    def test_from_a_pipe(self):
        runs = self.added("-", input=zipped(FILES))
        self.assertEqual(len(runs), 2)


if __name__ == "__main__":
    unittest.main()
