# SPDX-License-Identifier: MIT
"""Uploads in every form people send them, and what is left of those that fail: nothing."""
import json
import os
import shutil
import socket
import subprocess
import threading
import time
import unittest

from server import RUNS, ServerTest, big_log, dump, field, file_part, form, import_log, kept, slow_log
from wait import wait_until  # where server.py looks


class Raw(ServerTest):
    def test_wait_answers_the_run(self):
        answer = self.request("POST", RUNS + "?wait=1&name=a+b&series=s&tag=k=v&tag=x&who=mei", import_log("import this"))
        self.assertEqual(answer.status, 201, answer.body)
        run = answer.json
        self.assertEqual((run["name"], run["series"], run["tags"], run["who"], run["kind"], run["already"]),
                         ("a b", "s", {"k": "v", "x": ""}, "mei", "importtime", False))
        self.assertEqual(answer.headers["Location"], f"{RUNS}/{run['id']}")
        again = self.request("POST", RUNS + "?wait=1&name=other", import_log("import this"))
        self.assertEqual((again.status, again.json["already"], again.json["name"]), (200, True, "a b"))
        self.assertEqual(self.spool(), [])

    def test_a_job_at_once(self):
        answer = self.request("POST", RUNS + "?filename=calls.prof", dump())
        self.assertEqual(answer.status, 202, answer.body)
        job = answer.json["job"]
        self.assertEqual(list(job), ["id", "state", "name", "kind", "bytes_total", "bytes_done", "records", "run",
                                     "already", "error", "created_at"])
        self.assertEqual((job["name"], job["bytes_total"]), ("calls.prof", len(dump())))
        self.assertEqual(answer.headers["Location"], f"/api/v1/jobs/{job['id']}")
        job = self.job(job["id"])
        self.assertEqual((job["state"], job["kind"], job["error"]), ("done", "pstats", None))
        self.assertEqual(self.get_json(f"{RUNS}/{job['run']}")["rows"], job["records"])
        self.assertIn(job, self.get_json("/api/v1/jobs")["rows"])

    def test_any_content_type_is_raw(self):
        for kind in ("application/x-www-form-urlencoded", "text/plain", "application/json"):
            self.assertEqual(self.request("POST", RUNS + "?wait=1", import_log(), Content_Type=kind).status // 100, 2)

    def test_put(self):
        answer = self.request("PUT", RUNS + "/a%20name.log?wait=1", import_log("import calendar"))
        self.assertEqual(answer.status, 201, answer.body)
        self.assertEqual(self.request("PUT", RUNS + "?wait=1", import_log("import calendar")).status, 200)

    def test_chunked(self):
        content = import_log("import configparser")
        pieces = [content[i:i + 1000] for i in range(0, len(content), 1000)]
        connection = self.server.connect()
        connection.request("POST", RUNS + "?wait=1", iter(pieces), {"Transfer-Encoding": "chunked"}, encode_chunked=True)
        reply = connection.getresponse()
        self.assertEqual((reply.status, json.load(reply)["bytes"]), (201, len(content)))
        connection.close()

    def test_empty_body(self):
        answer = self.request("POST", RUNS + "?wait=1", b"")
        self.assertRefused(answer, 400, "bad_request")
        self.assertIn("curl", answer.error["hint"])

    def test_unknown_and_damaged(self):
        before = self.get_json(RUNS)["total"]
        self.assertRefused(self.request("POST", RUNS + "?wait=1", b"\xff\x00" * 2500), 415, "unknown_kind")
        answer = self.request("POST", RUNS + "?wait=1", dump()[:-30])
        self.assertRefused(answer, 422, "bad_input")
        self.assertIsInstance(answer.error["at"], int)
        job = self.job(self.request("POST", RUNS, dump()[:-31]).json["job"]["id"])
        self.assertEqual((job["state"], job["kind"], job["run"], job["error"]["code"]),
                         ("failed", "pstats", None, "bad_input"))
        self.assertEqual((self.get_json(RUNS)["total"], self.spool()), (before, []))

    def test_a_cache_of_xprof_is_named(self):
        body, kind = form(file_part(b"\n\x07\x91\x00vm", "ALL_HOSTS.op_stats_v2.pb"))
        for answer in (self.request("POST", RUNS + "?wait=1", body, Content_Type=kind), self.request("PUT", RUNS + "/vm.SSTABLE?wait=1", b"\n\x07\x91\x00vm")):
            self.assertIn(b"this is a cache of xprof, computed from a recording of XLA", answer.body)

    def test_notes(self):
        note = "line one\nline two \u2603 <b>"
        run = self.add(import_log("import cmd, pdb"), note=note)
        self.assertEqual(run["note"], note)
        longest = "\u2603" * 4000
        body, kind = form(field("note", longest), field("wait", "1"), file_part(import_log("import csv, pdb"), "a.log"))
        self.assertEqual(self.request("POST", RUNS, body, Content_Type=kind).json["note"], longest)
        body, kind = form(field("note", "a\r\nb"), field("wait", "1"), file_part(import_log("import calendar, pdb"), "a.log"))
        self.assertEqual(self.request("POST", RUNS, body, Content_Type=kind).json["note"], "a\nb")
        other = self.add(import_log("import cmd, csv, pdb"))
        self.assertEqual(other["note"], "")

    def test_notes_of_uploads_in_pieces(self):
        for n, (body, query, status) in enumerate((('{"note":"in the\\nbody"}', "", 201), (None, "&note=in%20the%0Abody", 201), ('{"note":1}', "", 400), ("{", "", 400),
                                                   ('{"note":"\\u001b"}', "", 400), ('{"note":"\\u0000"}', "", 400), (None, "&note=%07", 400))):
            with self.subTest(body=body):
                content = import_log(f"import json  # {n}") + b"# %d\n" % n
                at = f"/api/v1/uploads/{self.request('POST', '/api/v1/uploads').json['id']}"
                self.assertEqual(self.request("PUT", f"{at}?offset=0", content).status, 200)
                ended = self.request("POST", f"{at}/end?bytes={len(content)}&wait=1{query}", body)
                self.assertEqual(ended.status, status, ended.body)
                if status == 201:
                    self.assertEqual(ended.json["note"], "in the\nbody")
                else:
                    self.assertEqual(self.request("DELETE", at).status, 204)
        self.assertSpoolEmpties()

    def test_bad_labels(self):
        for query in ("name=" + "x" * 401, "name=%ff", "tag==v", "series=a%0ab", "name=a%00b", "note=a%00b", "note=%ff", "note=%1b", "note=" + "x" * 4001, "name=%zz",
                      "filename=a%0a", "&".join(f"tag=k{i}" for i in range(65)), "&".join("a=1" for _ in range(257))):
            with self.subTest(query=query[:20]):
                self.assertRefused(self.request("POST", f"{RUNS}?wait=1&{query}", import_log()), 400, "bad_request")
        self.assertSpoolEmpties()

    def test_cut_off_in_the_middle(self):
        with self.server.socket() as link:
            link.sendall(b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n" % RUNS.encode())
            link.sendall(b"x" * 500000)
            wait_until(self.spool, 20, "a file in the spool folder")
            self.assertEqual(len(self.spool()), 1)
        self.assertSpoolEmpties()

    def test_cut_off_in_a_form(self):
        body, kind = form(file_part(b"x" * 500000, "a"))
        with self.server.socket() as link:
            link.sendall(f"POST {RUNS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n"
                         f"Content-Length: {len(body)}\r\n\r\n".encode() + body[:300000])
            wait_until(self.spool, 20, "a file in the spool folder")
        self.assertSpoolEmpties()

    def test_same_bytes_side_by_side(self):
        content, answers = big_log(20000, seed=1), []
        threads = [threading.Thread(target=lambda: answers.append(self.request("POST", RUNS + "?wait=1", content)))
                   for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(a.status for a in answers), [200] * 7 + [201], [a.body[:200] for a in answers])
        self.assertEqual(len({a.json["id"] for a in answers}), 1)
        self.assertEqual(sorted(a.json["already"] for a in answers), [False] + [True] * 7)
        self.assertEqual(self.get(f"{RUNS}/{answers[0].json['id']}/original").body, content)

    def test_another_process_opens_the_shelf_meanwhile(self):
        content = big_log(30000, seed=2)
        with self.server.socket() as link:
            link.sendall(b"POST %s?wait=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
                         % (RUNS.encode(), len(content)) + content[:100000])
            wait_until(self.spool, 20, "a file in the spool folder")
            subprocess.run([self.server.process.args[0], "list", "--data", self.data], check=True, capture_output=True)
            link.sendall(content[100000:])
            self.assertIn(b"HTTP/1.1 201", link.recv(100))


class Forms(ServerTest):
    def post(self, *parts, query="?wait=1", **options):
        body, kind = form(*parts, **options)
        return self.request("POST", RUNS + query, body, Content_Type=kind)

    def test_one_file_with_fields(self):
        answer = self.post(field("name", "named"), field("tag", "a=b"), file_part(import_log("import cmd"), "x.log"),
                           field("series", "späte"))
        self.assertEqual(answer.status, 201, answer.body)
        self.assertEqual((answer.json["name"], answer.json["series"], answer.json["tags"]), ("named", "späte", {"a": "b"}))

    def test_several_files(self):
        bad = os.urandom(100)
        answer = self.post(file_part(import_log("import csv"), "a"), file_part(bad, "b"), file_part(dump(), "c"))
        self.assertEqual(answer.status, 201, answer.body)
        first, second, third = answer.json["runs"]
        self.assertEqual((first["kind"], second["error"]["code"], third["kind"]), ("importtime", "unknown_kind", "pstats"))
        again = self.post(file_part(import_log("import csv"), "a"), file_part(dump(), "c"))
        self.assertEqual((again.status, [run["already"] for run in again.json["runs"]]), (200, [True, True]))

    def test_several_jobs(self):
        answer = self.post(file_part(import_log("import cgi"), "a"), file_part(dump(), "c"), query="")
        self.assertEqual(answer.status, 202)
        jobs = answer.json["jobs"]
        self.assertEqual((len(jobs), jobs[0]["id"], jobs[1]["name"]), (2, answer.json["job"]["id"], "c"))
        self.assertEqual({self.job(job["id"])["state"] for job in jobs}, {"done"})

    def test_hostile_file_names(self):
        before = os.listdir(self.data), os.listdir(self.folder)
        names = {"../../etc/passwd": "passwd", "C:\\temp\\a.log": "a.log", "..": "", "a%22b": 'a"b', 'q\\"q': 'q"q',
                 "x\x01y": "x_y", "/": "", "a;b=c": "a;b=c", "ü.log": "ü.log", "n" * 300: "n" * 255}
        for sent, expected in names.items():
            with self.subTest(name=sent[:20]):
                job = self.post(file_part(b"none of ours", sent), query="").json["job"]
                self.assertEqual(self.job(job["id"])["name"], expected)
        answer = self.post(('Content-Disposition: form-data; name="file"; filename="x"; filename*=UTF-8\'\'%e2%82%ac',
                            b"none of ours"), query="")
        self.assertEqual(answer.json["job"]["name"], "€")
        self.assertEqual((os.listdir(self.data), os.listdir(self.folder)), before)

    def test_nul_in_a_file_name(self):
        self.assertEqual(self.post(file_part(import_log(), "a\0b")).status // 100, 2)

    def test_content_that_looks_like_a_boundary(self):
        content = import_log() + b"\r\n--b0undar\r\n--\r\n\r\n--b0undar"
        answer = self.post(file_part(content, "a"))
        self.assertEqual(self.get(f"{RUNS}/{answer.json['id']}/original").body, content)

    def test_boundary_in_quotes_and_preamble(self):
        body, _ = form(file_part(import_log(), "a"), boundary="a b")
        kind = 'multipart/form-data; charset=utf-8; boundary="a b"'
        self.assertEqual(self.request("POST", RUNS + "?wait=1", b"preamble\r\n" + body + b"epilogue", Content_Type=kind).status // 100, 2)

    def test_broken_forms(self):
        body, kind = form(file_part(import_log(), "a"))
        broken = {"no boundary": (body, "multipart/form-data"),
                  "cut": (body[:-10], kind),
                  "another boundary": (body, kind + "x"),
                  "no name": form(("Content-Disposition: form-data", b"x")),
                  "no header": form(("", b"x")),
                  "long header": form(("X: " + "y" * 9000, b"x")),
                  "no file": form(field("name", "x")),
                  "a NUL": form(field("name", "x\0y"), file_part(import_log(), "a")),
                  "too many files": form(*[file_part(b"x", "a")] * 101)}
        for what, (content, content_type) in broken.items():
            with self.subTest(what=what):
                answer = self.request("POST", RUNS + "?wait=1", content, Content_Type=content_type)
                self.assertRefused(answer, 400, "bad_request")
        answer = self.post(field("name", "x" * 70000), file_part(import_log(), "a"))
        self.assertRefused(answer, 413, "too_large")
        self.assertSpoolEmpties()


class Jobs(ServerTest):
    def test_cancel(self):
        # Two workers: the first two run and the others wait.
        body, kind = form(*[file_part(slow_log(n), f"{n}") for n in range(4)])
        jobs = [job["id"] for job in self.request("POST", RUNS, body, Content_Type=kind).json["jobs"]]
        queued = self.request("DELETE", f"/api/v1/jobs/{jobs[3]}")
        self.assertEqual((queued.status, queued.json["state"]), (200, "cancelled"), queued.body)
        self.assertEqual(queued.json["error"]["code"], "cancelled")
        self.job(jobs[0], ("running",))
        self.assertEqual(self.request("DELETE", f"/api/v1/jobs/{jobs[0]}").status, 200)
        self.assertEqual(self.request("DELETE", f"/api/v1/jobs/{jobs[1]}").status, 200)
        self.assertEqual(self.request("DELETE", f"/api/v1/jobs/{jobs[2]}").status, 200)
        self.assertEqual({self.job(job)["state"] for job in jobs}, {"cancelled"})
        self.assertRefused(self.request("DELETE", f"/api/v1/jobs/{jobs[3]}"), 409, "conflict")
        self.assertEqual((self.get_json(RUNS)["total"], self.spool()), (0, []))
        self.assertEqual(kept.keys(self.data, "runs"), [])
        self.assertEqual(kept.keys(self.data, "originals"), [])

    def test_who_waits_hears_of_the_cancel(self):
        answers = []
        thread = threading.Thread(
            target=lambda: answers.append(self.request("POST", RUNS + "?wait=1", slow_log(9))))
        thread.start()
        until = time.monotonic() + 20
        while time.monotonic() < until and not answers:
            for job in self.get_json("/api/v1/jobs")["rows"]:
                if job["state"] in ("queued", "running"):
                    self.request("DELETE", f"/api/v1/jobs/{job['id']}")
        thread.join()
        self.assertRefused(answers[0], 409, "cancelled")

    def test_unknown_jobs(self):
        for name in ("j999", "999", "jx", "j0", "j-1"):
            self.assertRefused(self.get(f"/api/v1/jobs/{name}"), 404, "not_found")
            self.assertRefused(self.request("DELETE", f"/api/v1/jobs/{name}"), 404, "not_found")
            self.assertRefused(self.get(f"/api/v1/jobs/{name}/events"), 404, "not_found")

    def test_the_last_fifty_are_listed_and_others_known(self):
        first = self.request("POST", RUNS, b"x").json["job"]["id"]
        for _ in range(60):
            self.request("POST", RUNS + "?wait=1", b"x")
        listed = [job["id"] for job in self.get_json("/api/v1/jobs")["rows"]]
        self.assertEqual(len(listed), 50)
        self.assertNotIn(first, listed)
        self.assertEqual(self.job(first)["state"], "failed")


@unittest.skipUnless(shutil.which("curl"), "curl is not installed")
class Curl(ServerTest):
    """As a teammate would type it."""

    def curl(self, *args):
        done = subprocess.run(["curl", "-sS", *args], capture_output=True, timeout=60, check=True, cwd=self.folder)
        return json.loads(done.stdout)

    def setUp(self):
        with open(os.path.join(self.folder, "f"), "wb") as file:
            file.write(import_log())
        with open(os.path.join(self.folder, "odd"), "wb") as file:
            file.write(b"none of ours")
        with open(os.path.join(self.folder, "large"), "wb") as file:
            file.write(big_log(40000))  # over a megabyte: curl asks with Expect: 100-continue

    def test_all_three_ways(self):
        url = f"localhost:{self.server.port}{RUNS}?wait=1"
        runs = [self.curl("--data-binary", "@f", url), self.curl("-F", "file=@f", url), self.curl("-T", "f", url),
                self.curl("-F", "file=<f", url)]
        self.assertEqual(len({run["id"] for run in runs}), 1)
        self.assertEqual(self.curl("-T", "odd", f"localhost:{self.server.port}{RUNS}/")["job"]["name"], "odd")

    def test_expect_100_continue(self):
        run = self.curl("-H", "Expect: 100-continue", "--data-binary", "@large", f"localhost:{self.server.port}{RUNS}?wait=1")
        self.assertEqual(run["bytes"], os.path.getsize(os.path.join(self.folder, "large")))
        self.curl("--data-binary", "@large", f"localhost:{self.server.port}{RUNS}?wait=1")
        refused = self.curl("-X", "PATCH", "-H", "Expect: 100-continue", "--data-binary", "@large",
                            f"localhost:{self.server.port}{RUNS}/{run['id']}")
        self.assertEqual(refused["error"]["code"], "too_large")
