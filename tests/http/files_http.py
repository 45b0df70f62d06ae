# SPDX-License-Identifier: MIT
"""The files of a shelf that servers share: kept in PostgreSQL, fetched once, verified."""
import glob
import hashlib
import json
import os
import sys
import threading
import unittest

from server import ROOT, RUNS, big_log, import_log
from servers import ServersTest
from wait import wait_until  # where server.py looks

sys.path.insert(0, os.path.join(ROOT, "tests", "bench"))
import make_lprof  # noqa: E402

COUNTS = ("SELECT (SELECT count(*) FROM kept), (SELECT count(*) FROM blob), (SELECT count(DISTINCT place) FROM chunk), "
          "(SELECT count(*) FROM doomed)")


class Files(ServersTest):
    def sql(self, statement):
        return self.postgres.sql(self.url, statement).split()

    def cached(self, server):
        return {os.path.basename(path) for path in glob.glob(os.path.join(self.folder, server, "cache", "*"))}

    def hash_of(self, folder, key):
        return self.sql(f"SELECT hash FROM kept WHERE folder = '{folder}' AND \"key\" = '{key}'")[0]

    def a_day_later(self):
        """What was deleted can be recovered no more; whoever opens the shelf next removes its files."""
        self.sql("BEGIN; UPDATE clock SET n = n + 1; UPDATE deleted_run SET deleted_at = 0, tx = (SELECT n FROM clock); COMMIT")
        done = self.verb("list", "--store", self.url, data="later")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_one_takes_in_all_can_read(self):
        text = big_log(3000, seed=1)
        run = self.add(text, name="everywhere")
        mine = self.get(f"{RUNS}/{run['id']}/imports").body
        self.assertNotIn(self.hash_of("runs", run["id"]), self.cached("b"))
        self.assertEqual(self.other.request("GET", f"{RUNS}/{run['id']}/imports").body, mine)
        self.assertIn(self.hash_of("runs", run["id"]), self.cached("b"))
        self.assertEqual(self.other.request("GET", f"{RUNS}/{run['id']}/original").body, text)
        self.assertTrue(self.add(text)["already"])
        again = self.other.request("POST", f"{RUNS}?wait=1", text)
        self.assertTrue(again.json["already"], again.body)

    def test_sources_too(self):
        run = self.add(make_lprof.dump({("src/app.py", 1, "work"): [(2, 1, 301)]}))
        put = self.request("PUT", f"{RUNS}/{run['id']}/sources?path=src/app.py", b"print(1)\n")
        self.assertEqual(put.status // 100, 2, put.body)
        key = hashlib.sha256(b"print(1)\n").hexdigest()
        self.assertTrue(self.hash_of("sources", key))
        self.assertEqual(self.other.request("DELETE", f"{RUNS}/{run['id']}").status, 204)
        self.assertTrue(self.hash_of("sources", key))
        self.a_day_later()
        self.assertEqual(self.sql(f"SELECT 1 FROM kept WHERE \"key\" = '{key}'"), [])

    def test_it_is_fetched_once_for_all_who_want_it(self):
        run = self.add(big_log(200000, seed=2), name="large")
        third = self.start("third")
        answers = []
        readers = [threading.Thread(target=lambda: answers.append(third.request("GET", f"{RUNS}/{run['id']}/imports").status))
                   for _ in range(8)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
        self.assertEqual(answers, [200] * 8)
        self.assertEqual(len(self.cached("third")), 1)
        self.assertEqual(third.end()[0], 0)

    def test_what_is_fetched_is_bounded(self):
        runs = [self.add(big_log(20000, seed=10 + n), name=f"n{n}")["id"] for n in range(4)]
        small = self.start("small", "--cache-size", "1MiB")
        for _ in range(2):
            for run in runs:
                self.assertEqual(small.request("GET", f"{RUNS}/{run}/imports").status, 200)
        left = sum(os.path.getsize(path) for path in glob.glob(os.path.join(self.folder, "small", "cache", "*")))
        largest = max(int(self.sql(f"SELECT bytes FROM kept WHERE folder = 'runs' AND \"key\" = '{run}'")[0]) for run in runs)
        self.assertLessEqual(left, max(1 << 20, largest))
        self.assertGreater(sum(int(n) for n in self.sql("SELECT bytes FROM kept WHERE folder = 'runs'")), 2 << 20)
        self.assertEqual(small.end()[0], 0)

    def test_a_cache_may_be_emptied(self):
        run = self.add(big_log(2000, seed=20))["id"]
        before = self.get(f"{RUNS}/{run}/imports").body
        for path in glob.glob(os.path.join(self.folder, "a", "cache", "*")):
            os.unlink(path)
        self.add(import_log("import csv"))  # the answers that were kept are of another catalog now
        self.assertEqual(self.get(f"{RUNS}/{run}/imports?nodes=5").status, 200)
        self.assertEqual(self.get(f"{RUNS}/{run}/imports").body, before)

    def test_a_cache_that_is_too_small(self):
        runs = [self.add(big_log(2000, seed=seed))["id"] for seed in range(70, 76)]
        small = self.start("small", "--cache-size", "512KiB")
        seen = []

        def read(first):
            for i in range(15):
                seen.append(small.request("GET", f"{RUNS}/{runs[(first + i * 5) % 6]}/imports?nodes={1 + first * 30 + i}").status)

        readers = [threading.Thread(target=read, args=(n,)) for n in range(8)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
        sizes = [os.path.getsize(os.path.join(self.folder, "small", "cache", name)) for name in self.cached("small")]
        code, said = small.end()
        self.assertEqual((set(seen), code), ({200}, 0), said)
        self.assertTrue(sum(sizes) <= 512 << 10 or len(sizes) == 1, sizes)

    def test_bytes_that_are_others_are_not_shown(self):
        run = self.add(big_log(2000, seed=30))["id"]
        key = self.hash_of("runs", run)
        place = self.sql(f"SELECT place FROM blob WHERE hash = '{key}'")[0]
        turn = ("UPDATE chunk SET data = set_byte(data, 5000, (get_byte(data, 5000) + {}) % 256) "
                f"WHERE place = '{place}' AND n = 0")
        self.sql(turn.format(1))
        self.assertRefused(self.other.request("GET", f"{RUNS}/{run}/imports"), 500, "internal")
        self.assertNotIn(key, self.cached("b"))
        for data in "ac":  # what was fetched before they changed is no proof of what lies there
            found = self.verb("verify", "--store", self.url, data=data)
            self.assertEqual(found.returncode, 1, found.stdout + found.stderr)
            self.assertIn(run.encode(), found.stdout)
        self.assertEqual(self.get(f"{RUNS}/{run}/imports").status, 200)
        self.sql(turn.format(255))
        self.assertEqual(self.other.request("GET", f"{RUNS}/{run}/imports").status, 200)
        whole = self.verb("verify", "--store", self.url, data="c")
        self.assertEqual(whole.returncode, 0, whole.stdout + whole.stderr)

    def test_reads_of_what_is_here_go_on_while_the_database_is_away(self):
        run = self.add(big_log(2000, seed=40))["id"]
        cold = self.add(big_log(2000, seed=41))["id"]
        self.assertEqual(self.other.request("GET", f"{RUNS}/{run}/imports").status, 200)
        self.postgres.stop()
        try:
            self.assertEqual(self.other.request("GET", f"{RUNS}/{run}/imports?nodes=5").status, 200)
            refused = self.other.request("GET", f"{RUNS}/{cold}/imports")
            self.assertRefused(refused, 503, "unavailable")
        finally:
            self.postgres.start()
        wait_until(lambda: self.other.request("GET", f"{RUNS}/{cold}/imports").status == 200, 60, "it has found the database again")

    def test_an_older_layout_is_renewed_for_all(self):
        text = big_log(500, seed=50)
        run = self.add(text, name="old", series="s")["id"]
        before = self.other.request("GET", f"{RUNS}/{run}/imports").json
        # As an older perfshelf would have said.
        self.sql("BEGIN; UPDATE clock SET n = n + 1; UPDATE kept SET layout = 2, tx = (SELECT n FROM clock) "
                 f"WHERE folder = 'runs' AND \"key\" = '{run}'; COMMIT")
        renewed = self.verb("renew", "--json", run, "--store", self.url, data="a2")
        self.assertEqual((renewed.returncode, json.loads(renewed.stdout)["already"]), (0, False), renewed.stderr)
        shown = self.other.request("GET", f"{RUNS}/{run}").json
        self.assertEqual((shown["name"], shown["series"]), ("old", "s"))
        self.assertEqual(self.other.request("GET", f"{RUNS}/{run}/imports").json, before)

    def test_what_is_removed_leaves_nothing(self):
        self.a_day_later()
        kept, _, _, doomed = (int(n) for n in self.sql(COUNTS)[0].split("|"))
        self.assertEqual(doomed, 0)
        run = self.add(big_log(500, seed=60))["id"]
        self.assertEqual(int(self.sql(COUNTS)[0].split("|")[0]), kept + 2)
        self.assertEqual(self.other.request("DELETE", f"{RUNS}/{run}").status, 204)
        self.assertEqual(int(self.sql(COUNTS)[0].split("|")[0]), kept + 2)
        self.a_day_later()
        self.assertEqual(int(self.sql(COUNTS)[0].split("|")[0]), kept)
        self.assertEqual(self.sql("SELECT count(*) FROM blob b WHERE NOT EXISTS (SELECT 1 FROM kept k WHERE k.hash = b.hash) "
                                  "AND NOT EXISTS (SELECT 1 FROM loose l WHERE l.hash = b.hash)"), ["0"])


if __name__ == "__main__":
    unittest.main()
