# SPDX-License-Identifier: MIT
"""The ranks of made jobs (tests/made_job.py), of which clocks, the late rank and all waiting are known."""
import glob
import io
import json
import os
import sqlite3
import subprocess
import sys
import tarfile
import tempfile

from server import ROOT, RUNS, ServerTest


class RanksTest(ServerTest):
    def job(self, *options, change=None):
        """A made job as one run: its path, and the truth. `change` gets the events of each file, and changes them."""
        with tempfile.TemporaryDirectory(prefix="perfshelf-ranks-") as folder:
            job = os.path.join(folder, "job")
            subprocess.run([sys.executable, os.path.join(ROOT, "tests", "made_job.py"), job, *options], check=True)
            with open(job + ".truth.json", encoding="utf-8") as file:
                truth = json.load(file)
            paths = sorted(glob.glob(job + "/*"))
            for path in paths if change else ():
                with open(path, encoding="utf-8") as file:
                    trace = json.load(file)
                change(trace["traceEvents"])
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(trace, file)
            if len(paths) == 1:
                with open(paths[0], "rb") as file:
                    run = self.add(file.read(), name=os.path.basename(paths[0]))
                return f"{RUNS}/{run['id']}", truth
            body = io.BytesIO()
            with tarfile.open(fileobj=body, mode="w") as archive:
                for path in paths:
                    archive.add(path, os.path.basename(path))
        run = self.add(body.getvalue(), name="job.tar")
        return f"{RUNS}/{run['id']}", truth

    def check_clocks(self, answer, truth):
        for row in answer["ranks"]:
            self.assertAlmostEqual(row["offset_ns"], 1000 * truth["offset_us"][row["rank"]], delta=10_000)
        self.assertLess(answer["clock"]["error_ns"], 20_001)

    def test_known_job(self):
        path, truth = self.job("--ranks", "8", "--steps", "6")
        answer = self.get_json(path + "/ranks")
        self.check_clocks(answer, truth)
        self.assertEqual([row["rank"] for row in answer["ranks"]], list(range(8)))
        self.assertEqual({row["host"] for row in answer["ranks"]}, {"node1", "node2"})
        self.assertEqual(answer["world_size"], 8)
        self.assertEqual(answer["matching"]["collectives"], truth["collectives"])
        self.assertEqual(answer["matching"]["by_sequence"], 6 * (4 * 8 + 8))
        self.assertEqual(answer["latest"]["index"], 5)
        late = answer["ranks"][5]
        self.assertLessEqual(abs(late["last"] - truth["last"][5]), 3)  # ties have no last
        self.assertAlmostEqual(late["caused_ns"] / 6, 1000 * truth["caused_us_a_step"][5], delta=200_000)
        own, median = answer["latest"]["means"]["compute"]
        self.assertAlmostEqual(own / median, 1.2, delta=0.02)
        by_name = {row["name"]: row for row in answer["collectives"]}
        reduce = by_name["allreduce"]
        self.assertEqual([reduce[key] for key in ("ranks", "calls", "steps", "bytes", "last")], [8, 24, 6, 26214400, 5])
        self.assertAlmostEqual(reduce["transfer_ns"] / 24, 1000 * truth["transfer_us"]["allreduce"], delta=10_000)
        self.assertAlmostEqual(reduce["bus_bytes_s"] / reduce["algorithm_bytes_s"], 2 * 7 / 8, delta=0.001)
        gather = by_name["_allgather_base"]
        self.assertEqual([gather[key] for key in ("ranks", "calls", "group")], [4, 12, "mesh_tp"])
        self.assertAlmostEqual(gather["bus_bytes_s"] / gather["algorithm_bytes_s"], 3 / 4, delta=0.001)

    def test_the_conclusion_names_the_late_rank(self):
        def sentence(*options):
            path = self.job(*options)[0]
            found = self.get_json(f"{path}/conclusion")["sentence"]
            said = "".join(part.get("text") or part.get("code") or f"{part['value']:.4g}" for part in found)
            return path, said, {part["link"]["tab"] for part in found[-6:] if "link" in part}
        path, said, tabs = sentence("--ranks", "8", "--steps", "6", "--late", "5")
        answer = self.get_json(f"{path}/ranks")
        rank = answer["ranks"][5]
        wait = rank["caused_ns"] / len(answer["steps"]) / 1e9
        share = 100 * rank["caused_ns"] / sum(row["caused_ns"] for row in answer["ranks"])
        self.assertIn(f" Rank 5 causes {share:.4g} of the waiting in collectives; the other 7 wait {wait:.4g} a step for it.", said)
        self.assertEqual(tabs, {"ranks"})
        self.assertNotIn("of the waiting", sentence("--ranks", "8", "--steps", "6", "--late", "5", "--late-from", "99")[1])

    def ask_sql(self, path, statement):
        answer = self.request("POST", "/api/v1/sql", json.dumps({"run": path.rsplit("/", 1)[1], "sql": statement}))
        self.assertEqual(answer.status, 200, answer.body)
        columns = [column["name"] for column in answer.json["columns"]]
        return [dict(zip(columns, row)) for row in answer.json["rows"]]

    def test_the_run_file_has_the_collectives_as_columns(self):
        path, truth = self.job("--ranks", "8", "--steps", "6")
        rows = self.ask_sql(path, "SELECT name, process_group, description, group_size, dtype, bytes_in, bytes_out, count(*) AS n, "
                              "count(DISTINCT worker) AS workers, count(DISTINCT sequence) AS sequences FROM collectives GROUP BY 1, 2 ORDER BY 1, 2")
        mib = 1 << 20
        gather = {"name": "_allgather_base", "description": "mesh_tp", "group_size": 4, "dtype": "Float", "bytes_in": 2.5 * mib,
                  "bytes_out": 10 * mib, "n": 24, "workers": 4, "sequences": 6}
        reduce = {"name": "allreduce", "process_group": "0", "description": "default_pg", "group_size": 8, "dtype": "Float",
                  "bytes_in": 25 * mib, "bytes_out": 25 * mib, "n": 24 * 8, "workers": 8, "sequences": 24}
        self.assertEqual(rows, [{**gather, "process_group": "1"}, {**gather, "process_group": "2"}, reduce])
        same = self.ask_sql(path, "SELECT count(*) AS n FROM collectives c JOIN slices s ON s.id = c.slice_id "
                              "WHERE s.start_ns = c.start_ns AND s.duration_ns = c.duration_ns AND s.name LIKE 'ncclDevKernel%'")
        self.assertEqual(same[0]["n"], 6 * (4 * 8 + 8))
        path, _ = self.job("--no-metadata")
        rows = self.ask_sql(path, "SELECT DISTINCT name, process_group, group_size, sequence, dtype, bytes_in FROM collectives ORDER BY 1")
        self.assertEqual([row.pop("name") for row in rows], ["ncclDevKernel_AllGather_RING_LL", "ncclDevKernel_AllReduce_Sum_f32_RING_LL"])
        self.assertEqual([set(row.values()) for row in rows], [{None}] * 2)

    def test_a_run_file_of_the_layout_before(self):
        """Such files have no columns of collectives: the answer says how to get them, and all other views are as before."""
        path, _ = self.job("--ranks", "2", "--steps", "2")
        run = path.rsplit("/", 1)[1]
        with sqlite3.connect(os.path.join(self.data, "runs", run + ".db")) as file:
            file.executescript("DROP VIEW collectives; DROP TABLE collective; DELETE FROM packed WHERE family > 3; PRAGMA user_version = 4")
        answer = self.request("GET", path + "/ranks")
        self.assertEqual(answer.status, 409)
        self.assertIn(f"perfshelf renew {run}", answer.body.decode())
        workers = self.get_json(path + "/workers")
        self.assertEqual((len(workers["rows"]), workers["collectives"]), (2, None))

    def test_cells(self):
        path, _ = self.job("--ranks", "4", "--steps", "5", "--late", "2", "--late-from", "3")
        answer = self.get_json(path + "/ranks?m=compute")
        self.assertEqual(answer["steps"], [f"ProfilerStep#{i}" for i in range(5)])
        rows = [answer["cells"][i * 5:i * 5 + 5] for i in range(4)]
        for step in range(5):
            median = sorted(row[step] for row in rows)[1]
            self.assertEqual(rows[2][step] > 1.1 * median, step >= 3, f"step {step}")
        waits = self.get_json(path + "/ranks?m=wait")["cells"]
        self.assertLess(waits[2 * 5 + 4], waits[4] / 5)

    def test_chosen_steps(self):
        """Ranges of a name are the steps, by their numbers or their order, and give the cells of marked steps."""
        options = ("--ranks", "4", "--steps", "5", "--late", "2", "--late-from", "0")

        def rename(name):
            def change(events):
                for event in events:
                    if event["name"].startswith("ProfilerStep#"):
                        event["name"] = name.format(event["name"][13:])
            return change
        marked = self.get_json(self.job(*options)[0] + "/ranks?m=compute")
        for name, steps in (("iteration [{}]", [f"iteration [{i}]" for i in range(5)]), ("iteration", [f"iteration {i}" for i in range(5)])):
            path = self.job(*options, change=rename(name))[0]
            self.assertEqual(self.get_json(path + "/ranks")["steps"], ["whole trace"])
            answer = self.get_json(path + "/ranks?m=compute&steps=iteration")
            self.assertEqual((answer["steps"], answer["metrics"], answer["latest"]["index"]), (steps, marked["metrics"], 2))
            for cell, known in zip(answer["cells"], marked["cells"], strict=True):
                self.assertAlmostEqual(cell, known, delta=2_000)
            aligned = self.get_json(path + "/ranks/step?step=3&steps=iteration")["ranks"]
            self.assertEqual([len(rank["calls"]) for rank in aligned], [5] * 4)
            self.assertEqual(self.get_json(path + "/ranks/calls?step=3&steps=iteration")["total"], 6)
            self.assertEqual(self.get_json(path + "/ranks/calls?step=3")["total"], 0)  # of the only step of the file
            said = json.dumps(self.get_json(path + "/conclusion?step=iteration")["sentence"])
            self.assertIn(" a step for it", said)
            self.assertRefused(self.get(path + "/ranks?steps=round"), 400, "bad_request")

    def test_without_metadata(self):
        """Groups are unknown: the all-gathers of two hosts look like one, and their ends show that they are not."""
        path, truth = self.job("--no-metadata", "--missing", "3")
        answer = self.get_json(path + "/ranks")
        self.check_clocks(answer, truth)
        self.assertEqual([row["rank"] for row in answer["ranks"]], [0, 1, 2, 4, 5, 6, 7])
        self.assertEqual(answer["world_size"], 8)
        self.assertEqual([row["matched_by"] for row in answer["collectives"]], ["order"])
        self.assertEqual([answer["matching"][key] for key in ("by_order", "disagreeing")], [24 * 7, 6 * 7])
        self.assertEqual(answer["ranks"][answer["latest"]["index"]]["rank"], 5)

    def test_without_sequence_numbers(self):
        """Calls of a process group match by order; the groups of the two hosts have the same description."""
        path, truth = self.job("--no-sequence")
        answer = self.get_json(path + "/ranks")
        self.check_clocks(answer, truth)
        self.assertEqual([answer["matching"][key] for key in ("by_sequence", "by_order", "unmatched", "disagreeing")], [0, 6 * (4 * 8 + 8), 0, 0])
        self.assertEqual(answer["matching"]["collectives"], truth["collectives"])
        self.assertEqual([(row["name"], row["ranks"], row["bytes"]) for row in answer["collectives"]],
                         [("allreduce", 8, 26214400), ("_allgather_base", 4, 10485760)])
        self.assertEqual(answer["latest"]["index"], 5)

    def test_ranks_with_fewer_steps(self):
        for how in ([], ["--no-sequence"]):
            path, truth = self.job("--short", "3", *how)
            answer = self.get_json(path + "/ranks")
            self.check_clocks(answer, truth)
            self.assertEqual([row["steps"] for row in answer["ranks"]], [6, 6, 6, 4, 6, 6, 6, 6])
            self.assertEqual(answer["cells"][3 * 6:3 * 6 + 2], [-1, -1])
            self.assertEqual(answer["matching"]["disagreeing"], 0)
            # by number the calls of the other ranks match in all steps; by order only in the steps that all have
            self.assertEqual(answer["matching"]["collectives"], truth["collectives"] if not how else truth["collectives"] - 2 * (4 + 1))
            self.assertEqual(answer["latest"]["index"], 5)
            late = answer["ranks"][5]
            self.assertAlmostEqual(late["caused_ns"] / (6 if not how else 4) / 1000, truth["caused_us_a_step"][5], delta=600)

    def test_one_rank(self):
        path, _ = self.job("--ranks", "1", "--hosts", "1", "--late", "-1")
        answer = self.get_json(path + "/ranks")
        self.assertEqual((len(answer["ranks"]), answer["collectives"], answer["latest"]), (1, [], None))
        self.assertEqual(answer["matching"]["single"], 24)
        self.assertIsNone(answer["clock"]["error_ns"])
        self.assertNotIn("wait", answer["metrics"])
        sums, = self.get_json(path + "/workers")["collectives"]
        self.assertEqual([sums[key] for key in ("name", "calls", "bytes", "transfer_ns", "wait_ns")],
                         ["allreduce", 24, 24 * 26214400, None, None])

    def test_spans_of_a_rank_are_one_rank(self):
        whole, _ = self.job()
        path, truth = self.job("--spans")
        answer = self.get_json(path + "/ranks")
        self.check_clocks(answer, truth)
        self.assertEqual([row["steps"] for row in answer["ranks"]], [6] * 8)
        self.assertIsNone(answer["repeated_rank"])
        same = self.get_json(whole + "/ranks")
        for key in ("matching", "collectives", "cells", "latest"):
            self.assertEqual(answer[key], same[key], key)

    def test_two_recordings_of_a_rank_are_not_compared(self):
        path, _ = self.job("--twice", "3")
        answer = self.get_json(path + "/ranks")
        self.assertEqual((answer["repeated_rank"], answer["ranks_in_files"], len(answer["ranks"])), (3, False, 9))
        self.assertEqual((answer["collectives"], answer["latest"]), ([], None))
        self.assertEqual(answer["matching"]["unmatched"], 6 * (4 * 8 + 8) + 30)
        self.assertEqual({row["wait_ns"] for row in self.get_json(path + "/workers")["collectives"]}, {None})

    def test_sums_of_workers_are_those_of_the_ranks(self):
        path, _ = self.job("--missing", "2")
        rows = {row["name"]: row for row in self.get_json(path + "/ranks")["collectives"]}
        sums = self.get_json(path + "/workers")["collectives"]
        self.assertEqual({row["name"] for row in sums}, set(rows))
        for row in sums:
            self.assertEqual(row["total_ns"], rows[row["name"]]["total_ns"])
            self.assertEqual(row["transfer_ns"] + row["wait_ns"], row["total_ns"])
        reduce = next(row for row in sums if row["name"] == "allreduce")
        self.assertEqual([reduce["calls"], reduce["bytes"]], [24 * 7, 24 * 7 * 26214400])
        self.assertEqual(reduce["transfer_ns"], 7 * rows["allreduce"]["transfer_ns"])

    def test_collectives_of_the_host(self):
        """Without a device the operators of the host are the collectives; with one kernel they are not counted."""
        def trace(rank, kernel=False):
            rows = [{"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1, "ts": 10_000 * step, "dur": 9_000}
                    for step in range(3)]
            for step in range(3):  # rank 1 comes 500 us later
                rows.append({"ph": "X", "cat": "cpu_op", "name": "gloo:all_reduce", "pid": 1, "tid": 1, "ts": 10_000 * step + 2_000 + 500 * rank,
                             "dur": 1_000 - 500 * rank, "args": {"Collective name": "allreduce", "In msg nelems": 256, "Out msg nelems": 256,
                                                                 "dtype": "Half", "Group size": 2, "Process Group Name": "0", "Seq": step}})
            if kernel:
                rows.append({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 7, "ts": 2_000, "dur": 10,
                             "args": {"device": 0, "stream": 7}})
            return {"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": 2}, "traceEvents": rows}

        for kernel in (False, True):
            runs = [self.add(json.dumps(trace(rank, kernel)).encode(), name=f"host_{rank}.pt.trace.json")["id"] for rank in range(2)]
            merged = self.request("POST", f"/api/v1/merge?ids={','.join(runs)}&wait=1")
            self.assertEqual(merged.status, 201, merged.body)
            answer = self.get_json(f"{RUNS}/{merged.json['id']}/ranks")
            self.assertEqual(answer["matching"]["on_host"], not kernel)
            row, = answer["collectives"]
            if kernel:
                self.assertEqual([row[key] for key in ("name", "calls", "bytes")], ["ncclDevKernel_AllReduce", 1, None])
                continue
            self.assertEqual([row[key] for key in ("name", "calls", "bytes", "last")], ["allreduce", 3, 512, 1])
            self.assertEqual([row[key] / 3 for key in ("transfer_ns", "spread_ns", "wait_ns")], [500_000] * 3)

    def test_drifting_clocks_are_reported(self):
        path, _ = self.job("--drift-us", "3000", "--steps", "20")
        answer = self.get_json(path + "/ranks")
        self.assertGreater(answer["clock"]["error_ns"], 1_000_000)
        self.assertLess(sum(row["last"] for row in answer["ranks"]), answer["matching"]["collectives"] / 4)

    def test_calls_and_aligned_step(self):
        path, _ = self.job("--ranks", "8", "--steps", "6")
        calls = self.get_json(path + "/ranks/calls?collective=0&step=2")
        self.assertEqual(calls["total"], 4)
        self.assertEqual([row["step"] for row in calls["rows"]], [2] * 4)
        waits = [row["wait_ns"] for row in calls["rows"]]
        self.assertEqual(waits, sorted(waits, reverse=True))
        ranks = self.get_json(path + "/ranks/step?step=2&rank=1")["ranks"]
        self.assertEqual(ranks[0]["index"], 5)
        self.assertIn(1, [row["index"] for row in ranks])
        self.assertEqual(len(ranks[0]["calls"]), 5)
        # on the common clock all ranks leave a collective together
        for call in ranks[0]["calls"]:
            ends = [row["aligned_ns"] + one["start_ns"] + one["wait_ns"] + one["transfer_ns"]
                    for row in ranks for one in row["calls"] if one["call"] == call["call"]]
            self.assertLess(max(ends) - min(ends), 30_000)
            self.assertGreaterEqual(len(ends), 2)
        slice_of = self.get_json(f"{path}/slices/{ranks[0]['calls'][0]['slice']}")
        self.assertTrue(slice_of["slice"]["name"].startswith("ncclDevKernel"))

    def test_a_call_weeks_later(self):
        """Times are limited to 13 days after the start: a later call is moved there, and none is left out."""
        def add_late_call(events):
            last = max((event for event in events if "ncclDevKernel_AllReduce" in event["name"]), key=lambda event: event["ts"])
            events.append({**last, "ts": last["ts"] + 2e12, "args": {**last["args"], "Seq": last["args"]["Seq"] + 1}})

        path, truth = self.job("--ranks", "2", "--steps", "2", "--hosts", "1", change=add_late_call)
        matching = self.get_json(path + "/ranks")["matching"]
        self.assertEqual([matching["omitted"], matching["collectives"]], [0, truth["collectives"] + 1])

    def test_errors(self):
        path, _ = self.job("--ranks", "2", "--steps", "2")
        for query, status in (("/ranks?m=speed", 400), ("/ranks/step?step=2", 404), ("/ranks/step?step=-1", 400),
                              ("/ranks/calls?limit=0", 400), ("/ranks/calls?collective=x", 400)):
            self.assertEqual(self.request("GET", path + query).status, status, query)
