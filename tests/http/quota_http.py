# SPDX-License-Identifier: MIT
"""`serve --quota`: what the shelf takes is counted to the byte, nothing goes beyond, and room comes back with what goes."""
import contextlib
import gzip
import os
import random
import shutil
import sqlite3
import subprocess
import tempfile
import threading
import unittest

from archives_http import zipped
from server import PROGRAM, ROOT, RUNS, Server, ServerTest, big_log, dump, file_part, form, kept
from wait import wait_until  # where server.py looks
from sources_http import SOURCE, lprof

MIB = 1 << 20


def on_disk(data, folders=("runs", "originals", "sources", "spool", *(["pieces"] if kept.PLACE else []))):
    """Bytes of the files that count."""
    return sum(kept.size(data, folder) for folder in folders)


def noise(size, seed=0):
    """An import log that hardly packs."""
    random_ = random.Random(seed)
    head = b"import time: self [us] | cumulative | imported package\n"
    line = "import time: {0:9} | {0:10} | m{1:x}\n"
    rows = bytearray(head)
    while len(rows) < size:
        rows += line.format(random_.randrange(10 ** 8), random_.getrandbits(200)).encode()
    return bytes(rows)


class Quota(ServerTest):
    quota = 3 * MIB
    args = ("--quota", "3MiB")

    def tearDown(self):
        for run in self.get_json(RUNS)["rows"]:
            self.request("DELETE", f"{RUNS}/{run['id']}")
        self.assert_empty()

    def shelf(self):
        shelf = self.get_json("/api/v1/shelf")
        self.assertEqual(shelf["quota"], self.quota)
        return shelf

    def assert_counted(self, at_least=1, exactly=None):
        """What is told is what lies there, once nothing is on its way."""
        def counted():
            return (used := self.shelf()["used"]) == on_disk(self.data) and exactly in (None, used)

        wait_until(counted, 20, lambda: f"{self.shelf()['used']} bytes are counted, {on_disk(self.data)} lie there, expected: {exactly}")
        used = self.shelf()["used"]
        self.assertGreaterEqual(used, at_least)
        return used

    def assert_empty(self):
        self.assert_counted(0, 0)
        self.assertEqual(self.spool(), [])

    def assert_full(self, answer):
        self.assertRefused(answer, 507, "full")
        self.assertRegex(answer.error["text"], r"quota exceeded: [\d.]+ MiB more do not fit; [\d.]+ of 3.0 MiB are used")
        self.assertIn("delete runs", answer.error["hint"])

    def fill(self, leave):
        """Runs until there is room for no more than so many bytes."""
        runs, seed = [], 100
        while self.quota - self.assert_counted(0) > leave:
            seed += 1
            answer = self.request("POST", RUNS + "?wait=1", big_log(1500, seed))
            if answer.status != 201:
                self.assert_full(answer)
                break
            runs.append(answer.json["id"])
        self.assertGreater(len(runs), 2)
        return runs

    def test_what_is_counted(self):
        empty = self.assert_counted(0)
        run = self.add(big_log(500))
        lines = self.add(lprof(ticks=7))
        one = self.assert_counted(empty + run["db_bytes"] + lines["db_bytes"])
        path = self.get_json(f"{RUNS}/{lines['id']}/sources")["rows"][0]["path"]
        for text in (SOURCE, SOURCE + b"# another\n"):
            self.assertEqual(self.request("PUT", f"{RUNS}/{lines['id']}/sources?path={path}", text).status, 200)
            self.assert_counted(one + 1)
        self.assertEqual(self.request("POST", RUNS + "?wait=1", b"\xff\x00" * 9000).status, 415)
        self.assertEqual(self.request("POST", RUNS + "?wait=1", dump()[:-30]).status, 422)
        self.assertEqual(self.request("POST", RUNS + "?wait=1", big_log(500)).status, 200)
        body, kind = form(file_part(big_log(300, 1), "a"), file_part(dump()[:-9], "b"))
        self.request("POST", RUNS + "?wait=1", body, Content_Type=kind)
        self.request("POST", RUNS + "?wait=1", zipped([("a/x.log", big_log(200, 5)), ("a/y.log", big_log(200, 6))]))
        self.assert_counted(one + 1)
        for row in self.get_json(RUNS)["rows"]:
            self.assertEqual(self.request("DELETE", f"{RUNS}/{row['id']}").status, 204)
        self.assert_empty()

    def test_what_others_add_and_remove_counts(self):
        path = os.path.join(self.folder, "other.log")
        with open(path, "wb") as file:
            file.write(big_log(700, 3))
        subprocess.run([PROGRAM, "add", "--data", self.data, path], check=True, capture_output=True, timeout=60)
        self.assert_counted()
        subprocess.run([PROGRAM, "rm", "--data", self.data, "@1"], check=True, capture_output=True, timeout=60)
        self.assert_empty()

    def test_before_the_body_is_read(self):
        head = f"POST {RUNS}?wait=1 HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: {4 * MIB}\r\n\r\n"
        answer = self.server.raw(head.encode(), shut=True)
        self.assertIn(b" 507 ", answer.split(b"\r\n", 1)[0])
        self.assert_full(self.request("POST", RUNS, b"x" * (4 * MIB)))
        self.assert_empty()

    def test_while_it_streams(self):
        connection = self.server.connect()
        pieces = (b"x" * 65536 for _ in range(64))
        connection.request("POST", RUNS + "?wait=1", pieces, {"Transfer-Encoding": "chunked"}, encode_chunked=True)
        reply = connection.getresponse()
        self.assertEqual((reply.status, b'"full"' in reply.read()), (507, True))
        connection.close()
        self.assert_empty()

    def test_a_client_that_leaves_gives_its_room_back(self):
        with self.server.socket() as link:
            link.sendall(f"POST {RUNS}?wait=1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: {2 * MIB}\r\n\r\n".encode() + b"x" * 70000)
            wait_until(lambda: self.shelf()["used"] == 2 * MIB, 20, "what it announced is counted")
        self.assert_empty()

    def test_an_import_that_grows_beyond(self):
        content = noise(MIB, 1)  # its run file and its original beside it are more than 3 MiB
        failures = self.get_json("/api/v1/activity")["rows"]
        self.assert_full(self.request("POST", RUNS + "?wait=1", content))
        job = self.job(self.request("POST", RUNS, content).json["job"]["id"])
        self.assertEqual((job["state"], job["error"]["code"], job["run"]), ("failed", "full", None))
        self.assert_empty()
        rows = self.get_json("/api/v1/activity")["rows"]
        self.assertEqual([row["code"] for row in rows[:len(rows) - len(failures)]], ["full", "full"])

    def test_temporary_files_of_an_import(self):
        path = os.path.join(self.folder, "padded.sqlite")
        shutil.copy(os.path.join(ROOT, "tests", "golden", "nsys", "ok_full.sqlite"), path)
        with contextlib.closing(sqlite3.connect(path)) as export, export:
            export.execute("CREATE TABLE padding AS SELECT zeroblob(150000000) AS bytes")
        with open(path, "rb") as file:
            packed = gzip.compress(file.read(), 1)
        self.assertLess(len(packed), 2 * MIB)
        self.assert_full(self.request("POST", RUNS + "?wait=1", packed))
        self.assert_empty()

    def test_a_full_shelf(self):
        runs = self.fill(60 << 10)
        content = big_log(1500, 101)
        self.assertEqual(self.request("POST", RUNS + "?wait=1", content).status, 200)  # it is there
        self.assert_full(self.request("POST", RUNS + "?wait=1", big_log(9000, 1)))
        self.assertEqual(self.get(f"{RUNS}/{runs[0]}/imports?limit=2").status, 200)
        self.assertEqual(self.get(f"{RUNS}/{runs[0]}/original").body, content)
        self.assertEqual(self.request("PATCH", f"{RUNS}/{runs[0]}", '{"name":"renamed"}').status, 200)
        used = self.assert_counted()
        self.assertLessEqual(used, self.quota)
        self.assertEqual(self.request("DELETE", f"{RUNS}/{runs[1]}").status, 204)
        self.assertLess(self.assert_counted(), used)
        self.assertEqual(self.request("POST", RUNS + "?wait=1", big_log(1500, 102)).status, 201)

    def test_sources_count(self):
        lines = self.add(lprof(ticks=9))["id"]
        path = self.get_json(f"{RUNS}/{lines}/sources")["rows"][0]["path"]
        source = random.Random(3).randbytes(MIB * 7 // 4)  # in the spool, and a second time kept
        self.assert_full(self.request("PUT", f"{RUNS}/{lines}/sources?path={path}", source))
        self.assertEqual(kept.keys(self.data, "sources"), [])
        self.assert_counted()

    def test_pieces(self):
        upload = self.request("POST", "/api/v1/uploads").json["id"]
        piece = b"x" * MIB
        for n in range(3):
            answer = self.request("PUT", f"/api/v1/uploads/{upload}?offset={n * MIB}", piece)
            self.assertEqual((answer.status, answer.json["bytes"]), (200, (n + 1) * MIB))
            self.assert_counted(exactly=(n + 1) * MIB)
        self.assert_full(self.request("PUT", f"/api/v1/uploads/{upload}?offset={3 * MIB}", piece))
        self.assertEqual(self.get_json(f"/api/v1/uploads/{upload}")["bytes"], 3 * MIB)
        other = self.request("POST", "/api/v1/uploads").json["id"]
        self.assert_full(self.request("PUT", f"/api/v1/uploads/{other}?offset=0", b"x"))
        self.assertEqual(self.request("DELETE", f"/api/v1/uploads/{upload}").status, 204)
        self.assertRefused(self.request("DELETE", f"/api/v1/uploads/{upload}"), 404, "not_found")
        self.assertEqual(self.request("PUT", f"/api/v1/uploads/{other}?offset=0", b"x").status, 200)
        self.assertRefused(self.request("PUT", f"/api/v1/uploads/{other}?offset=0", piece), 409, "conflict")
        self.assert_counted(exactly=1)
        self.assertEqual(self.request("DELETE", f"/api/v1/uploads/{other}").status, 204)

    def test_add_from_elsewhere_leaves_nothing(self):
        path = os.path.join(self.folder, "large.log")
        with open(path, "wb") as file:
            file.write(b"x" * (5 * MIB))
        url = f"http://{self.server.host}:{self.server.port}"
        done = subprocess.run([PROGRAM, "add", path, "--server", url], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"^perfshelf: .*large.log: quota exceeded: .*; delete runs.*\n$")
        self.assert_empty()


class AtOnce(ServerTest):
    """Of many that come at once each claims what it announces: together they never lie beyond the quota."""
    args = ("--quota", "3MiB")

    def test_a_race(self):
        sizes, answers, links = [], [], []
        done = threading.Event()

        def watch():
            while not done.is_set():
                sizes.append(on_disk(self.data, ("spool",)))

        def upload(seed):
            answers.append(self.request("POST", RUNS + "?wait=1", noise(MIB * 2 // 5, seed)))

        watcher = threading.Thread(target=watch)
        threads = [threading.Thread(target=upload, args=(seed,)) for seed in range(24)]
        for thread in (watcher, *threads):
            thread.start()
        for thread in threads:
            thread.join()
        done.set()
        watcher.join()
        self.assertEqual({answer.status for answer in answers}, {201, 507})
        self.assertLessEqual(max(sizes), 3 * MIB)
        self.assertLessEqual(on_disk(self.data), 3 * MIB)
        self.assertSpoolEmpties()
        shelf = self.get_json("/api/v1/shelf")
        self.assertEqual(shelf["used"], on_disk(self.data))
        self.assertEqual(shelf["runs"], sum(answer.status == 201 for answer in answers))


class Restart(unittest.TestCase):
    def test_it_counts_the_same_again(self):
        folder = tempfile.mkdtemp(prefix="perfshelf-quota-")
        self.addCleanup(shutil.rmtree, folder)
        data = os.path.join(folder, "shelf")
        server = Server(data)  # without one
        for seed in range(3):
            self.assertEqual(server.request("POST", RUNS + "?wait=1", big_log(900, seed)).status, 201)
        upload = server.request("POST", "/api/v1/uploads").json["id"]
        self.assertEqual(server.request("PUT", f"/api/v1/uploads/{upload}?offset=0", b"x" * 50000).status, 200)
        shelf = server.request("GET", "/api/v1/shelf").json
        self.assertEqual((shelf["used"], shelf["quota"]), (on_disk(data), None))
        self.assertEqual(server.end()[0], 0)
        sizes = os.path.join(data, "catalog.db")
        if not kept.PLACE:
            subprocess.run(["python3", "-c", f"import sqlite3; c = sqlite3.connect({sizes!r}); c.execute('DELETE FROM kept_size'); c.commit()"], check=True)
        server = Server(data, "--quota", str(on_disk(data) + 1000))  # an older perfshelf had counted nothing
        self.assertEqual(server.request("GET", "/api/v1/shelf").json["used"], on_disk(data))
        self.assertEqual(server.request("POST", RUNS + "?wait=1", big_log(900, 9)).status, 507)
        self.assertEqual(server.request("DELETE", f"/api/v1/uploads/{upload}").status, 204)
        self.assertEqual(server.request("GET", "/api/v1/shelf").json["used"], on_disk(data))
        server.process.kill()
        server.process.communicate()
        server = Server(data, "--quota", "10KiB")
        self.assertEqual(server.request("POST", RUNS + "?wait=1", dump()).status, 507)
        self.assertEqual(server.request("GET", RUNS).json["total"], 3)
        code, said = server.end()
        self.assertEqual(code, 0)
        self.assertRegex(said, r"warning: the shelf takes [\d.]+ [KM]iB, more than its quota of 10.0 KiB")

    def test_wrong_words(self):
        for word in ("x", "0", "-1", "5s"):
            done = subprocess.run([PROGRAM, "serve", "--quota", word], capture_output=True, text=True, timeout=20)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)


if __name__ == "__main__":
    unittest.main()
