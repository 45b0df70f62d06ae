# SPDX-License-Identifier: MIT
"""Two servers on one PostgreSQL: what one is told the other knows; what is said while the database is away."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from server import PROGRAM, RUNS, Events, Server, ServerTest, import_log

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from postgres import Postgres, programs  # noqa: E402


SAID = re.compile(r"^LOG:  (?:statement|execute <unnamed>): (.*(?:\n\t.*)*)", re.M)
# What one of CockroachDB, YugabyteDB and Citus has not, or not so.
NOT_EVERYWHERE = re.compile(r"\b(serial|bigserial|sequence|nextval|listen|notify|pg_\w+|lock table|for (update|share)|truncate|merge|trigger|"
                            r"references|unlogged|deferrable|distinct on|generate_series|json\w*|with)\b|->|::|@>", re.I)


@unittest.skipUnless(programs(), "there is no PostgreSQL on this machine (package postgresql)")
class Shared(ServerTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="perfshelf-shared-")
        cls.postgres = Postgres(log_statement="all", log_line_prefix="")
        cls.url = cls.postgres.database()
        cls.server, cls.other = cls.start("a"), cls.start("b")

    @classmethod
    def start(cls, name):
        return Server(os.path.join(cls.folder, name), "--store", cls.url)

    @classmethod
    def tearDownClass(cls):
        ends = [cls.server.end(), cls.other.end()]
        cls.postgres.close()
        shutil.rmtree(cls.folder)
        if any(code != 0 for code, _ in ends):
            raise AssertionError(f"a server ended with {ends}")

    def verb(self, *args, data="a", **options):
        return subprocess.run([PROGRAM, *args, "--data", os.path.join(self.folder, data)], capture_output=True, timeout=60,
                              **options)

    def test_what_one_is_told_the_other_knows(self):
        events = Events(self.other)
        run = self.add(import_log(), name="shared")["id"]
        seen = self.other.request("GET", f"{RUNS}/{run}")
        self.assertEqual((seen.status, seen.json["name"]), (200, "shared"))
        events.wait(lambda name, data: name == "shelf")
        events.close()
        self.assertEqual(self.other.request("PATCH", f"{RUNS}/{run}", b'{"name":"renamed"}',
                                            {"Content-Type": "application/json"}).status, 200)
        listed = self.verb("list", "--json", "--store", self.url)
        self.assertIn("renamed", [row["name"] for row in json.loads(listed.stdout)], listed.stderr)
        self.assertEqual(self.request("DELETE", f"{RUNS}/{run}").status, 204)
        self.assertEqual(self.other.request("GET", f"{RUNS}/missing").status, 404)
        self.assertEqual(self.other.request("GET", f"{RUNS}/{run}").status, 404)

    def test_reads_go_on_and_writes_can_be_repeated_while_it_is_away(self):
        run = self.add(import_log("import csv"), name="kept")["id"]
        self.postgres.stop(signal.SIGQUIT)
        try:
            self.assertEqual(self.get(f"{RUNS}/{run}").status, 200)
            refused = self.request("PATCH", f"{RUNS}/{run}", b'{"name":"lost"}', Content_Type="application/json")
            self.assertRefused(refused, 503, "unavailable")
            self.assertEqual(refused.headers["Retry-After"], "1")
        finally:
            self.postgres.start()
        again = self.request("PATCH", f"{RUNS}/{run}", b'{"name":"found"}', Content_Type="application/json")
        self.assertEqual((again.status, again.json["name"]), (200, "found"))

    def test_the_environment_says_the_store(self):
        said = self.verb("token", "add", "mei", env=dict(os.environ, PERFSHELF_STORE=self.url))
        self.assertEqual((said.returncode, said.stderr), (0, b""))
        listed = self.verb("token", "list", "--store", self.url, data="c")
        self.assertIn(b"mei", listed.stdout, listed.stderr)

    def test_a_password_is_no_word_of_a_command_line(self):
        done = self.verb("list", "--store", "postgresql://mei:hidden@db/shelf")
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"PERFSHELF_STORE", done.stderr)
        self.assertNotIn(b"hidden", done.stderr)
        self.assertEqual(self.verb("list", "--store", "/srv/shelf").returncode, 2)

    def test_folders_are_not_mistaken(self):
        own = self.verb("list")  # without the store
        self.assertEqual(own.returncode, 1)
        self.assertIn(b"fetched from a store", own.stderr)

    def test_what_is_said_there_all_of_them_know(self):
        run = self.add(import_log("import email"), name="said", series="s", tag="k=v")["id"]
        self.assertEqual(self.request("PUT", f"{RUNS}/{run}/baseline").status // 100, 2)
        self.assertEqual(self.request("DELETE", f"{RUNS}/{run}").status, 204)
        with open(self.postgres.log, encoding="utf-8") as log:
            said = {" ".join(statement.split()) for statement in SAID.findall(log.read())}
        # The layout is looked through by pg_test.c; two are createdb's.
        said = {s for s in said if "--" not in s and not s.startswith(("CREATE DATABASE", "SELECT pg_catalog.set_config"))}
        self.assertGreater(len(said), 15)
        self.assertEqual({word for statement in said for word in [statement.split()[0]]} -
                         {"BEGIN", "COMMIT", "ROLLBACK", "SELECT", "INSERT", "UPDATE", "DELETE", "SET"}, set())
        self.assertEqual([(statement, NOT_EVERYWHERE.search(statement)[0]) for statement in said if NOT_EVERYWHERE.search(statement)], [])
