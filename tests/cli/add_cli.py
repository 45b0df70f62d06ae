# SPDX-License-Identifier: MIT
"""perfshelf add: what it takes, what it says, and what it leaves behind."""
import fcntl
import hashlib
import json
import os
import pty
import select
import signal
import socket
import struct
import subprocess
import termios
import unittest

from program import PROGRAM, ShelfTest, import_log
from wait import wait_until  # where program.py looks


class Add(ShelfTest):
    def test_json_has_exactly_the_keys_of_the_contract(self):
        run = self.json("add", self.dump)
        self.assertEqual(list(run), ["id", "kind", "name", "sha256", "bytes", "rows", "repaired", "rejected", "already"])
        with open(self.dump, "rb") as file:
            raw = file.read()
        self.assertEqual(run["sha256"], hashlib.sha256(raw).hexdigest())
        self.assertEqual(run["bytes"], len(raw))
        self.assertEqual((run["kind"], run["repaired"], run["rejected"], run["already"]), ("pstats", 0, 0, False))
        self.assertEqual(run["rows"], self.json("sql", run["id"], "SELECT count(*) AS n FROM functions")[0]["n"])

    def test_same_bytes_are_one_run(self):
        first, second = self.json("add", self.log), self.json("add", self.log)
        self.assertEqual(second, dict(first, already=True))
        self.assertEqual(len(self.json("list")), 1)

    def test_name_series_tags(self):
        run = self.json("add", self.log, "--name", "my start", "--series=s", "--tag", "branch=main", "--tag", "os=debian")
        shown = self.json("show", run["id"])
        self.assertEqual((shown["name"], shown["series"], shown["tags"]),
                         ("my start", "s", {"branch": "main", "os": "debian"}))

    def test_plain_line_names_the_run_and_the_file(self):
        line = self.ok("add", self.log)
        self.assertIn("importtime", line)
        self.assertIn(self.log, line)
        self.assertEqual(line.count("\n"), 1)

    def test_standard_input(self):
        run = self.json("add", "-", input=import_log())
        self.assertEqual(run["kind"], "importtime")
        self.assertEqual(self.left_over()["spool"], [])

    def test_a_pipe_without_a_name(self):
        read, write = os.pipe()
        os.write(write, import_log())  # less than a pipe holds
        os.close(write)
        self.assertEqual(self.json("add", f"/dev/fd/{read}", pass_fds=[read])["kind"], "importtime")
        os.close(read)
        self.assertEqual(self.left_over()["spool"], [])

    def test_what_is_no_file(self):
        fifo, address = os.path.join(self.folder, "fifo"), os.path.join(self.folder, "socket")
        os.mkfifo(fifo)
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(address)
            for path, what in ((fifo, "a named pipe"), (address, "a socket"), ("/dev/zero", "a device"), ("/dev/full", "a device")):
                for command in (["add", path], ["add", "--merge", path, self.log]):
                    self.assertEqual(self.fails(*command),
                                     f"perfshelf: {path}: {what}, not a file; `perfshelf add -` reads a profile from standard input")

    def test_content_decides_not_the_name(self):
        with open(self.dump, "rb") as file:
            path = self.file("trace.json.gz", file.read())
        self.assertEqual(self.json("add", path)["kind"], "pstats")

    def test_a_folder(self):
        self.file("many/a.log", import_log())
        with open(self.dump, "rb") as file:
            self.file("many/deep/b.prof", file.read())
        self.file("many/readme.txt", b"nothing to see\n")
        self.file("many/.hidden", import_log())
        done = self.run_verb("add", os.path.join(self.folder, "many"), "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([json.loads(line)["kind"] for line in done.stdout.splitlines()], ["importtime", "pstats"])
        lines = done.stderr.decode().splitlines()
        self.assertEqual(len(lines), 2)
        self.assertIn("readme.txt: skipped: ", lines[0])
        self.assertEqual(lines[1], f"perfshelf: {self.folder}/many: note: not searched: 1 hidden name")

    def test_a_folder_with_many_other_files(self):
        for i in range(40):
            self.file(f"many/{i:02}.txt", b"nothing to see\n")
        self.file("many/a.log", import_log())
        self.file("many/b.sh", b"#!/usr/bin/env python3\nimport os\n")
        os.symlink("/nowhere", os.path.join(self.folder, "many", "link"))
        os.mkfifo(os.path.join(self.folder, "many", "pipe"))
        done = self.run_verb("add", os.path.join(self.folder, "many"))
        lines = done.stderr.decode().splitlines()
        self.assertEqual([line.split(": ")[1] for line in lines[:4]], [f"{self.folder}/many/{name}" for name in ("00.txt", "01.txt", "02.txt", "b.sh")])
        self.assertEqual(lines[4:], [f"perfshelf: {self.folder}/many: skipped: 37 more files: this is not a supported profile",
                                     f"perfshelf: {self.folder}/many: note: not searched: 1 link, 1 special file"])

    def test_folders_of_the_system(self):
        for path in ("/proc", "/sys", "/dev"):
            done = self.run_verb("add", path)
            self.assertEqual((done.returncode, done.stderr.decode().splitlines()),
                             (1, [f"perfshelf: {path}: note: not searched: 1 system folder",
                                  f"perfshelf: {path}: no profile in this folder or its subfolders; `perfshelf formats` lists the formats"]))

    def test_a_folder_without_profiles(self):
        os.mkdir(os.path.join(self.folder, "none"))
        self.assertIn("no profile in this folder", self.fails("add", os.path.join(self.folder, "none")))

    def test_one_failure_does_not_stop_the_others(self):
        bad = self.file("bad.prof", b"\xfbnot marshal")
        done = self.run_verb("add", self.log, bad, os.path.join(self.folder, "gone"), self.dump, "--json")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(done.stdout.splitlines()), 2)
        lines = done.stderr.decode().splitlines()
        self.assertEqual([line.split(": ")[1] for line in lines], [bad, os.path.join(self.folder, "gone")])


class Refusals(ShelfTest):
    def refused(self, name, content):
        path = self.file(name, content)
        line = self.fails("add", path)
        self.assertTrue(line.startswith(f"perfshelf: {path}: "), line)
        self.assertIn("; ", line)  # what to do
        self.assertTrue(all(not names for names in self.left_over().values()), self.left_over())
        return line

    def test_nothing_in_it(self):
        self.refused("zero", b"")

    def test_unknown_bytes(self):
        self.refused("noise", bytes(range(256)) * 40)

    def test_cut_dump_names_the_byte(self):
        with open(self.dump, "rb") as file:
            raw = file.read()
        self.assertRegex(self.refused("cut.prof", raw[:len(raw) // 2]), r" at byte \d+; ")

    def test_a_trace_without_events(self):
        self.assertIn("nothing was profiled", self.refused("empty.json", b" [ ]\n"))

    def test_dump_of_a_profiler_never_enabled(self):
        self.refused("never.prof", b"\xfb0")

    def test_pickle_is_not_run(self):
        self.refused("evil.lprof", b"cos\nsystem\n(S'touch /tmp/perfshelf-was-here'\ntR.")
        self.assertFalse(os.path.exists("/tmp/perfshelf-was-here"))

    def test_a_name_cannot_write_to_the_terminal(self):
        path = self.file("x\x1b[2Jy\nz", b"nothing")
        done = self.run_verb("add", path)
        self.assertEqual(done.returncode, 1)
        self.assertNotIn(b"\x1b", done.stderr)
        self.assertEqual(done.stderr.count(b"\n"), 1)

    def test_missing_file_and_bad_data_folder(self):
        self.assertIn("No such file", self.fails("add", os.path.join(self.folder, "gone")))
        self.data = self.log  # a file
        self.fails("add", self.dump)


class Together(ShelfTest):
    def test_four_processes_on_one_shelf(self):
        files = [self.log, self.dump, self.file("b.log", import_log() + b"x\n"), self.file("c.log", import_log() + b"y\n")]
        running = [subprocess.Popen([PROGRAM, "add", "--data", self.data, "--json", *files], stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE) for _ in range(4)]
        runs, created = [], f"perfshelf: {self.data}: note: created a new shelf\n".encode()
        for process in running:
            out, err = process.communicate(timeout=120)
            self.assertEqual((process.returncode, err.replace(created, b"")), (0, b""))
            runs += [json.loads(line) for line in out.splitlines()]
        self.assertEqual(len(runs), 16)
        self.assertEqual(sum(not run["already"] for run in runs), 4)
        self.assertEqual(len(self.json("list")), 4)
        self.assertEqual(self.left_over()["spool"], [])

    def feed(self, process):
        """A log into a pipe that stays open; returns once the program has read it and waits for more."""
        process.stdin.write(import_log())
        process.stdin.flush()
        wait_until(lambda: fcntl.ioctl(process.stdin, termios.FIONREAD, struct.pack("i", 1)) == struct.pack("i", 0), 60, "all is read")

    def test_interrupt_leaves_nothing(self):
        process = subprocess.Popen([PROGRAM, "add", "--data", self.data, "-"], stdin=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        self.feed(process)
        process.send_signal(signal.SIGINT)
        err = process.stderr.read()
        self.assertEqual(process.wait(timeout=20), 1)
        process.stdin.close()
        process.stderr.close()
        self.assertIn(b"interrupted", err)
        self.assertEqual(self.left_over(), {"runs": [], "originals": [], "spool": []})

    def test_kill_leaves_nothing_after_the_next_open(self):
        process = subprocess.Popen([PROGRAM, "add", "--data", self.data, "-"], stdin=subprocess.PIPE)
        self.feed(process)
        process.kill()
        process.wait()
        process.stdin.close()
        self.assertEqual(self.json("list"), [])
        self.assertEqual(self.left_over(), {"runs": [], "originals": [], "spool": []})

    def test_progress_on_a_terminal(self):
        self.ok("add", self.dump)  # a shelf that is there
        ours, theirs = pty.openpty()
        process = subprocess.Popen([PROGRAM, "add", "--data", self.data, "-"], stdin=subprocess.PIPE, stderr=theirs,
                                   stdout=subprocess.PIPE)
        os.close(theirs)
        for _ in range(600):  # the bar comes after a second of work
            process.stdin.write(import_log())
            process.stdin.flush()
            if select.select([ours], [], [], 0.1)[0]:
                break
        process.stdin.close()
        self.assertEqual(process.wait(timeout=60), 0)
        process.stdout.close()
        shown = os.read(ours, 65536)
        os.close(ours)
        self.assertIn(b"standard input", shown)
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown[-40:])


if __name__ == "__main__":
    unittest.main()
