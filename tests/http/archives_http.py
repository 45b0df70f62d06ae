# SPDX-License-Identifier: MIT
"""An archive that is uploaded: its profiles are runs, its job tells of each file in it."""
import io
import os
import unittest
import zipfile

from server import RUNS, ServerTest, dump, file_part, form, import_log


def zipped(members, method=zipfile.ZIP_DEFLATED):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return packed.getvalue()


def mixed(mark):
    """Two profiles that no other test sends, and a text."""
    return [("logs/a.log", import_log() + mark), ("b.log", import_log("import csv") + mark), ("readme.txt", b"nothing to see\n")]


class Archives(ServerTest):
    def failures(self):
        return [(row["name"], row["who"], row["code"]) for row in self.get_json("/api/v1/activity")["rows"] if row["what"] == "failed"]

    def test_one_that_fails_stands_in_the_log(self):
        before = len(self.failures())
        damaged = zipped(mixed(b"log\n"))[:-30]
        none = zipped([("a.txt", b"nothing\n"), ("b.txt", b"to see\n")])
        broken = zipped([("a.prof", dump()[:-9]), ("b.prof", dump()[:-8])])
        for name, content in (("cut.zip", damaged[:200]), ("none.zip", none), ("broken.zip", broken)):
            self.request("POST", f"{RUNS}?wait=1&who=mei&filename={name}", content)
        failures = self.failures()
        self.assertEqual(failures[:len(failures) - before],
                         [("broken.zip", "mei", "bad_input"), ("b.prof", "mei", "bad_input"), ("a.prof", "mei", "bad_input"),
                          ("none.zip", "mei", "unknown_kind"), ("cut.zip", "mei", "bad_input")])

    def test_the_job_tells_of_each_file(self):
        job = self.request("POST", RUNS + "?filename=m.zip&series=s&tag=k=v", zipped(mixed(b"1\n"))).json["job"]
        job = self.job(job["id"])
        self.assertEqual((job["state"], job["name"], job["error"], job["already"], job["members_untold"]), ("done", "m.zip", None, False, 0))
        told = [(part["name"], part["kind"], part["already"], part["left_out"]) for part in job["members"]]
        self.assertEqual(told, [("logs/a.log", "importtime", False, False), ("b.log", "importtime", False, False),
                                ("readme.txt", None, False, True)])
        self.assertEqual(job["run"], job["members"][0]["run"])
        self.assertEqual(job["members"][2]["error"]["code"], "unknown_kind")
        for part in job["members"][:2]:
            run = self.get_json(f"{RUNS}/{part['run']}")
            self.assertEqual((run["series"], run["tags"]), ("s", {"k": "v", "archive": "m.zip"}))
        self.assertEqual(self.spool(), [])
        again = self.job(self.request("POST", RUNS, zipped(mixed(b"1\n"))).json["job"]["id"])
        self.assertEqual((again["already"], [part["already"] for part in again["members"]]), (True, [True, True, False]))

    def test_wait_answers_the_runs(self):
        answer = self.request("POST", RUNS + "?wait=1&filename=m.zip", zipped(mixed(b"2\n")))
        self.assertEqual(answer.status, 201, answer.body)
        self.assertEqual([(run["kind"], run["already"]) for run in answer.json["runs"]], [("importtime", False)] * 2)
        self.assertEqual([part["left_out"] for part in answer.json["members"]], [False, False, True])
        again = self.request("POST", RUNS + "?wait=1", zipped(mixed(b"2\n")))
        self.assertEqual((again.status, [run["already"] for run in again.json["runs"]]), (200, [True, True]))

    def test_beside_other_files(self):
        body, kind = form(file_part(zipped(mixed(b"3\n")), "m.zip"), file_part(dump(), "calls.prof"))
        answer = self.request("POST", RUNS + "?wait=1", body, Content_Type=kind)
        self.assertEqual(sorted(run["kind"] for run in answer.json["runs"]), ["importtime", "importtime", "pstats"])

    def test_one_bad_member(self):
        answer = self.request("POST", RUNS + "?wait=1", zipped([("bad.prof", dump()[:-30])] + mixed(b"4\n")))
        self.assertEqual(answer.status, 201, answer.body)
        self.assertEqual([run.get("error", {}).get("code") for run in answer.json["runs"]], ["bad_input", None, None])

    def test_a_wrong_checksum_costs_one_member(self):
        body = bytearray(zipped(mixed(b"5\n"), zipfile.ZIP_STORED))
        body[body.index(import_log()[:40]) + 10] ^= 1
        answer = self.request("POST", RUNS + "?wait=1", bytes(body))
        self.assertEqual(answer.status, 201, answer.body)
        self.assertEqual([part["run"] is not None for part in answer.json["members"]], [False, True, False])

    def test_a_cut_archive(self):
        members = mixed(b"6\n")
        whole = len(zipped(members[:1]))
        answer = self.request("POST", RUNS + "?wait=1&filename=cut.zip", zipped(members)[:whole])
        self.assertEqual(answer.status, 201, answer.body)
        last = answer.json["members"][-1]
        self.assertEqual((answer.json["members"][0]["run"] is not None, last["error"]["code"]), (True, "bad_input"))

    def test_refused_whole(self):
        before = self.get_json(RUNS)["total"]
        for members, status in (([("a.prof", dump())], 415), ([("a.txt", b"?"), ("b.txt", b"?")], 415),
                                ([(f"{i}.txt", b"") for i in range(10001)], 413)):
            answer = self.request("POST", RUNS + "?wait=1", zipped(members))
            self.assertEqual(answer.status, status, answer.body[:300])
            job = self.job(self.request("POST", RUNS, zipped(members)).json["job"]["id"])
            self.assertEqual((job["state"], job["run"]), ("failed", None))
        self.assertEqual((self.get_json(RUNS)["total"], self.spool()), (before, []))

    def test_many_left_out_are_counted(self):
        members = mixed(b"7\n")[:1] + [(f"{i}.txt", os.urandom(9)) for i in range(300)]
        answer = self.request("POST", RUNS, zipped(members)).json["job"]
        job = self.job(answer["id"])
        self.assertEqual((len(job["members"]), job["members_untold"]), (201, 100))


if __name__ == "__main__":
    unittest.main()
