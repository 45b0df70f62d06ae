# SPDX-License-Identifier: MIT
"""The answers of the server have the keys and types that schema/answers describes: every read of every kind of run, of the demo profiles
and of the golden samples, and one answer of each other endpoint."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from urllib.parse import quote

from server import PROGRAM, ROOT, Server, import_log

sys.path.insert(0, os.path.join(ROOT, "tests"))
import made_pair  # noqa: E402
import made_serving  # noqa: E402
sys.path.insert(0, os.path.join(ROOT, "schema"))
import answers as descriptions  # noqa: E402

API = "/api/v1/"
COMPARED = 5  # runs of each kind
JSON = ("table", "page", "json")  # forms of answers
# Reads below a run that Asker asks with parameters, or of one run only.
ASKED_APART = ("curves", "find", "goodput", "named", "names", "operators", "reveals", "sandwich", "snapshot/allocation", "source", "summary", "window")
# A login needs a token, and a job can be cancelled only until it ends.
NOT_ASKED = {("POST", "login"), ("DELETE", "jobs/{job}")}


def views_of_runs(described):
    """The paths of all answers below a run."""
    return sorted(path.removeprefix("runs/{run}/") for (method, path), (form, _, _) in described.endpoints.items()
                  if method == "GET" and path.startswith("runs/{run}/") and form in JSON)


class Asker:
    """Asks a server, and compares each answer with its description."""

    def __init__(self, server):
        self.server, self.link, self.asked, self.wrong = server, server.connect(), set(), {}
        self.lacking = set()  # (kind, view) that the server has said it does not have for runs of the kind
        self.described = descriptions.Answers()
        self.views = views_of_runs(self.described)

    def ask(self, endpoint, path=None, method="GET", body=None, kind=None):
        """The answer, of a page its rows as objects; None if it is an error, as of a run of a kind that has no such view."""
        if (kind, endpoint) in self.lacking:
            return None
        path = endpoint if path is None else path
        self.link.request(method, API + path, json.dumps(body) if isinstance(body, dict) else body)
        reply = self.link.getresponse()
        text = reply.read()
        if reply.status not in (200, 201, 202):
            if kind and text.startswith(b'{"error":{"code":"not_found","text":"%s runs have no view ' % kind.encode()):
                self.lacking.add((kind, endpoint))
            return None
        value = json.loads(text)
        self.asked.add((method, endpoint))
        self.add(self.described.answer_errors((method, endpoint), value), f"{method} {path}")
        if self.described.endpoints[method, endpoint][0] in ("table", "page"):
            return [dict(zip(value["columns"], row)) for row in value["rows"]]
        return value

    def add(self, errors, path):
        for at, what in errors:
            self.wrong.setdefault(f"{at} {what}", path)

    def run(self, run):
        at = f"runs/{run['id']}/"

        def view(name, rest=""):
            return self.ask("runs/{run}/" + name, at + re.sub(r"\{\w+\}$", "", name) + str(rest), kind=run["kind"]) or []

        self.ask("runs/{run}", at[:-1])
        summary, _ = self.described.summaries[run["kind"]]
        self.add(self.described.errors(descriptions.Type("name", summary), run["summary"], summary), at)
        found = {name: view(name) for name in self.views if "{" not in name and name not in ASKED_APART}
        for row in (found["snapshot/lifetimes"] or {"allocations": []})["allocations"][:3]:
            view("snapshot/allocation", f"?id={row['id']}")
        for name in ("imports/{row}", "functions/{function}", "measurements/{row}", "requests/{request}", "engine-steps/{step}"):
            for row in found[name.split("/")[0]][:5]:
                view(name, row["id"])
        for row in found["functions"][:1]:
            view("source", f"?path={quote(row['file'])}")
        view("goodput", "?limits=ttft:200ms,tpot:20ms,e2el:2s")
        view("operators")
        view("kernels", "?launch=1")
        view("operators", "?by_shape=1")
        for row in [*found["line_files"][:5], *found["files"][:2]]:
            view("source", f"?file={row['id']}")
            self.ask("lines", f"lines?path={quote(row['file'])}&runs={run['id']}")
        for row in found["stack_functions"][:3]:
            view("sandwich", f"?name_id={row['name_id']}")
        for report in (found["summaries"] or {"reports": []})["reports"]:
            view("summary", f"?report={report}")
        if found["timeline"]:
            self.trace(view, found["timeline"])
        for row in found["packages"][:1]:
            view("what_if", f"?lazy={quote(row['package'])}@*")

    def trace(self, view, timeline):
        tracks = [track["id"] for track in timeline["tracks"]][:20]
        window = f"?from_ns={timeline['start_ns']}&to_ns={timeline['end_ns'] + 1}&px=500"
        memory = [f"{m['device_type']}:{m['device']}:{m['worker']}" for m in timeline["memory"]]
        view("window", f"{window}&tracks={','.join(map(str, tracks))}")
        view("curves", f"{window}&counters={','.join(str(c['id']) for c in timeline['counters'])}&memory={','.join(memory)}&busy={','.join(map(str, tracks[:2]))}")
        for part in range(8):
            view("operators_at", f"?t_ns={timeline['start_ns'] + part * (timeline['end_ns'] - timeline['start_ns']) // 8}")
        view("area", f"{window}&counters={','.join(str(c['id']) for c in timeline['counters'])}")
        for part in ("utilisation", "parts", "kernels", "gaps", "flame"):
            view(part, window)
        view("flame", "?on=python&plumbing=1")
        view("critical_path", "?step=slowest")
        view("critical_path", window)
        names = view("find", "?q=e")["names"][:6]
        view("names", f"?ids={','.join(str(name['id']) for name in names)}")
        for name in names:
            view("named", f"?name={name['id']}")
            view("flame", f"?on=wall&around={quote(name['name'])}")
            found = view("find", f"?q={quote(name['name'][:200])}")
            if found and found["hit"]:
                view("slices/{slice}", found["hit"]["id"])

    def compare(self, base, new):
        groups = f"?base={base}&new={new}" if base else f"?new={new}"
        compared = self.ask("compare", "compare" + groups)
        if not compared:
            return
        self.ask("compare/tree", "compare/tree" + groups)
        self.ask("compare/sweep", "compare/sweep" + groups)
        if base:
            self.ask("compare/conclusion", "compare/conclusion" + groups)
            self.ask("compare/snapshot", "compare/snapshot" + groups)
            self.ask("compare/requests", "compare/requests" + groups)
            self.ask("compare/requests/summary", "compare/requests/summary" + groups)
        for table in compared["tables"]:
            for row in self.ask("compare/{of}", f"compare/{table['of']}{groups}")[:3]:
                self.ask("compare/{of}/{row}", f"compare/{table['of']}/{row['id']}{groups}&sort=size")
                if base:
                    self.ask("compare/twin/{of}", f"compare/twin/{table['of']}{groups}&side=base&id={row['id']}")

    def change(self, runs):
        """Asks what changes the shelf, and what answers about changes."""
        run, other = (next(each["id"] for each in runs if each["kind"] == kind) for kind in ("pstats", "line_profiler"))
        at = f"runs/{run}"
        self.ask("runs/{run}/timeline_notes", at + "/timeline_notes", "POST", {"t_ns": 1, "text": "slow"})
        self.ask("runs/{run}/timeline_notes", at + "/timeline_notes")
        self.ask("runs/{run}", at, "PATCH", {"note": "slow"})
        self.ask("runs/{run}/baseline", at + "/baseline", "PUT")
        self.ask("trend", "trend?runs=series:all&kind=pstats")
        self.ask("runs/{run}/baseline", at + "/baseline", "DELETE")
        self.ask("resolve", method="POST", body={"runs": ["@1"]})
        self.ask("runs/{run}/reveals", at + "/reveals")
        self.ask("compare/reveals", f"compare/reveals?base={run}&new={run}")
        self.server.request("POST", API + "queries", json.dumps({"kind": "", "name": "all", "sql": "SELECT 1"}))
        self.ask("queries")
        self.ask("sql", method="POST", body={"run": run, "sql": "SELECT id, name, tottime_s, NULL FROM functions"})
        source = next(each for each in self.ask("runs/{run}/sources", f"runs/{other}/sources")["rows"])
        self.ask("runs/{run}/sources", f"runs/{other}/sources?path={quote(source['path'])}", "PUT", "print()\n")
        self.server.request("DELETE", API + at)
        self.ask("deleted")
        self.ask("runs/{run}/undelete", at + "/undelete", "POST")
        self.upload()

    def upload(self):
        log = import_log("import colorsys")
        self.ask("runs", "runs", "PUT", log)
        self.ask("runs", "runs?wait=1&name=again", "POST", log)
        self.ask("runs/{filename}", "runs/broken.log?wait=1", "PUT", import_log("import cmd"))
        upload = self.ask("uploads", method="POST")["id"]
        self.ask("uploads/{upload}", f"uploads/{upload}?offset=0", "PUT", log)
        self.ask("uploads/{upload}", f"uploads/{upload}")
        self.ask("uploads/{upload}/end", f"uploads/{upload}/end?bytes={len(log)}", "POST")
        self.ask("samples")
        self.ask("samples", method="POST")
        self.ask("samples", method="POST", path="samples?wait=1")
        self.ask("samples", method="DELETE")
        binary = [run["id"] for run in self.ask("runs", "runs?kind=line_profiler&limit=1000")["rows"] if not run["summary"]["rounded"]]
        self.ask("merge", f"merge?ids={','.join(binary[:2])}&wait=1", "POST")
        for job in self.ask("jobs")["rows"][:1]:
            self.ask("jobs/{job}", f"jobs/{job['id']}")


class AnswersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="perfshelf-answers-")
        files = [path for pattern in ("demo/profiles/*", "tests/golden/*/ok_*", "tests/corpus/samples/made/chrome-edge/*")
                 for path in glob.glob(os.path.join(ROOT, pattern))]
        files = sorted(path for path in files if not path.endswith((".dump", ".error")))
        made = os.path.join(cls.folder, "pair")
        os.mkdir(made)
        made_pair.write(made)
        files += sorted(glob.glob(os.path.join(made, "*")))
        files.append(os.path.join(cls.folder, "serving.json"))
        with open(files[-1], "w", encoding="utf-8") as file:
            json.dump(made_serving.make(12)[0], file)
        files.append(os.path.join(cls.folder, "serving-job.tar"))
        with tarfile.open(files[-1], "w", format=tarfile.USTAR_FORMAT) as job:
            job.add(files[-2], "serving-trace-run/serving.json")
            job.add(os.path.join(ROOT, "tests", "golden", "engine_events", "ok_two_requests.jsonl"), "serving-trace-run/engine.jsonl")
        subprocess.run([PROGRAM, "add", "--data", cls.folder, "--series", "all", *files], capture_output=True)  # some samples are refused
        cls.server = Server(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.server.end()
        shutil.rmtree(cls.folder)

    def test_answers_have_their_described_types(self):
        asker = Asker(self.server)
        runs = asker.ask("runs", "runs?limit=1000&kinds_too=1")["rows"]
        of_kind = {}
        for run in runs:
            asker.run(run)
            others = of_kind.setdefault(run["kind"], [])
            if len(others) < COMPARED:
                asker.compare(None, run["id"])
                for other in others[-1:]:
                    asker.compare(run["id"], other)
            others.append(run["id"])
        asker.ask("lines/files")
        asker.ask("trend/rows", "trend/rows?runs=series:all&kind=pstats&of=functions")
        for hit in asker.ask("search", "search?limit=500")["rows"][::25]:
            asker.ask("search/runs", f"search/runs?of={hit['of']}&name={quote(hit['name'])}&module={quote(hit['module'])}")
        for endpoint in ("health", "me", "activity", "shelf", "formats"):
            asker.ask(endpoint)
        asker.change(runs)
        asker.link.close()
        self.assertEqual({}, asker.wrong, "answers that differ from schema/answers")
        with_json = {endpoint for endpoint, (form, _, _) in asker.described.endpoints.items() if form in JSON}
        self.assertEqual(with_json - NOT_ASKED, asker.asked, "endpoints that no run has answered")
        self.assertEqual(set(asker.described.summaries), set(of_kind), "kinds without a run")


if __name__ == "__main__":
    unittest.main()
