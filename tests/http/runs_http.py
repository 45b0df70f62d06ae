# SPDX-License-Identifier: MIT
"""Runs: listed, shown, changed, removed, downloaded; their views; what is cached."""
import gzip
import hashlib
import itertools
import json
import os
import re
import urllib.parse

from server import ROOT, RUNS, ServerTest, dump, import_log


class Shelf(ServerTest):
    def test_empty_and_filled(self):
        shelf = self.get_json("/api/v1/shelf")
        self.assertEqual(shelf["version"], "0.2.0")
        self.assertEqual(shelf["listen"], f"127.0.0.1:{self.server.port}")
        run = self.add(import_log("import argparse"), name="first", series="s", tag="a=b", who="mei")
        shelf = self.get_json("/api/v1/shelf")
        self.assertEqual(shelf["runs"], 1)
        self.assertEqual(shelf["tags"], ["a=b"])
        self.assertEqual(shelf["who"], ["mei"])
        self.assertEqual(self.get_json(RUNS)["total"], 1)
        self.assertEqual(self.request("DELETE", f"{RUNS}/{run['id']}").status, 204)
        self.assertEqual(self.get_json(RUNS), {"total": 0, "rows": []})

    def test_formats(self):
        rows = self.get_json("/api/v1/formats")["rows"]
        with open(os.path.join(ROOT, "docs", "formats.md"), encoding="utf-8") as file: # its tables name every kind
            documented = set(re.findall(r"^\| ([a-z_-]+) \|", file.read(), re.M)) - {"kind"}
        self.assertEqual({row["kind"] for row in rows}, documented)
        self.assertEqual(list(rows[0]), ["kind", "label", "what", "record", "mark", "has", "merges", "tabs"])
        with open(os.path.join(ROOT, "docs", "api.md"), encoding="utf-8") as file:
            words = set(re.findall(r"^\| ([a-z_]+) \|", file.read().partition("| word | what runs of this kind hold |")[2].partition("\n\n")[0], re.M))
        self.assertEqual({word for row in rows for word in row["has"]}, words)
        by_kind = {row["kind"]: row for row in rows}
        self.assertEqual(by_kind["scalene"]["has"], ["line_cpu", "memory", "stacks"])
        self.assertEqual(by_kind["scalene"]["tabs"], ["lines", "line-functions", "line-files", "allocation-flame", "allocating-functions", "allocation-sandwich", "memory", "across"])
        self.assertEqual({row["kind"] for row in rows if row["merges"]}, {"line_profiler", "torch-trace", "xla-trace", "serving", "serving-trace"})


class KindCounts(ServerTest):
    def test_kinds_are_counted_whatever_the_kind(self):
        def kinds(query):
            return {row["kind"]: row["runs"] for row in self.get_json(f"{RUNS}?kinds_too=1&limit=0{query}")["kinds"]}
        every = kinds("")
        self.assertEqual(every, {row["kind"]: row["runs"] for row in self.get_json("/api/v1/shelf")["kinds"]})
        self.add(import_log("import glob"), name="counted one", tag="counted=yes")
        self.add(import_log("import csv"), name="counted two", tag="counted=yes")
        self.add(dump(), name="counted three", tag="counted=yes")
        for query in ("&q=counted", "&tag=counted%3Dyes", "&q=counted&kind=pstats", "&q=counted&kind=none"):
            self.assertEqual(kinds(query), {"importtime": 2, "pstats": 1}, query)
        self.assertEqual(kinds("&q=counted&tag=counted%3Dno"), {})
        self.assertNotIn("kinds", self.get_json(RUNS))
        self.assertRefused(self.get(f"{RUNS}?kinds_too=x"), 400, "bad_request")


class Filters(ServerTest):
    """Of the runs that are there, those that are asked for, in the order that is asked for."""
    KEYS = {"created_at": "created_at", "name": "name", "who": "who", "series": "series"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shelf = cls("asked")
        for i in range(24):
            log = f"import time: self [us] | cumulative | imported package\nimport time: {i:9} | {i:9} | m\n".encode()
            query = f"name=Step%20{i * 7 % 24:02}&series=s{i % 3}&who={'meiava'[i % 2 * 3:][:3]}&tag=branch=b{i % 4}&tag=e={i % 5}=x"
            answer = shelf.request("POST", f"{RUNS}?wait=1&{query}", log if i % 6 else dump() + bytes([0]) * i)
            shelf.assertEqual(answer.status, 201, answer.body)

    def asked(self, page="", **filters):
        return self.get_json(f"{RUNS}?{urllib.parse.urlencode(filters)}{page}")

    @staticmethod
    def fits(run, asked):
        tag = asked.get("tag")
        words = f"{run['name']} {run['series']} {run['kind']} {run['who']} {' '.join(f'{k}={v}' for k, v in run['tags'].items())}".lower()
        return (all(run[key] == asked[key] for key in ("kind", "series", "who") if key in asked)
                and (not tag or run["tags"].get(tag.partition("=")[0]) == tag.partition("=")[2])
                and all((word.lstrip("-").lower() in words) != word.startswith("-") for word in asked.get("q", "").split()))

    def test_together(self):
        runs = self.asked(limit=100)["rows"]
        self.assertEqual(len(runs), 24)
        asked = {"kind": "pstats", "series": "s1", "who": "mei", "tag": "branch=b2", "q": "STEP 1 -s2"}
        for some in itertools.product(*[(None, key) for key in asked]):
            filters = {key: asked[key] for key in some if key}
            rows = [run for run in runs if self.fits(run, filters)]
            answer = self.asked(**filters)
            self.assertEqual((answer["total"], answer["rows"]), (len(rows), rows), filters)
            for sort, key in self.KEYS.items():
                answer = self.asked("&limit=2&offset=1", sort=sort, desc=0, **filters)
                keys = sorted(run[key] for run in rows)[1:3]
                self.assertEqual((answer["total"], [run[key] for run in answer["rows"]]), (len(rows), keys), filters)

    def test_several_kinds(self):
        every = self.asked(limit=100)
        self.assertEqual(self.asked(kinds="pstats,importtime", limit=100), every)
        self.assertEqual(self.asked(kinds="pstats"), self.asked(kind="pstats"))
        self.assertEqual(self.asked(kinds="trace,pstats", kind="importtime")["total"], 0)
        self.assertEqual(self.asked(kinds="pstat,stats")["total"], 0)

    def test_words(self):
        runs = self.asked(limit=100)["rows"]
        for q in ("s", "S1", "=", "e=3=x", "BRANCH=B3", "step", "tep 0", "x" * 300, "-mei", "- ", "ST", "23", "p 2", "0=x"):
            self.assertEqual(self.asked(q=q)["rows"], [run for run in runs if self.fits(run, {"q": q})], q)

    def test_a_tag_follows_its_runs(self):
        run = self.asked(tag="branch=b1")["rows"][0]
        path, before = f"{RUNS}/{run['id']}", self.asked(tag="branch=b1")["total"]
        for tags, found in (({"branch": "b9"}, (before - 1, 1)), ({"branch": "b1", "k": ""}, (before, 0)), ({}, (before - 1, 0)), (run["tags"], (before, 0))):
            self.assertEqual(self.request("PATCH", path, json.dumps({"tags": tags})).status, 200)
            self.assertEqual(tuple(self.asked(tag=f"branch={branch}")["total"] for branch in ("b1", "b9")), found, tags)
        for tag in ("branch=b", "branch", "e=3", "=b1", "branch=b1 "):
            self.assertEqual(self.asked(tag=tag), {"total": 0, "rows": []}, tag)


class Run(ServerTest):
    def setUp(self):
        self.run_ = self.add(import_log(), name="json")
        self.path = f"{RUNS}/{self.run_['id']}"

    def test_an_id_is_the_start_of_the_hash(self):
        digest = hashlib.sha256(import_log()).hexdigest()
        self.assertEqual((self.run_["id"], self.run_["sha256"]), (digest[:16], digest))

    def test_found_by_prefix_and_name(self):
        for name in (self.run_["id"][:8], self.run_["id"][:3].upper(), "json", "@1"):
            self.assertEqual(self.get_json(f"{RUNS}/{name}")["id"], self.run_["id"])
        for name in ("ffffffffffffffff", self.run_["id"] + "0", self.run_["id"][:8] + "g", "0", "-", "ff%ff"):
            self.assertRefused(self.get(f"{RUNS}/{name}"), 404, "not_found")

    def test_patch(self):
        change = {"name": "näme", "series": "s", "tags": {"branch": "main", "slow": ""}}
        answer = self.request("PATCH", self.path, json.dumps(change))
        self.assertEqual(answer.status, 200, answer.body)
        self.assertEqual({key: answer.json[key] for key in change}, change)
        self.assertEqual(self.get_json(self.path)["name"], "näme")
        self.assertEqual(self.request("PATCH", self.path, '{"tags":{}}').json["tags"], {})
        self.request("PATCH", self.path, '{"name":"json"}')

    def test_patch_of_the_note(self):
        note = "after the cache was warmed,\n<script>alert(1)</script> & \u2603"
        changed = self.request("PATCH", self.path, json.dumps({"note": note}))
        self.assertEqual((changed.status, changed.json["note"], changed.json["name"]), (200, note, "json"), changed.body)
        self.assertEqual(self.request("PATCH", self.path, '{"name":"json"}').json["note"], note)
        self.assertEqual(self.get_json(self.path)["note"], note)
        for q, found in (("CACHE warmed", 1), ("cache -\u2603", 0), ("alert(1)", 1)):
            rows = self.get_json(f"{RUNS}?{urllib.parse.urlencode({'q': q})}")["rows"]
            self.assertEqual([row["note"] for row in rows], [note] * found, q)
        asked = {"sql": "SELECT note FROM runs WHERE run = ?1".replace("?1", f"'{self.run_['id']}'"), "runs": [self.run_["id"]]}
        self.assertEqual(self.request("POST", "/api/v1/sql", json.dumps(asked)).json["rows"], [[note]])
        self.assertEqual(self.request("DELETE", self.path).status, 204)
        self.assertEqual(self.request("POST", f"{self.path}/undelete").json["note"], note)
        longest = "\U0001f642" * 4000
        self.assertEqual(self.request("PATCH", self.path, json.dumps({"note": longest}, ensure_ascii=False).encode()).json["note"], longest)
        self.assertEqual(self.request("PATCH", self.path, '{"note":"a\\r\\nb\\rc"}').json["note"], "a\nb\nc")
        self.assertEqual(self.request("PATCH", self.path, '{"note":""}').json["note"], "")
        self.assertEqual(self.get_json(f"{RUNS}?q=cache")["total"], 0)

    def test_patch_refuses_notes(self):
        self.request("PATCH", self.path, '{"note":"as it was"}')
        for note, why in (("\u001b[31m", "control character"), ("a\tb", "control character"), ("\u007f", "control character"),
                          ("x" * 4001, "4001 characters, more than 4000"), (1, "string"), (None, "string"), (["x"], "string")):
            answer = self.request("PATCH", self.path, json.dumps({"note": note}))
            self.assertRefused(answer, 400, "bad_request")
            self.assertIn(why, answer.error["text"])
        for body in (b'{"note":"a\xff"}', b'{"note":"\xed\xa0\x80"}', b'{"note":"a\\u0000b"}', b'{"note":"\\ud800"}', b'{"name":"a\\u0000b"}'):
            self.assertRefused(self.request("PATCH", self.path, body), 400, "bad_request")
        self.assertEqual(self.request("PATCH", self.path, '{"note":"a\\\\u0000b"}').json["note"], "a\\u0000b")
        self.request("PATCH", self.path, '{"note":""}')

    def test_patch_refuses(self):
        for body in ("", "{", "[]", '{"name":1}', '{"name":""}', '{"tags":[]}', '{"tags":{"a":1}}', '{"id":"x"}',
                     '{"tags":{"":"x"}}', json.dumps({"name": "x" * 401}), '{"name":"a\\nb"}',
                     json.dumps({"tags": {str(i): "" for i in range(65)}})):
            with self.subTest(body=body[:30]):
                self.assertRefused(self.request("PATCH", self.path, body), 400, "bad_request")
        self.assertRefused(self.request("PATCH", self.path, "x" * 70000), 413, "too_large")
        self.assertRefused(self.request("PATCH", f"{RUNS}/ffff", "{}"), 404, "not_found")

    def test_original(self):
        answer = self.get(self.path + "/original")
        self.assertEqual(answer.body, import_log())
        self.assertEqual(answer.headers["Content-Type"], "application/octet-stream")
        self.assertEqual(answer.headers["Content-Disposition"], 'attachment; filename="json"')
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")

    def test_original_with_a_hostile_name(self):
        run = self.add(import_log("import ast"), name='a"b/../ü%.html')
        header = self.get(f"{RUNS}/{run['id']}/original").headers["Content-Disposition"]
        self.assertEqual(header, "attachment; filename=\"a_b_..____.html\"; "
                                 "filename*=UTF-8''a%22b%2F%2E%2E%2F%C3%BC%25%2Ehtml")

    def test_etag_of_the_run_follows_its_name(self):
        first = self.get(self.path)
        self.assertEqual(first.headers["Cache-Control"], "private, no-cache")
        again = self.get(self.path, If_None_Match=first.headers["ETag"])
        self.assertEqual((again.status, again.body), (304, b""))
        self.assertEqual(again.headers["ETag"], first.headers["ETag"])
        self.request("PATCH", self.path, '{"name":"other"}')
        self.assertEqual(self.get(self.path, If_None_Match=first.headers["ETag"]).status, 200)
        self.request("PATCH", self.path, '{"name":"json"}')

    def test_delete(self):
        run = self.add(dump())
        path = f"{RUNS}/{run['id']}"
        self.assertEqual(self.request("DELETE", path).status, 204)
        self.assertRefused(self.get(path), 404, "not_found")
        self.assertRefused(self.request("DELETE", path), 404, "not_found")
        self.assertRefused(self.get(path + "/original"), 404, "not_found")


class View(ServerTest):
    def setUp(self):
        self.run_ = self.add(import_log("import asyncio"))
        self.path = f"{RUNS}/{self.run_['id']}"

    def test_table(self):
        page = self.get_json(self.path + "/imports?limit=3&sort=self_us&desc=1")
        self.assertEqual(len(page["rows"]), 3)
        at = page["columns"].index("self_us")
        values = [row[at] for row in page["rows"]]
        self.assertEqual(values, sorted(values, reverse=True))
        self.assertGreater(page["total"], 3)

    def test_plus_and_percent_are_decoded(self):
        self.assertGreater(self.get_json(self.path + "/imports?q=asyncio+events")["total"], 0)
        self.assertGreater(self.get_json(self.path + "/imports?q=asyncio%2Eevents")["total"], 0)

    def test_cached_for_ever_under_the_whole_id_only(self):
        answer = self.get(self.path + "/imports")
        self.assertEqual(answer.headers["Cache-Control"], "private, max-age=31536000, immutable")
        self.assertTrue(answer.headers["ETag"].lstrip('W/"').startswith(self.run_["id"]))
        short = self.get(f"{RUNS}/{self.run_['id'][:10]}/imports")
        self.assertEqual((short.status, short.headers["Cache-Control"]), (200, "private, no-cache"))

    def test_not_modified(self):
        tag = self.get(self.path + "/imports").headers["ETag"]
        for sent in (tag, f'"x", {tag}', tag.removeprefix("W/"), "*"):
            answer = self.get(self.path + "/imports", If_None_Match=sent)
            self.assertEqual((answer.status, answer.body), (304, b""), sent)
        self.assertEqual(self.get(self.path + "/imports", If_None_Match='"x"').status, 200)

    def test_errors_are_not_cached(self):
        for path in ("/nothing", "/functions", "/imports/999999"):
            answer = self.get(self.path + path)
            self.assertRefused(answer, 404, "not_found")
            self.assertEqual(answer.headers["Cache-Control"], "no-store")
        self.assertRefused(self.get(self.path + "/imports?limit=many"), 400, "bad_request")

    def test_wrong_regular_expression_says_where(self):
        answer = self.get(self.path + "/imports?regex=1&q=a(b")
        self.assertRefused(answer, 400, "bad_request")
        self.assertEqual(answer.error["at"], 3)

    def test_csv_is_a_download(self):
        answer = self.get(self.path + "/imports?format=csv")
        self.assertTrue(answer.headers["Content-Type"].startswith("text/csv"))
        self.assertEqual(answer.headers["Content-Disposition"],
                         f'attachment; filename="{self.run_["id"]}-imports.csv"')

    def test_gzip(self):
        plain = self.get(self.path + "/imports")
        packed = self.get(self.path + "/imports", Accept_Encoding="br, gzip;q=0.5")
        self.assertEqual(packed.headers["Content-Encoding"], "gzip")
        self.assertEqual(gzip.decompress(packed.body), plain.body)
        self.assertLess(len(packed.body), len(plain.body) / 2)
        self.assertIn("Accept-Encoding", plain.headers["Vary"])
        for refused in ("gzip;q=0", "identity", "br"):
            self.assertIsNone(self.get(self.path + "/imports", Accept_Encoding=refused).headers["Content-Encoding"])
        tag = packed.headers["ETag"]
        self.assertEqual(self.get(self.path + "/imports", Accept_Encoding="gzip", If_None_Match=tag).status, 304)

    def test_head(self):
        for path in ("/imports", "", "/original"):
            get, head = self.get(self.path + path), self.request("HEAD", self.path + path)
            self.assertEqual((head.status, head.body), (200, b""))
            self.assertEqual(head.headers["Content-Length"], str(len(get.body)))
