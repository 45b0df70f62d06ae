# SPDX-License-Identifier: MIT
"""A store whose database is lost: for a while, or until a replica or a backup takes its place."""
import json
import os
import shutil
import signal
import tempfile
import threading
import time
import unittest

from server import RUNS, Server, big_log
from long import long_test  # where server.py looks
from postgres import Postgres, needs_postgresql
from wait import wait_until  # where server.py looks

# What docs/servers.md says to run after a backup was restored.
RESTORED = "UPDATE clock SET store = md5(random()::text), n = n + 1"


class Replica(Postgres):
    """Follows another one, which waits for it at each commit."""

    def __init__(self, primary):
        self.primary = primary
        super().__init__()

    def make_data(self):
        self.run("pg_basebackup", "-h", self.primary.folder, "-U", "shelf", "-D", self.data, "-R", "-c", "fast", "--no-sync")

    def promote(self):
        self.run("pg_ctl", "promote", "-D", self.data, "-w")


@needs_postgresql
class Failover(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="perfshelf-failover-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.postgres = Postgres()
        self.addCleanup(self.postgres.close)

    def serve(self, name, url):
        server = Server(os.path.join(self.folder, name), "--store", url)
        self.addCleanup(server.end)
        return server

    def add(self, server, n):
        answer = server.request("POST", f"{RUNS}?wait=1&name={n}", big_log(5, n))
        self.assertEqual(answer.status, 201, answer.body)
        return answer.json["id"]

    def names(self, server):
        return sorted(row["name"] for row in server.request("GET", f"{RUNS}?limit=100").json["rows"])

    def until_names(self, server, wanted, seconds=60):
        wait_until(lambda: self.names(server) == wanted, seconds, lambda: f"{wanted}: {self.names(server)}")

    def test_a_replica_takes_its_place(self):
        url = self.postgres.database()
        replica = Replica(self.postgres)
        self.addCleanup(replica.close)
        self.postgres.sql(url, "ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.postgres.sql(url, "SELECT pg_reload_conf()")
        both = url.replace(self.postgres.folder, f"{self.postgres.folder},{replica.folder}") + "&target_session_attrs=read-write"
        servers = [self.serve(name, both) for name in "ab"]
        run = self.add(servers[0], 1)
        self.until_names(servers[1], ["1"])
        self.postgres.stop(signal.SIGQUIT)
        self.assertEqual(servers[1].request("GET", f"{RUNS}/{run}").status, 200)
        replica.promote()
        self.assertEqual(servers[1].request("PATCH", f"{RUNS}/{run}", json.dumps({"name": "2"})).status, 200)
        self.add(servers[0], 3)
        for server in servers:
            self.until_names(server, ["2", "3"])

    @long_test
    def test_what_was_taken_waits_for_it(self):
        server = self.serve("a", self.postgres.database())
        run = self.add(server, 1)
        job = server.request("POST", f"{RUNS}?name=waits", big_log(30000)).json["job"]
        self.postgres.stop()
        for _ in range(2):  # for longer than a change waits
            self.assertEqual(server.request("PATCH", f"{RUNS}/{run}", json.dumps({"name": "2"})).status, 503)
        self.postgres.start()
        job = wait_until(lambda: (seen := server.request("GET", f"/api/v1/jobs/{job['id']}").json)["state"] not in ("queued", "running") and seen,
                         60, "the job has ended")
        self.assertEqual((job["state"], job["error"]), ("done", None))
        self.until_names(server, ["1", "waits"])

    @long_test
    def test_it_is_silent(self):
        """A network that swallows all that is said: no connection ends. Everybody asks at once."""
        server = self.serve("a", self.postgres.database())
        run = self.add(server, 1)
        asked = [f"{RUNS}/{run}", f"{RUNS}?limit=5", "/api/v1/jobs", "/api/v1/jobs", *(f"{RUNS}/{n:016x}" for n in range(8))]
        seen = []

        def ask(path):
            began = time.monotonic()
            seen.append((path, server.request("GET", path).status, time.monotonic() - began))

        frozen = self.postgres.freeze()
        try:
            askers = [threading.Thread(target=ask, args=(path,)) for path in asked]
            for asker in askers:
                asker.start()
            for asker in askers:
                asker.join()
            again = server.request("GET", f"{RUNS}/{5:016x}").status
        finally:
            self.postgres.thaw(frozen)
        self.assertEqual(sorted(status for _, status, _ in seen), [200] * 4 + [503] * 8, seen)
        self.assertEqual(again, 503)
        longest = max(seconds for _, _, seconds in seen)
        print(f"{len(seen)} questions while the database is silent: the longest takes {longest:.1f} s")
        self.add(server, 2)

    @long_test
    def test_it_only_reads(self):
        """As a replica does before it is promoted: changes try again until they fail, but not at all speed."""
        url = self.postgres.database()
        server, beside = self.serve("a", url), self.postgres.database()
        run = self.add(server, 1)
        name = url.split("/")[3].split("?")[0]

        def only_reads(value):
            self.postgres.sql(beside, f"ALTER DATABASE {name} SET default_transaction_read_only = {value}")
            self.postgres.sql(beside, f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")

        def connections():
            return int(self.postgres.sql(beside, f"SELECT sessions FROM pg_stat_database WHERE datname = '{name}'"))

        only_reads("on")
        before, began = connections(), time.monotonic()
        self.assertEqual(server.request("PATCH", f"{RUNS}/{run}", json.dumps({"name": "2"})).status, 503)
        self.assertEqual(server.request("GET", f"{RUNS}/{run}").status, 200)
        made = connections() - before
        print(f"{made} connections in {time.monotonic() - began:.1f} s to a database that only reads")
        self.assertLess(made, 100)
        only_reads("off")
        self.add(server, 3)
        self.until_names(server, ["1", "3"])

    def test_a_backup_takes_its_place(self):
        url = self.postgres.database()
        servers = [self.serve(name, url) for name in "ab"]
        self.add(servers[0], 1)
        dump = os.path.join(self.postgres.folder, "dump")
        self.postgres.run("pg_dump", "-Fc", "-f", dump, url)
        self.add(servers[0], 2)
        self.until_names(servers[1], ["1", "2"])
        servers[1].end()  # and misses all of it
        self.postgres.run("pg_restore", "--clean", "--if-exists", "--single-transaction", "-d", url, dump)
        self.postgres.sql(url, RESTORED)
        self.until_names(servers[0], ["1"])
        for n in (3, 4, 5):
            self.add(servers[0], n)
        self.until_names(self.serve("b", url), ["1", "3", "4", "5"])


if __name__ == "__main__":
    unittest.main()
