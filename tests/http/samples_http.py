# SPDX-License-Identifier: MIT
"""The sample profiles that are part of the program: listed, loaded once, and removed as long as nobody changed what they are."""
import csv
import hashlib
import os
import unittest

from access_http import AccessTest, token
from server import ROOT, RUNS, ServerTest, kept
from wait import wait_until  # where server.py looks

SAMPLES = "/api/v1/samples"


def manifest():
    with open(os.path.join(ROOT, "demo", "samples.tsv"), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def content(name):
    with open(os.path.join(ROOT, "demo", "profiles", name), "rb") as file:
        return file.read()


class Samples(ServerTest):
    def tearDown(self):
        self.request("DELETE", SAMPLES)
        for run in self.get_json(RUNS)["rows"]:
            self.request("DELETE", f"{RUNS}/{run['id']}")

    def load(self):
        answer = self.request("POST", f"{SAMPLES}?wait=1")
        self.assertIn(answer.status, (200, 201), answer.body)
        return answer.json

    def test_they_are_listed_loaded_and_removed(self):
        listed = self.get_json(SAMPLES)["rows"]
        self.assertEqual([(row["file"], row["shows"], row["run"], row["removable"]) for row in listed],
                         [(row["file"], row["shows"], None, False) for row in manifest()])
        self.assertEqual([row["bytes"] for row in listed], [len(content(row["file"])) for row in listed])
        runs = self.load()["runs"]
        self.assertEqual([run["sha256"] for run in runs], [hashlib.sha256(content(row["file"])).hexdigest() for row in listed])
        loaded = self.get_json(SAMPLES)["rows"]
        self.assertEqual([(row["run"], row["removable"]) for row in loaded], [(run["id"], True) for run in runs])
        for row, run in zip(loaded, runs):
            self.assertEqual((run["kind"], run["headline"], run["name"], run["tags"]["sample"]),
                             (row["kind"], row["headline"], row["name"], "yes"))
        removed = self.request("DELETE", SAMPLES)
        self.assertEqual((removed.status, removed.json), (200, {"deleted": [run["id"] for run in runs]}))
        self.assertEqual(self.get_json(RUNS)["total"], 0)
        back = self.request("POST", f"{RUNS}/{runs[0]['id']}/undelete")
        self.assertEqual((back.status, back.json["tags"]["sample"]), (200, "yes"))

    def test_the_answer_without_waiting_lists_the_jobs(self):
        answer = self.request("POST", SAMPLES)
        self.assertEqual((answer.status, len(answer.json["jobs"])), (202, len(manifest())))
        wait_until(lambda: self.get_json(RUNS)["total"] == len(manifest()), 60, "all samples are imported")

    def test_loading_twice_adds_what_is_missing_only(self):
        runs = self.load()["runs"]
        again = self.request("POST", SAMPLES)
        self.assertEqual((again.status, again.json), (200, {"jobs": []}))
        self.request("DELETE", f"{RUNS}/{runs[3]['id']}")
        self.assertEqual(self.load()["id"], runs[3]["id"])
        self.assertEqual(self.get_json(RUNS)["total"], len(runs))

    def test_what_people_added_or_took_over_stays(self):
        name = manifest()[4]["file"]
        own = self.request("POST", f"{RUNS}?wait=1&name=mine", content(name)).json["id"]
        runs = self.load()["runs"]
        self.assertEqual((len(runs), self.get_json(f"{RUNS}/{own}")["name"]), (len(manifest()) - 1, "mine"))
        taken = runs[0]["id"]
        self.assertEqual(self.request("PATCH", f"{RUNS}/{taken}", '{"tags":{}}').status, 200)
        self.assertEqual({row["run"] for row in self.get_json(SAMPLES)["rows"] if not row["removable"]}, {own, taken})
        self.request("DELETE", SAMPLES)
        self.assertEqual({run["id"] for run in self.get_json(RUNS)["rows"]}, {own, taken})

    def test_a_profile_of_others_with_the_tag_stays(self):
        other = self.request("POST", f"{RUNS}?wait=1&tag=sample%3Dyes", content("stdlib.log")).json["id"]
        self.assertEqual(self.request("DELETE", SAMPLES).json, {"deleted": []})
        self.assertEqual(self.get_json(RUNS)["rows"][0]["id"], other)


class FullShelf(ServerTest):
    args = ("--quota", "200KiB")

    def test_the_quota_is_kept_and_nothing_remains(self):
        answer = self.request("POST", f"{SAMPLES}?wait=1")
        self.assertEqual((answer.status, answer.error["code"]), (507, "full"))
        self.assertEqual((self.get_json("/api/v1/shelf")["used"], self.get_json(RUNS)["total"]), (0, 0))
        self.assertEqual(kept.keys(self.data, "originals"), [])
        self.assertEqual(os.listdir(os.path.join(self.data, "spool")), [])


class Roles(AccessTest):
    def test_viewers_see_them_and_uploaders_load_them(self):
        self.assertEqual([self.ask("GET", "/samples", who).status for who in (None, "viewer")], [401, 200])
        for method in ("POST", "DELETE"):
            self.assertEqual([self.ask(method, "/samples", who).status for who in (None, "viewer")], [401, 403])
        self.assertEqual(self.ask("POST", "/samples?wait=1", "uploader").status, 201)
        other = token(self.data, "add", "another", "--role", "uploader")[1]
        removable = {who: {row["removable"] for row in self.ask("GET", "/samples", who).json["rows"]} for who in ("viewer", "uploader", other, "admin")}
        self.assertEqual(removable, {"viewer": {False}, "uploader": {True}, other: {False}, "admin": {True}})
        refused = self.ask("DELETE", "/samples", other)
        self.assertEqual((refused.status, self.ask("GET", "/runs", "viewer").json["total"]), (403, len(manifest())))
        self.assertEqual(len(self.ask("DELETE", "/samples", "admin").json["deleted"]), len(manifest()))


if __name__ == "__main__":
    unittest.main()
