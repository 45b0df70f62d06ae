# SPDX-License-Identifier: MIT
"""Jobs of clients, engine and trace with the oracle of each request: parts of the time to the first token, chains of the worst request with the
operators of their steps, percentiles as the tool prints them."""
import functools
import io
import json
import os
import sys
import tarfile
import unittest

from corpus import CORPUS, ROOT, CorpusTest, Shelf, has

sys.path.insert(0, os.path.join(ROOT, "tests"))
import made_requests  # noqa: E402

JOBS = {"aiperf": ("engine.jsonl", "trace.json.gz", "profile_export.jsonl", "profile_export_aiperf.json"), "own": ("engine.jsonl", "trace.json.gz", "vllm.json")}
FOLDERS = [f"made3/serving/{client}-{mode}" for client in JOBS for mode in ("before", "after", "after2")]
# The oracle has rounded each step to 1 us, and sums up to 20 of them.
ONE, SUM = 0.0011, 0.03
CAUSES = {"client to server": "to engine", "queue, between iterations": "between steps", "own prefill": "prefill", "server to client": "to client"}


def read(folder, name):
    with open(os.path.join(CORPUS, folder, name), "rb") as file:
        return file.read()


def pack(shelf, name, files):
    path = os.path.join(shelf.folder, name + ".tar")
    with tarfile.open(path, "w") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo("serving-trace-run/" + name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


def pack_job(shelf, folder):
    name = os.path.basename(folder)
    return pack(shelf, name, {file: read(folder, file) for file in JOBS[name.split("-")[0]]})


@functools.cache
def shelf():
    filled = Shelf()
    filled.packed = {folder: pack_job(filled, folder) for folder in FOLDERS if has(folder)}
    if not filled.packed:
        raise unittest.SkipTest("only the larger corpus has made3/serving")
    log = made_requests.log(made_requests.workload(60, 11, 120), slots=16)
    filled.unloaded = pack(filled, "unloaded", {"engine.jsonl": log, "trace.json.gz": read("made3/serving/aiperf-after2", "trace.json.gz")})
    filled.add([*filled.packed.values(), filled.unloaded])
    return filled


class RequestsTest(CorpusTest):
    fill = shelf

    def jobs(self):
        for folder, path in self.shelf.packed.items():
            with open(os.path.join(CORPUS, folder, "oracle.json"), encoding="utf-8") as file:
                yield folder, f"/runs/{self.shelf.of(path)['id']}", json.load(file)

    def near(self, ns, ms, bound, what):
        self.assertLessEqual(abs(ns / 1e6 - ms), bound, (what, ns, ms))

    def test_parts(self):
        for folder, at, oracle in self.jobs():
            files = self.shelf.ask("GET", at + "/requests/summary")["files"]
            error = max([0] + [file["error_ns"] / 1e6 for file in files if file["method"] == "lengths"])
            rows = self.shelf.ask("GET", at + "/requests?format=rows")
            self.assertEqual(len(rows), len(oracle["requests"]))
            for wanted, row in zip(oracle["requests"], rows):
                what, parts = (folder, wanted["n"]), wanted["ttft_parts_ms"]
                queue = {"in progress on arrival": 0, "all": 0}
                for step in wanted["queue_by_iteration"]:
                    queue["all" if step["why"].startswith("all") else step["why"]] += step["ms"]
                self.near(row["ttft_ns"], wanted["client_ttft_ms"], ONE, what)
                self.near(row["to_engine_ns"], parts["client_to_server"], ONE + error, what)
                self.near(row["to_client_ns"], parts["server_to_client"], ONE + error, what)
                self.near(row["prefill_ns"], parts["prefill"], ONE, what)
                self.near(row["in_step_ns"], queue["in progress on arrival"], ONE, what)
                self.near(row["slot_ns"], queue["all"], SUM, what)
                self.near(row["between_ns"], wanted["queue_between_iterations_ms"], SUM, what)
                self.assertEqual(row["ttft_ns"], sum(row[key] for key in ("to_engine_ns", "in_step_ns", "slot_ns", "budget_ns", "others_ns", "between_ns", "prefill_ns",
                                                                          "to_client_ns")))

    def test_chain_of_the_worst_request(self):
        for folder, at, oracle in self.jobs():
            files = self.shelf.ask("GET", at + "/requests/summary")["files"]
            error = max([0] + [file["error_ns"] / 1e6 for file in files if file["method"] == "lengths"])
            worst = oracle["worst"]
            found = self.shelf.ask("GET", f"{at}/requests/{worst['request'] + 1}")
            self.assertEqual((found["rank"], len(found["chain"])), (1, len(worst["chain"])))
            for part, wanted in zip(found["chain"], worst["chain"]):
                why = wanted.get("why", "")
                cause = "step in progress" if why == "in progress on arrival" else "slot" if why.startswith("all") else CAUSES[wanted["part"]]
                self.assertEqual(part["cause"], cause, folder)
                self.near(part["ns"], wanted["ms"], (ONE if part["steps"] == 1 else SUM) + (error if cause.startswith("to ") else 0), (folder, cause))
                steps = wanted.get("iterations", [])
                self.assertEqual((part["steps"], part["first_number"], part["last_number"]), (len(steps), *((steps[0], steps[-1]) if steps else (None, None))))
                if "prefilled_there" in wanted:
                    self.assertEqual({each["request"]: each["tokens"] for each in part["prefilled"]},
                                     {int(each["request"].split()[1]) + 1: each["tokens"] for each in wanted["prefilled_there"]})
                for key, name in (("held_by", "slots_held_by"), ("finished", "finished_there")):
                    if name in wanted:
                        self.assertEqual(sorted(each["request"] for each in part[key]), sorted(int(each.split()[1]) + 1 for each in wanted[name]))
                for row, operator in zip(part["work"]["rows"] if steps else (), wanted.get("operators_of_these_steps", ())):
                    self.assertEqual((row["name"], row["calls"]), (operator["name"], operator["calls"]))
                    self.near(row["self_ns"], operator["self_ms"], ONE, (folder, row["name"]))
                    self.assertAlmostEqual(row["share"], operator["share"], delta=1e-4)

    def test_percentiles_are_those_that_the_tool_prints(self):
        for folder, at, oracle in self.jobs():
            summary = self.shelf.ask("GET", at + "/requests/summary")
            metrics = {metric["metric"]: {each["p"]: each for each in metric["percentiles"]} for metric in summary["metrics"]}
            first, gaps = metrics["ttft"], metrics["gap"]
            self.assertEqual([first[100]["request"] - 1, first[99]["request"] - 1], [oracle["worst"]["request"]] * 2, folder)
            self.near(first[99]["linear_ns"], oracle["ttft_ms"]["p99_linear"], ONE, folder)
            self.near(first[50]["linear_ns"], oracle["ttft_ms"]["median"], ONE, folder)
            self.near(gaps[99]["linear_ns"], oracle["itl_ms"]["p99_linear"], ONE, folder)
            self.near(gaps[100]["linear_ns"], oracle["itl_ms"]["max"], ONE, folder)
            numbers = oracle["tool_numbers"]
            printed = numbers.get("p99_ttft_ms") or numbers["time_to_first_token"]["p99"]
            self.assertEqual(first[99]["prints"], "linear")
            self.assertAlmostEqual(first[99]["printed_ns"] / 1e6, printed, delta=1e-6)
            self.assertAlmostEqual(first[99]["linear_ns"] / 1e6, printed, delta=1e-6)
            if "inter_token_latency" in numbers:
                self.assertAlmostEqual(metrics["tpot"][99]["linear_ns"] / 1e6, numbers["inter_token_latency"]["p99"], delta=1e-6)

    def test_the_trace_speaks_where_no_request_is_late(self):
        found = self.shelf.ask("GET", f"/runs/{self.shelf.of(self.shelf.unloaded)['id']}/conclusion")
        self.assertIn("Late requests", found["checked"])
        self.assertEqual((found["base"], found["claims"][0]["verb"]), ("of step", "flat"))
        self.assertIn("aten::addmm", [subject["subject"]["name"] for claim in found["claims"] for subject in claim["subjects"]])


if __name__ == "__main__":
    unittest.main()
