# SPDX-License-Identifier: MIT
"""Search across runs through HTTP: names, shares, order, what is indexed, hostile names, runs that are removed, a damaged index."""
import marshal
import os
import sqlite3
import urllib.parse

from server import RUNS, ServerTest, ShelfTest
from wait import wait_until

SEARCH = "/api/v1/search"
HEAD = "import time: self [us] | cumulative | imported package\n"


def log(**modules):
    return (HEAD + "".join(f"import time: {us:9} | {us:10} | {name}\n" for name, us in modules.items())).encode()


def dump(**functions):
    """A cProfile dump: {"json/__init__.py:299:loads": (own, total)}."""
    rows = {}
    for key, (own, total) in functions.items():
        path, line, name = key.rsplit(":", 2)
        rows[path, int(line), name] = (1, 1, own, total, {})
    return marshal.dumps(rows)


LOADS = "/usr/lib/python3.11/json/__init__.py:299:loads"
HOSTILE = "/srv/<img src=x onerror=alert(1)>.py:1:a'b\"c%d\\e\u202e"


def search(test, query, **params):
    return test.get_json(f"{SEARCH}?{urllib.parse.urlencode(dict(params, q=query))}")


def complete(test, query="", **params):
    """The answer once all runs are in the index."""
    return wait_until(lambda: (found := search(test, query, **params))["scanned"] == found["runs"] and found, 60, lambda: "all runs in the index")


class Search(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shelf = cls("add_runs")
        cls.logs = [shelf.add(log(app=600 - 100 * i, json=300 + 100 * i, rare=100), series="nightly", name=f"log {i}")["id"] for i in range(3)]
        cls.dumps = [shelf.add(dump(**{"/srv/app.py:1:main": (1.0, 4.0), LOADS: (0.5 * i, 1.0 * i), "/srv/other.py:7:loads": (0.25, 0.25),
                                       "/srv/app.py:9:__init__": (0.5, 0.5), "/srv/app.py:19:__init__": (0.25, 0.75), HOSTILE: (0.125, 0.125)}),
                               name=f"dump {i}")["id"] for i in (1, 2)]
        complete(shelf)

    def add_runs(self):
        pass

    def occurrences(self, **params):
        return self.get_json(f"{SEARCH}/runs?{urllib.parse.urlencode(params)}")

    def test_a_name_is_found_in_all_its_runs_the_hottest_first(self):
        found = search(self, "json")
        self.assertEqual([(row["of"], row["name"], row["module"], row["runs"]) for row in found["rows"]],
                         [("imports", "json", "", 3), ("packages", "json", "", 3), ("functions", "loads", "json", 2)])
        self.assertEqual((found["total"], found["scanned"], found["runs"]), (3, 5, 5))
        row = found["rows"][0]
        self.assertEqual((row["self_share"], row["total_share"], row["hottest"]["id"]), (0.5, 0.5, self.logs[2]))
        self.assertEqual((row["hottest"]["name"], row["hottest"]["kind"], row["hottest"]["series"]), ("log 2", "importtime", "nightly"))

    def test_dotted_names_of_functions(self):
        [row] = search(self, "json.loads")["rows"]
        self.assertEqual((row["of"], row["name"], row["module"]), ("functions", "loads", "json"))
        whole = 1 + 1 + .25 + .75 + .125
        self.assertAlmostEqual(row["self_share"], 1.0 / whole)
        self.assertAlmostEqual(row["total_share"], 2.0 / whole)
        self.assertEqual(row["hottest"]["id"], self.dumps[1])
        self.assertEqual([row["module"] for row in search(self, "loads", of="functions")["rows"]], ["json", "other"])
        self.assertEqual(search(self, "loads -other")["total"], 1)
        self.assertEqual(search(self, "LOADS", of="imports")["rows"], [])

    def test_the_runs_of_a_name_have_the_values_of_the_tool(self):
        found = self.occurrences(of="functions", name="loads", module="json")
        self.assertEqual(found["total"], 2)
        self.assertEqual([(row["run"]["id"], row["self"], row["total"], row["unit"], row["row"], row["place"], row["line"]) for row in found["rows"]],
                         [(self.dumps[i], .5 * (i + 1), 1.0 * (i + 1), "s", "loads", "/usr/lib/python3.11/json/__init__.py", 299) for i in (1, 0)])
        [row] = [r for r in self.get_json(f"{RUNS}/{self.dumps[0]}/functions?q=loads&format=rows") if r["line"] == 299]
        self.assertEqual(row["id"], found["rows"][1]["row_id"])
        self.assertEqual(self.occurrences(of="functions", row="loads", place="/opt/python/lib/python3.12/json/__init__.py")["rows"], found["rows"])
        self.assertEqual(self.occurrences(of="functions", row="loads (json/__init__.py:300)", place="")["rows"], found["rows"])
        modules = self.occurrences(of="imports", name="json", module="")["rows"]
        self.assertEqual([(row["self"], row["total"], row["unit"], row["whole"]) for row in modules], [(500, 500, "us", 1000), (400, 400, "us", 1000), (300, 300, "us", 1000)])

    def test_rows_of_one_name_and_module_are_one_name(self):
        [row] = self.occurrences(of="functions", name="__init__", module="app", limit=1)["rows"]
        self.assertEqual((row["self"], row["total"], row["rows"], row["line"]), (.75, .75, 2, 19))

    def test_pages(self):
        everything = search(self, "", limit=100)
        self.assertEqual(everything["total"], len(everything["rows"]))
        pages = [row for at in range(0, everything["total"], 3) for row in search(self, "", limit=3, offset=at)["rows"]]
        self.assertEqual(pages, everything["rows"])
        names = [row["run"]["id"] for at in range(3) for row in self.occurrences(of="imports", name="rare", module="", limit=1, offset=at)["rows"]]
        self.assertEqual(names, self.logs[::-1])

    def test_hostile_names_and_questions(self):
        [row] = search(self, "onerror=alert")["rows"]
        self.assertEqual(row["name"], "a'b\"c%d\\e\u202e")
        [found] = self.occurrences(of="functions", name=row["name"], module=row["module"])["rows"][:1]
        self.assertEqual(found["self"], .125)
        for query in ("'", '"', "%", "_", "\\", "' OR 1=1 --", "*", "-", "\u202e", "x" * 4000):
            self.assertEqual(self.get(f"{SEARCH}?{urllib.parse.urlencode({'q': query})}").status, 200, query)
        self.assertEqual(self.occurrences(of="functions", name="%", module="")["rows"], [])
        for path in (f"?q={'x' * 4001}", "?limit=501", "?limit=-1", "?offset=x", "/runs", "/runs?of=functions", "/runs?name=loads", "?q=a%00b"):
            self.assertRefused(self.get(SEARCH + path), 400, "bad_request")

    def test_nothing_found(self):
        found = search(self, "no such name")
        self.assertEqual((found["total"], found["rows"]), (0, []))


class Changes(ShelfTest):
    """Shelves whose runs change."""

    def begin(self):
        server = self.start()
        self.addCleanup(server.end)
        self.request = server.request
        self.get = lambda path: server.request("GET", path)
        return server

    get_json, add = ServerTest.get_json, ServerTest.add

    def names(self, query="json"):
        return [(row["name"], row["runs"], row["self_share"]) for row in complete(self, query, of="imports")["rows"]]

    def test_runs_come_and_go(self):
        self.begin()
        old, new = (self.add(log(json=us, app=1000 - us))["id"] for us in (250, 750))
        self.assertEqual(self.names(), [("json", 2, .75)])
        self.assertEqual(self.request("DELETE", f"{RUNS}/{new}").status, 204)
        self.assertEqual(self.names(), [("json", 1, .25)])
        self.assertEqual(search(self, "json", of="imports")["rows"][0]["hottest"]["id"], old)
        self.assertEqual(self.request("DELETE", f"{RUNS}/{old}").status, 204)
        self.assertEqual(self.names(), [])
        self.add(log(json=10, app=90))
        self.assertEqual(self.names(), [("json", 1, .1)])

    def test_a_damaged_or_older_index_is_written_again(self):
        server = self.begin()
        self.add(log(json=250, app=750))
        self.assertEqual(self.names(), [("json", 1, .25)])
        self.assertEqual(server.end()[0], 0)
        path = os.path.join(self.data, "names.db")
        with sqlite3.connect(path) as db:
            db.execute("PRAGMA user_version = 999")
            db.execute("UPDATE name SET self_share = 1")
        server = self.begin()
        self.assertEqual(self.names(), [("json", 1, .25)])
        self.assertEqual(server.end()[0], 0)
        with open(path, "r+b") as file:
            file.write(b"x" * 5000)
        self.begin()
        self.assertEqual(self.names(), [("json", 1, .25)])

    def test_a_run_file_that_is_damaged_hides_no_other(self):
        self.begin()
        damaged = self.add(log(json=250, app=750))["id"]
        self.add(log(json=500, app=500))
        if not os.path.exists(os.path.join(self.data, "runs", f"{damaged}.db")):
            self.skipTest("the files of this shelf are in a database")
        with open(os.path.join(self.data, "runs", f"{damaged}.db"), "r+b") as file:
            file.seek(200)
            file.write(os.urandom(8000))
        found = search(self, "json", of="imports")
        self.assertEqual([(row["name"], row["runs"]) for row in found["rows"]], [("json", 1)])
        self.assertEqual((found["scanned"], found["unreadable"], found["runs"]), (1, 1, 2))

    def test_runs_that_cannot_be_read_are_counted_until_they_can(self):
        server = self.begin()
        newer, lost = (self.add(log(json=us, app=1000 - us))["id"] for us in (250, 750))
        self.add(log(json=500, app=500))
        self.assertEqual(server.end()[0], 0)
        newer, lost = (os.path.join(self.data, "runs", f"{run}.db") for run in (newer, lost))
        if not os.path.exists(lost):
            self.skipTest("the files of this shelf are in a database")
        os.rename(lost, lost + ".moved")
        with open(newer, "r+b") as file:
            file.seek(63)  # the last byte of PRAGMA user_version
            layout = file.read(1)
            file.seek(63)
            file.write(bytes([layout[0] + 1]))
        server = self.begin()
        for _ in range(2):  # read from the files, then from the index
            found = search(self, "json", of="imports")
            self.assertEqual((found["scanned"], found["unreadable"], found["runs"]), (1, 2, 3))
            self.assertEqual([(row["name"], row["runs"]) for row in found["rows"]], [("json", 1)])
        where = self.get_json(f"{SEARCH}/runs?of=imports&name=json")
        self.assertEqual(([row["self"] for row in where["rows"]], where["unreadable"]), ([500], 2))
        self.assertEqual(server.end()[0], 0)
        os.rename(lost + ".moved", lost)
        with open(newer, "r+b") as file:
            file.seek(63)
            file.write(layout)
        self.begin()
        self.assertEqual(self.names(), [("json", 3, .75)])
        self.assertEqual(search(self, "json")["unreadable"], 0)
