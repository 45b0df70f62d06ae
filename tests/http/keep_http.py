# SPDX-License-Identifier: MIT
"""`serve --keep`: what is beyond the rules goes by itself, and everybody is told."""
import os
import re
import sqlite3
import threading
import unittest

from server import OF_SANDBOX, RUNS, Events, ServerTest, ShelfTest, big_log, kept
from servers import ServersTest
from wait import wait_until  # where server.py looks


def names(server):
    """Of the runs that are there, the newest first."""
    return [run["name"] for run in server.request("GET", f"{RUNS}?limit=1000").json["rows"]]


def wait_for(server, wanted, seconds=30):
    """Until these are all that is there, the newest first."""
    wait_until(lambda: names(server) == wanted, seconds, lambda: f"{wanted}: {names(server)}")


def removals(server):
    rows = server.request("GET", "/api/v1/activity?limit=1000").json["rows"]
    return [(row["name"], row["who"]) for row in reversed(rows) if row["what"] == "removed"]


class Keep(ServerTest):
    args = ("--keep", "3/series", "--keep=a=b=1", "--keep", "30d")

    def setUp(self):
        self.addCleanup(lambda: [self.request("DELETE", f"{RUNS}/{run['id']}") for run in self.get_json(RUNS)["rows"]])
        self.before = len(removals(self.server))

    def upload(self, name, series, seed):
        return self.add(big_log(50, seed), name=name, series=series)["id"]

    def test_what_it_keeps_is_told(self):
        self.assertEqual(self.get_json("/api/v1/shelf")["keep"], [{"rule": "3/series", "what": "3 runs of each series"},
                                                                  {"rule": "a=b=1", "what": "1 run of series a=b"},
                                                                  {"rule": "30d", "what": "30 days"}])

    def test_the_oldest_goes_and_the_baseline_stays(self):
        events = Events(self.server)
        self.addCleanup(events.close)
        first, second = self.upload("first", "n", 1), self.upload("second", "n", 2)
        self.assertEqual(self.request("PUT", f"{RUNS}/{first}/baseline").status, 200)
        for seed in (3, 4, 5):
            self.upload(f"{seed}", "n", seed)
            self.upload(f"none {seed}", "", 100 + seed)
        events.wait(lambda name, data: name == "gone" and data == {"id": second})
        wait_for(self.server, ["none 5", "5", "none 4", "4", "none 3", "3", "first"])
        self.assertEqual(removals(self.server)[self.before:], [("second", "--keep 3/series")])
        for path in ("", "/original", "/imports"):
            self.assertRefused(self.get(f"{RUNS}/{second}{path}"), 404, "not_found")
        self.assertEqual(self.get(f"{RUNS}/{first}/imports").status, 200)
        again = self.request("POST", f"{RUNS}?wait=1&name=again&series=n", big_log(50, 2))
        self.assertEqual((again.status, again.json["id"]), (201, second))  # what went may come in again
        wanted = ["again", "none 5", "5", "none 4", "4", "none 3", "first"]
        wait_for(self.server, wanted)

    def test_a_series_with_a_rule_of_its_own(self):
        for seed in range(4):
            self.upload(f"{seed}", "a=b", 200 + seed)
        wait_for(self.server, ["3"])
        self.assertEqual({who for _, who in removals(self.server)[self.before:]}, {"--keep a=b=1"})
        moved = self.upload("moved", "other", 300)
        self.request("PATCH", f"{RUNS}/{moved}", '{"series":"a=b"}')
        wait_for(self.server, ["moved"])

    def test_uploads_at_once(self):
        def upload(n):
            for seed in range(8):
                self.assertIn(self.request("POST", f"{RUNS}?wait=1&series=s{n}&name=s{n}", big_log(50, 1000 + 100 * n + seed)).status, (200, 201))

        threads = [threading.Thread(target=upload, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        wait_until(lambda: len(names(self.server)) == 12, 30, "twelve runs")
        self.assertEqual(sorted(names(self.server)), [f"s{n}" for n in range(4) for _ in range(3)])
        self.assertEqual(len(removals(self.server)) - self.before, 20)


class Restart(ShelfTest):
    def fill(self, server, *added):
        for name in added:
            self.assertEqual(server.request("POST", f"{RUNS}?wait=1&name={name}", big_log(50, ord(name))).status, 201)

    def test_rules_hold_from_the_start(self):
        server = self.start()
        self.fill(server, *"abcd")
        self.assertEqual(server.request("GET", "/api/v1/shelf").json["keep"], [])
        self.assertEqual(server.end(), (0, ""))
        server = self.start("--keep", "3")
        wait_for(server, ["d", "c", "b"])
        self.assertEqual(server.end(), (0, ""))
        with sqlite3.connect(os.path.join(self.data, "catalog.db")) as db:  # an hour ago
            db.execute("UPDATE removal_log SET at = at - 3600001")
        db.close()
        server = self.start("--keep", "1", "--keep", "5")
        wait_for(server, ["d", "c"])
        self.assertEqual(removals(server), [("a", "--keep 3"), ("b", "--keep 1")])
        code, said = server.end()
        self.assertEqual(code, 0)
        self.assertIn("1 more run to delete, at most a tenth of the shelf within an hour", said)

    def test_what_cannot_go_is_said_once(self):
        server = self.start()
        self.fill(server, *"abcd")
        self.assertEqual(server.end(), (0, ""))
        with sqlite3.connect(os.path.join(self.data, "catalog.db")) as db:
            db.execute("CREATE TRIGGER held BEFORE DELETE ON run WHEN old.name = 'a' BEGIN SELECT raise(ABORT, 'it is held'); END")
            [held] = db.execute("SELECT id FROM run WHERE name = 'a'").fetchone()
        server = self.start("--keep", "1")
        self.fill(server, *"ef")
        wait_for(server, ["f", "e", "a"], 60)  # it holds up no others
        with sqlite3.connect(os.path.join(self.data, "catalog.db")) as db:
            db.execute("DROP TRIGGER held")
        self.fill(server, "g")
        wait_for(server, ["g", "f", "e"])
        code, said = server.end()
        self.assertEqual((code, len(re.findall(rf"(?m)^perfshelf: {held}: .*it is held", said))), (0, 1), said)

    @unittest.skipIf(kept.PLACE, "a catalog that is a mirror holds nothing up: it follows when it can")
    def test_what_could_not_go_is_tried_again_though_nothing_changes(self):
        server = self.start("--keep", "1")
        self.fill(server, "a")
        db = sqlite3.connect(os.path.join(self.data, "catalog.db"), isolation_level=None)
        self.addCleanup(db.close)
        self.fill(server, "b")
        db.execute("BEGIN IMMEDIATE")  # longer than anybody waits for it
        if names(server) != ["b", "a"]:
            db.execute("ROLLBACK")
            self.skipTest("it went before it was held")
        said = ""
        while not said or OF_SANDBOX.match(said):
            said = server.process.stderr.readline()  # that it cannot be deleted
        db.execute("ROLLBACK")
        wait_for(server, ["b"])
        self.assertEqual(server.end(), (0, ""), said)


class Servers(ServersTest):
    args = ("--keep", "2/series", "--keep", "one=1")

    def test_two_with_the_same_rules(self):
        streams = [Events(server) for server in self.servers]
        first = None
        for n in range(12):
            answer = self.servers[n % 2].request("POST", f"{RUNS}?wait=1&name={n}&series={'one' if n % 3 else 'many'}", big_log(50, n))
            self.assertEqual(answer.status, 201, answer.body)
            first = first or answer.json["id"]
        wanted = ["11", "9", "6"]
        for server in self.servers:
            wait_for(server, wanted, 60)
        for stream in streams:  # whoever removed it, all are told
            stream.wait(lambda name, data: name == "gone" and data["id"] == first)
            stream.close()
        gone = removals(self.servers[0])
        self.assertEqual(sorted(int(name) for name, _ in gone), [0, 1, 2, 3, 4, 5, 7, 8, 10])  # each once
        self.assertEqual({who for _, who in gone}, {"--keep 2/series", "--keep one=1"})
        self.assertEqual([server.end() for server in self.servers], [(0, "")] * 2)


if __name__ == "__main__":
    unittest.main()
