# SPDX-License-Identifier: MIT
"""A clock that jumps, rules that would delete much at once, and removed runs that are recovered."""
import json
import os
import shutil
import sqlite3
import subprocess
import unittest
from unittest import mock

from keep_http import names, removals, wait_for
from server import PROGRAM, RUNS, Events, ServerTest, ShelfTest, big_log, sanitized
from servers import ServersTest
from wait import wait_until  # where server.py looks

DAY = 24 * 3600


@unittest.skipIf(sanitized(), "AddressSanitizer wants to be the first library")
@unittest.skipUnless(shutil.which("cc"), "needs a C compiler, for a library that shifts the clock")
class ClockJump(ShelfTest):
    """A run of five days ago and one of today, --keep 90d, and a clock that goes ahead by 120 days."""
    def setUp(self):
        super().setUp()
        library, self.shift = os.path.join(self.folder, "clock.so"), os.path.join(self.folder, "shift")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clock_shift.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
        environment = mock.patch.dict(os.environ, LD_PRELOAD=library, CLOCK_SHIFT=self.shift)
        environment.start()
        self.addCleanup(environment.stop)
        self.jump(0)
        server = self.start()
        for n in range(22):
            self.assertEqual(server.request("POST", f"{RUNS}?wait=1&name={n}", big_log(50, n)).status, 201)
        self.assertEqual(server.end(), (0, ""))

    def jump(self, days):
        with open(self.shift, "w", encoding="ascii") as file:
            file.write(str(int(days * DAY)))

    def looked_at(self, server, mark):
        """Waits until the rules were applied after now: a run over its own rule is gone."""
        for n in (1, 2):
            self.assertEqual(server.request("POST", f"{RUNS}?wait=1&series=mark&name={mark}{n}", big_log(50, f"{mark}{n}")).status, 201)
        wait_until(lambda: [name for name in names(server) if name.startswith(mark)] == [f"{mark}2"], 60, f"only {mark}2 is left")

    def test_a_jump_while_it_is_served(self):
        server = self.start("--keep", "90d", "--keep", "mark=1")
        self.looked_at(server, "a")
        self.jump(120)
        self.looked_at(server, "b")
        self.looked_at(server, "c")
        self.assertEqual(len(names(server)), 23)
        code, said = server.end()
        self.assertEqual(code, 0)
        self.assertIn("120.0 days ahead", said)
        self.assertIn("perfshelf prune", said)

    def test_a_jump_while_nothing_runs(self):
        self.jump(120)
        server = self.start("--keep", "90d", "--keep", "mark=1")
        self.looked_at(server, "a")
        self.assertEqual(len(names(server)), 23)
        self.assertIn("120.0 days ahead", server.end()[1])
        self.jump(0)
        server = self.start("--keep", "90d")
        self.assertEqual(server.end(), (0, ""))

    def test_nothing_expires_and_prune_vouches_for_the_clock(self):
        run = subprocess.run([PROGRAM, "list", "--json", "--data", self.data], check=True, capture_output=True)
        [first, *_] = json.loads(run.stdout)
        subprocess.run([PROGRAM, "rm", first["id"], "--data", self.data], check=True, capture_output=True)
        self.jump(2)
        deleted = subprocess.run([PROGRAM, "undelete", "--json", "--data", self.data], check=True, capture_output=True)
        self.assertEqual([row["id"] for row in json.loads(deleted.stdout)], [first["id"]])
        done = subprocess.run([PROGRAM, "prune", "--keep", "1d", "--data", self.data], check=True, capture_output=True)
        self.assertIn(b"21 runs deleted", done.stdout)
        deleted = subprocess.run([PROGRAM, "undelete", "--json", "--data", self.data], check=True, capture_output=True)
        self.assertEqual(len(json.loads(deleted.stdout)), 21)  # the one of two days ago expired


class Tenth(ShelfTest):
    def test_a_tenth_within_an_hour(self):
        server = self.start()
        for n in range(22):
            self.assertEqual(server.request("POST", f"{RUNS}?wait=1&name={n}", big_log(50, n)).status, 201)
        self.assertEqual(server.end(), (0, ""))
        server = self.start("--keep", "1")
        for n in (22, 23):  # as many as come may go
            self.assertEqual(server.request("POST", f"{RUNS}?wait=1&name={n}", big_log(50, n)).status, 201)
        wanted = [str(n) for n in range(23, 4, -1)]
        wait_for(server, wanted)
        self.assertEqual(server.end()[0], 0)
        server = self.start("--keep", "1")  # a restart begins no new hour
        self.assertEqual(server.request("POST", f"{RUNS}?wait=1&name=24", big_log(50, 24)).status, 201)
        self.assertEqual(len(removals(server)), 5)
        self.assertEqual(subprocess.run([PROGRAM, "prune", "--keep", "1", "--data", self.data], capture_output=True).returncode, 0)
        self.assertEqual(names(server), ["24"])
        server.end()


class Undelete(ServerTest):
    def test_a_run_is_recovered(self):
        run = self.add(big_log(60, 1), name="one", series="s", tag="k=v")
        self.assertEqual(self.request("PUT", f"{RUNS}/{run['id']}/baseline").status, 200)
        before = self.get_json(f"{RUNS}/{run['id']}")
        used = self.get_json("/api/v1/shelf")["used"]
        events = Events(self.server)
        self.addCleanup(events.close)
        self.assertEqual(self.request("DELETE", f"{RUNS}/{run['id']}").status, 204)
        self.assertLess(self.get_json("/api/v1/shelf")["used"], used)
        row = self.get_json("/api/v1/deleted")["rows"][0]
        self.assertEqual((row["id"], row["name"], row["series"]), (run["id"], "one", "s"))
        self.assertLess(row["deleted_at"], row["recoverable_until"])
        answer = self.request("POST", f"{RUNS}/{run['id']}/undelete")
        self.assertEqual((answer.status, answer.json), (200, before))
        events.wait(lambda name, data: name == "run" and data["id"] == run["id"])
        self.assertEqual(self.get(f"{RUNS}/{run['id']}/imports").status, 200)
        self.assertNotIn(run["id"], [row["id"] for row in self.get_json("/api/v1/deleted")["rows"]])
        self.assertEqual(self.get_json("/api/v1/shelf")["used"], used)
        self.assertRefused(self.request("POST", f"{RUNS}/{run['id']}/undelete"), 404, "not_found")
        self.assertEqual(self.request("DELETE", f"{RUNS}/{run['id']}").status, 204)

    def test_the_same_bytes_again(self):
        run = self.add(big_log(60, 2), name="old", tag="k=v")
        self.assertEqual(self.request("DELETE", f"{RUNS}/{run['id']}").status, 204)
        again = self.add(big_log(60, 2), name="new")
        self.assertEqual((again["id"], again["name"], again["tags"]), (run["id"], "new", {}))
        self.assertNotIn(run["id"], [row["id"] for row in self.get_json("/api/v1/deleted")["rows"]])
        self.assertEqual(self.request("DELETE", f"{RUNS}/{run['id']}").status, 204)

    def test_a_damaged_summary_spoils_no_list(self):
        run = self.add(big_log(60, 3), name="summary")
        with sqlite3.connect(os.path.join(self.data, "catalog.db")) as db:
            db.execute("UPDATE run SET summary = CAST(x'7b22ff' AS TEXT) WHERE id = ?", [run["id"]])
        db.close()
        rows = {row["id"]: row for row in self.get_json(RUNS)["rows"]}
        self.assertEqual(rows[run["id"]]["summary"], {})
        self.assertEqual(self.request("DELETE", f"{RUNS}/{run['id']}").status, 204)


class Quota(ShelfTest):
    def test_deleted_runs_give_way(self):
        server = self.start()
        runs = [server.request("POST", f"{RUNS}?wait=1&name={n}", big_log(3000, n)).json for n in range(3)]
        used = server.request("GET", "/api/v1/shelf").json["used"]
        self.assertEqual(server.end(), (0, ""))
        server = self.start("--quota", f"{used * 37 // 30}B")  # one of both has to go for the next
        for run in runs[:2]:
            self.assertEqual(server.request("DELETE", f"{RUNS}/{run['id']}").status, 204)
        answer = server.request("POST", f"{RUNS}?wait=1&name=3", big_log(3000, 3))
        self.assertEqual(answer.status, 201, answer.body)
        deleted = [row["id"] for row in server.request("GET", "/api/v1/deleted").json["rows"]]
        self.assertEqual(deleted, [runs[1]["id"]])  # the first deleted went first
        self.assertFalse(os.path.exists(os.path.join(self.data, "runs", runs[0]["id"] + ".db")))
        self.assertEqual(server.end(), (0, ""))


class Servers(ServersTest):
    def test_another_server_recovers(self):
        one, two = self.servers
        run = one.request("POST", f"{RUNS}?wait=1&name=a&tag=k=v", big_log(60, 7)).json
        before = one.request("GET", f"{RUNS}/{run['id']}").json
        self.assertEqual(one.request("DELETE", f"{RUNS}/{run['id']}").status, 204)
        answer = two.request("POST", f"{RUNS}/{run['id']}/undelete")
        self.assertEqual((answer.status, answer.json), (200, before))
        self.assertEqual(one.request("GET", f"{RUNS}/{run['id']}/imports").status, 200)
        self.assertEqual([server.end() for server in self.servers], [(0, "")] * 2)


if __name__ == "__main__":
    unittest.main()
