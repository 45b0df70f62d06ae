# SPDX-License-Identifier: MIT
"""Sources beside line profiles, one file as several runs measured it, and runs that become one."""
import cProfile
import gzip
import hashlib
import os
import re
import sys
import tempfile
import unittest
import urllib.parse

from server import ROOT, RUNS, Events, ServerTest, dump, field, file_part, form, import_log, kept

sys.path.append(os.path.join(ROOT, "tests", "bench"))
import make_lprof  # noqa: E402

SOURCE = b"def work(n):\n    total = 0\n    for i in range(n):\n        total += i\n    return total\n"
TEXT = SOURCE.decode().splitlines()


def lprof(path="src/app.py", ticks=100, **options):
    """A profile of SOURCE; `ticks` tells profiles apart."""
    lines = [(2, 1, ticks), (3, 11, 10 * ticks), (4, 10, 7), (5, 1, 3)]
    return make_lprof.dump({(path, 1, "work"): lines}, **options)


def part(content, filename):
    return file_part(content, filename, name="source")


class LineTest(ServerTest):
    def setUp(self):
        self.run_ = self.add(lprof())
        self.path = f"{RUNS}/{self.run_['id']}"

    def put(self, content, path="src/app.py", where=None, **headers):
        query = urllib.parse.urlencode({"path": path})
        return self.request("PUT", f"{where or self.path}/sources?{query}", content, **headers)

    def source(self, run=None):
        return self.get_json(f"{RUNS}/{run or self.run_['id']}/source?file=1")

    def post_form(self, *parts, query="?wait=1"):
        body, kind = form(*parts)
        return self.request("POST", RUNS + query, body, Content_Type=kind)


class Carried(ServerTest):
    def test_a_line_number_of_billions(self):
        """The text has a place for each line before the last: this one took 30 GiB."""
        report = ("Timer unit: 1e-06 s\n\nTotal time: 0.5 s\nFile: app.py\nFunction: f at line 10\n\n"
                  "Line #      Hits         Time  Per Hit   % Time  Line Contents\n" + "=" * 62 + "\n"
                  "    12         1     200000.0 200000.0     40.0      a()\n"
                  "2000000000     1     300000.0 300000.0     60.0      b()\n")
        run = self.add(report.encode())
        source = self.get_json(f"{RUNS}/{run['id']}/source?file=1")
        self.assertEqual((source["line"], source["ticks"]), ([12, 2000000000], [200000.0, 300000.0]))
        self.assertEqual(source["text"][-1], "    a()")
        with open(f"/proc/{self.server.process.pid}/status", encoding="ascii") as status:
            peak = int(re.search(r"VmHWM:\s+(\d+) kB", status.read())[1])
        self.assertLess(peak, 2 << 20)


class Attach(LineTest):
    def test_missing_then_attached(self):
        run = self.add(lprof(ticks=101))
        before = self.source(run["id"])
        self.assertEqual((before["source"]["state"], before["text"]), ("missing", []))
        answer = self.put(SOURCE, where=f"{RUNS}/{run['id']}")
        self.assertEqual(answer.status, 200, answer.body)
        self.assertEqual(answer.json, {"sha256": hashlib.sha256(SOURCE).hexdigest(), "state": "attached"})
        after = self.source(run["id"])
        self.assertEqual(after["text"], TEXT)
        self.assertEqual(after["source"], dict(answer.json, bytes=len(SOURCE)))
        self.assertEqual((after["line"], after["hits"], after["ticks"]), ([2, 3, 4, 5], [1, 11, 10, 1], [101, 1010, 7, 3]))
        rows = self.get_json(f"{RUNS}/{run['id']}/sources")["rows"]
        self.assertEqual(rows, [{"file_id": 1, "path": "src/app.py", **after["source"]}])

    def test_the_last_one_counts(self):
        self.put(b"pass\n")
        self.put(SOURCE)
        self.assertEqual(self.source()["text"], TEXT)

    def test_odd_texts(self):
        for content, lines in ((b"\xef\xbb\xbfa\r\nb\rc", ["a", "b", "c"]), (b"\n", [""]), (b"\xff\x00x\n", ["\ufffd\x00x"])):
            self.assertEqual(self.put(content).status, 200)
            self.assertEqual(self.source()["text"], lines)

    def test_refusals(self):
        self.assertRefused(self.put(SOURCE, path="app.py"), 404, "not_found")
        self.assertIn("/sources", self.put(SOURCE, path="../src/app.py").error["hint"])
        self.assertRefused(self.put(SOURCE, where=f"{RUNS}/ffffffffffffffff"), 404, "not_found")
        self.assertRefused(self.put(b""), 400, "bad_request")
        self.assertRefused(self.request("PUT", f"{self.path}/sources", SOURCE), 400, "bad_request")
        pstats = self.add(dump())
        self.assertRefused(self.put(SOURCE, where=f"{RUNS}/{pstats['id']}"), 404, "not_found")
        self.assertEqual(self.request("POST", f"{self.path}/sources", SOURCE).status, 405)
        self.assertSpoolEmpties()

    def test_kinds_without_lines(self):
        """The profile names the file of a function or frame; its text is read by that path."""
        stacks = b"main (src/app.py:3);load (src/app.py:20) 6\nmain (src/app.py:3);read (src/other.py) 1\nsrc/first.py:go:4 1\n"
        pstats = dump()
        for content, paths in ((stacks, ("src/app.py", "src/other.py", "src/first.py")), (pstats, (None,))):
            run = self.add(content)
            where = f"{RUNS}/{run['id']}"
            for path in paths:
                path = path or next(row["file"] for row in self.get_json(f"{where}/files?format=rows") if row["file"].endswith(".py"))
                with self.subTest(path=path):
                    view = f"{where}/source?path={urllib.parse.quote(path)}"
                    missing = {"state": "missing", "sha256": None, "bytes": None}
                    self.assertEqual(self.get_json(view), {"path": path, "source": missing, "first": 1, "text": []})
                    self.assertEqual(self.put(SOURCE, path, where).status, 200)
                    found = self.get_json(view)
                    self.assertEqual((found["source"]["state"], found["text"]), ("attached", TEXT))
            for path in ("app.py", "src/app", "load", "other"):
                self.assertRefused(self.put(SOURCE, path, where), 404, "not_found")
            self.assertRefused(self.get(f"{where}/source"), 400, "bad_request")

    def test_another_site_may_not(self):
        self.assertRefused(self.put(SOURCE, Origin="http://evil.example"), 403, "forbidden")
        self.assertEqual(self.put(SOURCE, Origin=f"http://{self.server.host}:{self.server.port}").status, 200)

    def test_sixteen_mebibytes(self):
        most = b"#" * (16 << 20)
        self.assertEqual(self.put(most).status, 200)
        self.assertRefused(self.put(most + b"#"), 413, "too_large")
        connection = self.server.connect()  # a length that is not said beforehand
        connection.request("PUT", f"{self.path}/sources?path=src/app.py", (b"#" * 65536 for _ in range(257)),
                           {"Transfer-Encoding": "chunked"}, encode_chunked=True)
        self.assertEqual(connection.getresponse().status, 413)
        connection.close()
        self.assertSpoolEmpties()

    def test_answers_are_checked_again(self):
        """What can change is never said to be for ever; the rest stays so."""
        for view, immutable in (("source?file=1", False), ("sources", False), ("line_functions", True), ("line_files", True)):
            with self.subTest(view=view):
                self.put(SOURCE)
                answer = self.get(f"{self.path}/{view}")
                self.assertEqual("immutable" in answer.headers["Cache-Control"], immutable)
                tag = answer.headers["ETag"]
                self.assertEqual(self.get(f"{self.path}/{view}", If_None_Match=tag).status, 304)
                self.put(b"something else\n")
                self.assertEqual(self.get(f"{self.path}/{view}", If_None_Match=tag).status, 304 if immutable else 200)

    def test_those_who_listen_are_told(self):
        events = Events(self.server)
        self.put(SOURCE)
        events.wait(lambda name, data: name == "run" and data["id"] == self.run_["id"])
        events.close()

    def test_it_goes_with_its_run(self):
        run = self.add(lprof(ticks=102))
        mine = b"# of this run alone\n"
        self.put(mine, where=f"{RUNS}/{run['id']}")
        key = hashlib.sha256(mine).hexdigest()
        self.assertIn(key, kept.keys(self.data, "sources"))
        self.request("DELETE", f"{RUNS}/{run['id']}")
        self.assertNotIn(key, kept.keys(self.data, "sources"))


class Upload(LineTest):
    def test_source_parts(self):
        answer = self.post_form(file_part(lprof(ticks=201), "a.lprof"), part(SOURCE, "src/app.py"))
        self.assertEqual(answer.status, 201, answer.body)
        digest = hashlib.sha256(SOURCE).hexdigest()
        self.assertEqual(answer.json["sources"], [{"name": "src/app.py", "path": "src/app.py", "state": "attached",
                                                   "sha256": digest, "error": None}])
        self.assertEqual(self.source(answer.json["id"])["text"], TEXT)
        self.assertSpoolEmpties()

    def test_also_when_the_run_is_there(self):
        content = lprof(ticks=202)
        run = self.add(content)
        answer = self.post_form(part(SOURCE, "src/app.py"), file_part(content, "a.lprof"))
        self.assertEqual((answer.status, answer.json["already"]), (200, True))
        self.assertEqual(self.source(run["id"])["source"]["state"], "attached")

    def test_a_name_that_only_ends_alike(self):
        for i, (sent, recorded) in enumerate((("app.py", "/srv/src/app.py"), ("/home/mei/src/app.py", "src/app.py"),
                                              ("C:\\work\\src\\app.py", "src/app.py"), ("src/app.py", "D:\\x\\src\\app.py"))):
            answer = self.post_form(file_part(lprof(recorded, ticks=210 + i), "a.lprof"), part(SOURCE, sent))
            self.assertEqual(answer.json["sources"][0]["path"], recorded, answer.body)

    def test_what_does_not_fit_is_told_and_fails_nothing(self):
        profile = make_lprof.dump({("a/app.py", 1, "f"): [(2, 1, 203)], ("b/app.py", 1, "g"): [(2, 1, 1)]})
        answer = self.post_form(file_part(profile, "a.lprof"), part(SOURCE, "app.py"), part(SOURCE, "other.py"),
                                part(b"x" * (16 << 20) + b"x", "a/app.py"), part(SOURCE, "b/app.py"))
        self.assertEqual(answer.status, 201, answer.body)
        self.assertEqual([row["error"] and row["error"]["code"] for row in answer.json["sources"]],
                         ["conflict", "not_found", "too_large", None])
        self.assertEqual([row["state"] for row in self.get_json(f"{RUNS}/{answer.json['id']}/sources")["rows"]],
                         ["missing", "attached"])
        self.assertSpoolEmpties()

    def test_jobs_tell_it_too(self):
        answer = self.post_form(file_part(lprof(ticks=204), "a.lprof"), file_part(b"none of ours", "b"),
                                file_part(import_log(), "c"), part(SOURCE, "src/app.py"), query="")
        self.assertEqual(answer.status, 202, answer.body)
        jobs = [self.job(job["id"]) for job in answer.json["jobs"]]
        self.assertEqual([job["state"] for job in jobs], ["done", "failed", "done"])
        self.assertEqual(jobs[0]["sources"][0]["state"], "attached")
        self.assertNotIn("sources", jobs[1])
        self.assertEqual(jobs[2]["sources"][0]["error"]["code"], "not_found")
        self.assertSpoolEmpties()

    def test_sources_alone_are_no_upload(self):
        self.assertRefused(self.post_form(part(SOURCE, "src/app.py")), 400, "bad_request")
        answer = self.post_form(file_part(lprof(ticks=205), "a.lprof"), field("source", "text"))
        self.assertRefused(answer, 400, "bad_request")
        self.assertSpoolEmpties()


class Across(LineTest):
    def lines(self, path, *runs):
        query = urllib.parse.urlencode({"path": path, "runs": ",".join(runs)} if runs else {"path": path})
        return self.get_json(f"/api/v1/lines?{query}")

    def candidates(self, path):
        """The runs that may have measured the file: (run, its path, what is equal, the equal part)."""
        [row] = self.get_json("/api/v1/lines/files?" + urllib.parse.urlencode({"path": path}))["rows"]
        return {(run["run"], run["path"], run["same"], run["shared"]) for run in row["runs"]}

    def test_runs_of_one_file(self):
        here, there = self.add(lprof("/one/shop/pkg/cart.py", 301)), self.add(lprof("/two/shop/pkg/cart.py", 302))
        rows = self.get_json("/api/v1/lines/files?q=shop/pkg/cart")["rows"]
        self.assertEqual([(row["path"], [run["run"] for run in row["runs"]]) for row in rows],
                         [("/one/shop/pkg/cart.py", [here["id"]]), ("/two/shop/pkg/cart.py", [there["id"]])])
        self.assertEqual(self.candidates("/one/shop/pkg/cart.py"), {(here["id"], "/one/shop/pkg/cart.py", "path", "/one/shop/pkg/cart.py"),
                                                                   (there["id"], "/two/shop/pkg/cart.py", "root", "shop/pkg/cart.py")})
        self.put(SOURCE, "/one/shop/pkg/cart.py", f"{RUNS}/{here['id']}")
        self.put(SOURCE + b"\n", "/two/shop/pkg/cart.py", f"{RUNS}/{there['id']}")
        answer = self.lines("/one/shop/pkg/cart.py")
        self.assertEqual({run["run"] for run in answer["runs"]}, {here["id"], there["id"]})
        self.assertEqual(sorted(run["same_source"] for run in answer["runs"]), [False, True])
        self.put(SOURCE, "/two/shop/pkg/cart.py", f"{RUNS}/{there['id']}")
        answer = self.lines("/one/shop/pkg/cart.py")
        self.assertEqual([run["same_source"] for run in answer["runs"]], [True, True])
        self.assertEqual(answer["text"], TEXT)
        self.assertEqual({(run["run"], run["path"], run["same"], run["shared"]) for run in answer["runs"]}, self.candidates("/one/shop/pkg/cart.py"))
        self.assertEqual({run["run"]: run["ticks"][0] for run in answer["runs"]}, {here["id"]: 301, there["id"]: 302})
        self.assertEqual([run["run"] for run in self.lines("/one/shop/pkg/cart.py", here["id"])["runs"]], [here["id"]])

    def test_files_of_other_projects_are_offered_only(self):
        here, other = self.add(lprof("/one/src/my_mod.py", 305)), self.add(lprof("/two/src/my_mod.py", 306))
        self.add(lprof("/one/src/my-mod.py", 307))
        self.add(lprof("/one/othersrc/My_mod.py", 308))
        bare = self.add(lprof("my_mod.py", 309))
        self.assertEqual(self.candidates("/one/src/my_mod.py"), {(here["id"], "/one/src/my_mod.py", "path", "/one/src/my_mod.py"),
                                                                 (other["id"], "/two/src/my_mod.py", "name", "src/my_mod.py"),
                                                                 (bare["id"], "my_mod.py", "name", "my_mod.py")})
        self.assertEqual([run["run"] for run in self.lines("/one/src/my_mod.py")["runs"]], [here["id"]])
        query = urllib.parse.urlencode({"path": "/one/src/my_mod.py", "also": "/none.py\n/two/src/my_mod.py"})
        runs = self.get_json(f"/api/v1/lines?{query}")["runs"]
        self.assertEqual({(run["run"], run["same"], run["ticks"][0]) for run in runs}, {(here["id"], "path", 305), (other["id"], "name", 306)})
        self.assertEqual([(run["run"], run["same"]) for run in self.lines("my_mod.py", bare["id"])["runs"]], [(bare["id"], "name")])

    def test_cprofile_stands_at_first_lines(self):
        path = os.path.join(self.folder, "both", "mod.py")
        os.makedirs(os.path.dirname(path))
        with open(path, "wb") as file:
            file.write(SOURCE)
        scope = {}
        exec(compile(SOURCE, path, "exec"), scope)  # pylint: disable=exec-used
        profile = cProfile.Profile()
        profile.runcall(scope["work"], 1000)
        with tempfile.NamedTemporaryFile() as file:
            profile.dump_stats(file.name)
            calls = self.add(file.read())
        lines = self.add(lprof(path, 303))
        runs = {run["run"]: run for run in self.lines(path)["runs"]}
        self.assertEqual(set(runs), {calls["id"], lines["id"]})
        self.assertEqual((runs[calls["id"]]["line"], runs[calls["id"]]["ncalls"]), ([1], [1]))
        self.assertEqual({(run, same) for run, _, same, _ in self.candidates(path)}, {(calls["id"], "path"), (lines["id"], "path")})

    def test_checked_again_and_refused(self):
        answer = self.get("/api/v1/lines?path=src/app.py")
        self.assertEqual(answer.headers["Cache-Control"], "private, no-cache")
        tag = answer.headers["ETag"]
        self.assertEqual(self.get("/api/v1/lines?path=src/app.py", If_None_Match=tag).status, 304)
        self.add(lprof(ticks=304))
        self.assertEqual(self.get("/api/v1/lines?path=src/app.py", If_None_Match=tag).status, 200)
        self.assertRefused(self.get("/api/v1/lines"), 400, "bad_request")
        self.assertEqual(self.lines("no/such.py")["runs"], [])


class Sums(LineTest):
    """What line_functions and line_files say is the sum of the lines."""

    def table(self, run, view):
        answer = self.get_json(f"{RUNS}/{run}/{view}")
        return [dict(zip(answer["columns"], row)) for row in answer["rows"]]

    def test_of_a_line_profile(self):
        timings = {("a.py", 1, "f"): [(2, 1, 10), (3, 5, 20)], ("a.py", 9, "never"): [], ("b.py", 4, "g"): [(5, 2, 2**62), (7, 3, 2**62)]}
        run = self.add(make_lprof.dump(timings))["id"]
        rows = {row["function"]: row for row in self.table(run, "line_functions")}
        keys = ("last_line", "lines", "executed", "hits", "ticks")
        self.assertEqual([rows["f"][key] for key in keys], [3, 2, 2, 6, 30])
        self.assertEqual([rows["never"][key] for key in keys], [None, 0, 0, None, None])
        self.assertEqual([rows["g"][key] for key in keys], [7, 2, 2, 5, 2.0**63])
        files = {row["file"]: row for row in self.table(run, "line_files")}
        self.assertEqual([(files[path]["functions"], files[path]["lines"]) for path in ("a.py", "b.py")], [(2, 2), (1, 2)])
        self.assertAlmostEqual(files["a.py"]["time_s"], 30e-9)
        self.assertAlmostEqual(sum(row["pct"] for row in files.values()), 100)

    def test_the_first_increment_of_a_block_is_what_was_there_before(self):
        block = ("Filename: m.py\n\nLine #    Mem usage    Increment  Occurrences   Line Contents\n" + "=" * 61 +
                 "\n     1   {0}.0 MiB   {0}.0 MiB           1   @profile\n     2                                         def f():\n"
                 "     3   {1}.0 MiB    8.0 MiB           1       a = [1] * 10**6\n"
                 "     4   {2}.0 MiB   -2.0 MiB           1       return a\n\n\n")
        run = self.add((block.format(20, 28, 26) + block.format(26, 34, 32)).encode())
        self.assertEqual((run["kind"], run["summary"]["increment_mib"]), ("memory_profiler", 12))
        row = self.table(run["id"], "line_functions")[0]
        self.assertEqual((row["increment_mib"], row["peak_mib"]), (12, 34))
        self.assertEqual(self.table(run["id"], "line_files")[0]["increment_mib"], 12)


class Merge(LineTest):
    def merge(self, *ids, query="&wait=1"):
        return self.request("POST", f"/api/v1/merge?ids={','.join(ids)}{query}", b"")

    def test_sums(self):
        first = self.add(lprof(ticks=401), name="one")
        second = self.add(gzip.compress(lprof(ticks=402)))
        answer = self.merge(first["id"], second["id"])
        self.assertEqual(answer.status, 201, answer.body)
        merged = answer.json
        self.assertEqual((merged["kind"], merged["name"]), ("line_profiler", "one and 1 more"))
        source = self.source(merged["id"])
        self.assertEqual((source["hits"], source["ticks"]), ([2, 22, 20, 2], [803, 8030, 14, 6]))
        self.assertEqual(self.merge(first["id"], second["id"]).json["already"], True)
        self.assertEqual(self.get(f"{RUNS}/{merged['id']}/original").body, lprof(ticks=401) + lprof(ticks=402))
        self.assertSpoolEmpties()

    def test_as_a_job_with_labels(self):
        ids = [self.add(lprof(ticks=410 + i))["id"] for i in range(3)]
        answer = self.merge(*ids, query="&name=all+of+them&series=s&tag=a=b")
        self.assertEqual(answer.status, 202, answer.body)
        job = self.job(answer.json["job"]["id"])
        self.assertEqual((job["state"], job["name"]), ("done", "all of them"))
        run = self.get_json(f"{RUNS}/{job['run']}")
        self.assertEqual((run["series"], run["tags"]), ("s", {"a": "b"}))
        self.assertEqual(run["summary"]["ticks"], sum(11 * t + 10 for t in (410, 411, 412)))

    def test_refusals(self):
        run, log = self.add(lprof(ticks=420)), self.add(import_log())
        for ids in ((), (run["id"],), (run["id"], run["id"]), (run["id"], log["id"])):
            with self.subTest(ids=ids):
                self.assertRefused(self.merge(*ids), 400, "bad_request")
        self.assertRefused(self.merge(run["id"], "ffffffffffffffff"), 404, "not_found")
        self.assertRefused(self.request("POST", "/api/v1/merge"), 400, "bad_request")
        self.assertRefused(self.request("POST", f"/api/v1/merge?ids={run['id']}", b"", Origin="http://evil.example"), 403,
                           "forbidden")

    def test_text_reports_are_not_summed(self):
        text = ("Timer unit: 1e-06 s\n\nTotal time: 3e-06 s\nFile: src/app.py\nFunction: work at line 1\n\n"
                "Line #      Hits         Time  Per Hit   % Time  Line Contents\n"
                "==============================================================\n"
                "     1                                           def work(n):\n"
                "     2         1          3.0      3.0    100.0      total = 0\n\n").encode()
        report = self.add(text)
        self.assertEqual(report["kind"], "line_profiler")
        answer = self.merge(self.run_["id"], report["id"])
        self.assertRefused(answer, 400, "bad_request")
        self.assertIn(".lprof", answer.error["hint"])
        source = self.source(report["id"])
        self.assertEqual((source["source"]["state"], source["text"][0]), ("carried", "def work(n):"))
        self.assertEqual(self.get_json(f"{RUNS}/{report['id']}/sources")["rows"][0]["state"], "carried")
        both = self.get_json("/api/v1/lines?path=src/app.py&runs=" + ",".join((self.run_["id"], report["id"])))
        self.assertEqual({(run["run"], run["kind"]) for run in both["runs"]}, {(run["id"], run["kind"]) for run in (self.run_, report)})


if __name__ == "__main__":
    unittest.main()
