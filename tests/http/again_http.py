# SPDX-License-Identifier: MIT
"""Answers that the server keeps and sends again: the same to the byte, and only while they hold and to whom they are meant for."""
import gzip
import os
import subprocess
import unittest

from access_http import AccessTest, token
from server import PROGRAM, RUNS, ServerTest, big_log, dump, import_log

# Names that no two answers share: the moment, and what is only of a connection.
OWN = ("Date", "Connection")


def seen(answer):
    return answer.status, {k: v for k, v in answer.headers.items() if k not in OWN}, answer.body


class Same(ServerTest):
    def page(self):
        return next(line.split('"')[1] for line in self.get("/").body.decode().replace("href", "src").split("src=")[1:])

    def addresses(self):
        run = self.add(dump())["id"]
        log = self.add(import_log())["id"]
        return [f"{RUNS}/{run}/functions?limit=3", f"{RUNS}/{log}/imports?limit=100", f"{RUNS}/{run}/notes?format=csv", "/", self.page()]

    def test_again_is_the_same_in_each_form(self):
        for path in self.addresses():
            for asked in ({}, {"Accept_Encoding": "gzip"}):
                first, *more = (self.get(path, **asked) for _ in range(3))
                self.assertEqual(first.status, 200, path)
                for again in more:
                    self.assertEqual(seen(again), seen(first), path)
                head = self.request("HEAD", path, **asked)
                self.assertEqual((seen(head)[:2], head.body), (seen(first)[:2], b""), path)

    def test_the_forms_hold_the_same(self):
        for path in self.addresses():
            bodies = set()
            for asked in ({}, {"Accept_Encoding": "gzip"}) * 2:
                answer = self.get(path, **asked)
                packed = answer.headers["Content-Encoding"] == "gzip"
                bodies.add(gzip.decompress(answer.body) if packed else answer.body)
            self.assertEqual(len(bodies), 1, path)

    def test_who_has_it_hears_so(self):
        for path in self.addresses():
            tag = self.get(path).headers["ETag"]
            fresh = self.get(path, If_None_Match=tag)
            for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
                for asked in ({}, {"Accept_Encoding": "gzip"}):
                    own = self.get(path, **asked).headers["ETag"]
                    answer = self.get(path, If_None_Match=known.replace(tag, own.removeprefix("W/")), **asked)
                    self.assertEqual((answer.status, answer.body), (304, b""), (path, known))
                    self.assertNotIn("Content-Encoding", answer.headers)
                    self.assertEqual(answer.headers["ETag"].removeprefix("W/"), own.removeprefix("W/"))
                    self.assertEqual(answer.headers["Cache-Control"], fresh.headers["Cache-Control"])
            self.assertEqual(self.get(path, If_None_Match='"other"').status, 200)

    def test_more_than_is_kept(self):
        run = self.add(big_log(20000))["id"]
        rows = lambda n: self.get_json(f"{RUNS}/{run}/imports?limit=1000&offset={n}")["rows"]
        first = [rows(n) for n in range(0, 20000, 250)]  # some 20 MB of answers
        self.assertEqual([rows(n) for n in range(0, 20000, 250)], first)
        self.assertEqual(len({str(page) for page in first}), len(first))


class Removed(ServerTest):
    def kept(self):
        run = self.add(dump())["id"]
        path = f"{RUNS}/{run}/functions?limit=5"
        first = self.get(path)
        self.assertEqual([self.get(path).status for _ in range(3)], [200] * 3)
        return run, path, first

    def test_a_removed_run_is_gone_at_once(self):
        run, path, first = self.kept()
        self.assertEqual(self.request("DELETE", f"{RUNS}/{run}").status, 204)
        self.assertEqual(self.get(path).status, 404)
        self.assertEqual(self.get(path, If_None_Match=first.headers["ETag"]).status, 404)

    def test_also_when_another_process_removes_it(self):
        run, path, first = self.kept()
        subprocess.run([PROGRAM, "rm", run, "--data", self.data], check=True, capture_output=True)
        self.assertEqual(self.get(path).status, 404)
        self.assertEqual(self.kept()[0], run)
        self.assertEqual(seen(self.get(path)), seen(first))

    def test_another_process_imports_it_again(self):
        run, path, first = self.kept()
        original = os.path.join(self.folder, "app.prof")
        with open(original, "wb") as file:
            file.write(dump())
        for words in (["rm", run], ["add", original]):
            subprocess.run([PROGRAM, *words, "--data", self.data], check=True, capture_output=True)
        self.assertEqual(seen(self.get(path)), seen(first))


class Meant(AccessTest):
    def test_only_for_who_may_read_it(self):
        run = self.ask("POST", "/runs?wait=1", "uploader", dump()).json["id"]
        path = f"/runs/{run}/functions"
        self.assertEqual([self.ask("GET", path, "viewer").status for _ in range(3)], [200] * 3)
        self.assertEqual(self.ask("GET", path).status, 401)
        code, said = token(self.data, "revoke", "a viewer")
        self.assertEqual(code, 0, said)
        self.assertEqual(self.ask("GET", path, "viewer").status, 401)
        self.assertEqual(self.ask("GET", path, "uploader").status, 200)
        self.assertEqual(self.server.request("GET", f"/api/v1{path}", headers={"Host": "elsewhere.example"}).status, 403)


del AccessTest  # it is tested where it stands

if __name__ == "__main__":
    unittest.main()
