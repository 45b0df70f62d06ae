# SPDX-License-Identifier: MIT
"""Two servers on one PostgreSQL: what one is told the other knows; what is said while the database is away."""
import json
import os
import re
import signal
import subprocess

from server import PROGRAM, RUNS, Events, Server, big_log, import_log
from servers import ServersTest
from wait import wait_until  # where server.py looks

SAID = re.compile(r"^LOG:  (?:statement|execute <unnamed>): (.*(?:\n\t.*)*)", re.M)
# What one of CockroachDB, YugabyteDB and Citus has not, or not so.
NOT_EVERYWHERE = re.compile(r"\b(serial|bigserial|sequence|nextval|listen|notify|pg_\w+|lock table|for (update|share)|truncate|merge|trigger|"
                            r"references|unlogged|deferrable|distinct on|generate_series|json\w*|with)\b|->|::|@>", re.I)


class Shared(ServersTest):
    tuning = {"log_statement": "all", "log_line_prefix": ""}

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

    def test_a_server_that_starts_while_it_is_away_serves_what_it_has(self):
        run = self.add(import_log("import json"), name="fetched")["id"]
        self.add(import_log("import fractions"))
        late = self.start("late")
        self.assertEqual(late.request("GET", f"{RUNS}/{run}").status, 200)
        self.assertEqual(late.end()[0], 0)
        self.postgres.stop(signal.SIGQUIT)
        try:
            late = self.start("late")
            self.assertEqual(late.request("GET", f"{RUNS}/{run}").json["name"], "fetched")
            refused = late.request("PATCH", f"{RUNS}/{run}", b'{"name":"lost"}', {"Content-Type": "application/json"})
            self.assertRefused(refused, 503, "unavailable")
            fresh = self.verb("list", "--store", self.url, data="fresh")
            self.assertEqual(fresh.returncode, 1)
            self.assertIn(b"cannot be reached", fresh.stderr)
            for data in ("fresh", "a"):  # nothing is told as missing that could not be asked for
                looked = self.verb("verify", "--store", self.url, data=data)
                self.assertEqual((looked.returncode, looked.stdout), (2, b""))
                self.assertRegex(looked.stderr, rb"^perfshelf: postgresql://.*/shelf.*: .*cannot be reached")
            pruned = self.verb("prune", "--keep", "1B", "--store", self.url)
            self.assertEqual((pruned.returncode, pruned.stdout), (1, b"0 runs deleted\n"))
            self.assertEqual(pruned.stderr.count(b"\n"), 1, pruned.stderr)  # the others are not waited for
        finally:
            self.postgres.start()
        again = late.request("PATCH", f"{RUNS}/{run}", b'{"name":"back"}', {"Content-Type": "application/json"})
        self.assertEqual((again.status, again.json["name"]), (200, "back"))
        code, said = late.end()
        self.assertEqual(code, 0)
        self.assertIn("cannot reach the store", said)

    def test_an_import_that_waits_for_the_database_can_be_ended(self):
        path = os.path.join(self.folder, "waits.log")
        with open(path, "wb") as file:
            file.write(import_log("import shelve"))
        self.verb("list", "--store", self.url, data="waits")
        run = self.add(import_log("import fractions, json"))["id"]
        self.postgres.stop(signal.SIGQUIT)
        process = subprocess.Popen([PROGRAM, "add", path, "--store", self.url, "--data", os.path.join(self.folder, "waits")],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            # It waits as long as this change does, and tries again.
            self.assertRefused(self.request("PATCH", f"{RUNS}/{run}", b'{"name":"lost"}', Content_Type="application/json"), 503, "unavailable")
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=40)
            self.assertEqual((said.count(b"the import was cancelled"), process.returncode), (1, 1))
        finally:
            process.kill()
            process.communicate()
            self.postgres.start()

    def test_who_may_not_enter_yet_is_told_what_to_do(self):
        empty = self.postgres.database()
        data = os.path.join(self.folder, "empty")
        server = Server(data, "--store", empty, "--tokens")
        self.assertIn(f"serves postgresql://{self.postgres.folder}/", server.ready_line)
        code, said = server.end()
        self.assertEqual(code, 0)
        self.assertIn(f"no access token exists yet; create one: perfshelf token add NAME --role admin --data {data}, with the --store or $PERFSHELF_STORE", said)
        self.assertEqual(self.verb("token", "add", "mei", "--role", "admin", "--store", empty, data="empty").returncode, 0)

    def test_another_server_goes_on_with_what_a_killed_one_accepted(self):
        victim = self.start("victim")
        accepted = victim.request("POST", f"{RUNS}?name=orphan&filename=orphan.log&tag=k=v", big_log(400000))
        self.assertEqual(accepted.status, 202, accepted.body)
        victim.process.kill()
        victim.process.communicate(timeout=30)
        found = wait_until(lambda: self.other.request("GET", f"{RUNS}?q=orphan").json["rows"], 60, "the other server has imported it")
        self.assertEqual([(run["name"], run["tags"], run["rows"]) for run in found], [("orphan", {"k": "v"}, 400000)])
        self.assertEqual(self.request("GET", f"{RUNS}/{found[0]['id']}").status, 200)

    def test_pieces_of_an_upload_come_to_any_server(self):
        content = import_log("import decimal")
        half = len(content) // 2
        begun = self.request("POST", "/api/v1/uploads")
        self.assertEqual(begun.status, 201, begun.body)
        at = f"/api/v1/uploads/{begun.json['id']}"
        self.assertEqual(self.other.request("PUT", f"{at}?offset=0", content[:half]).json["bytes"], half)
        self.assertRefused(self.request("PUT", f"{at}?offset=0", content[:half]), 409, "conflict")
        self.assertEqual(self.request("GET", at).json["bytes"], half)
        self.assertEqual(self.request("PUT", f"{at}?offset={half}", content[half:]).json["bytes"], len(content))
        ended = self.other.request("POST", f"{at}/end?bytes={len(content)}&name=pieces&wait=1")
        self.assertEqual((ended.status, ended.json["name"]), (201, "pieces"), ended.body)
        self.assertEqual(self.request("GET", at).status, 404)

    def test_a_page_is_told_where_the_shelf_lies_and_that_it_is_away(self):
        events = Events(self.server)
        told = self.get_json("/api/v1/shelf")["store"]
        self.assertEqual((told["place"].startswith("postgresql:///"), "@" in told["place"], told["away"]), (True, False, False))
        self.assertEqual(told["cache"]["most"], 10 << 30)
        self.postgres.stop(signal.SIGQUIT)
        try:
            events.wait(lambda name, data: name == "shelf")
            self.assertTrue(self.get_json("/api/v1/shelf")["store"]["away"])
            events.seen.clear()
        finally:
            self.postgres.start()
        events.wait(lambda name, data: name == "shelf")
        self.assertFalse(self.get_json("/api/v1/shelf")["store"]["away"])
        events.close()

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
        self.assertIn(b"is the cache of a store", own.stderr)

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
