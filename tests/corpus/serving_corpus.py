# SPDX-License-Identifier: MIT
"""Results of clients of inference servers: each number of the file is in a row with its digits, and requests equal the lists."""
import csv
import glob
import json
import os
import re
import shutil
import sqlite3
import tempfile
import unittest
from decimal import Decimal

from corpus import CORPUS, ROOT, CorpusTest, Shelf

GOLDEN = os.path.join(ROOT, "tests", "golden")
STATISTICS = {"avg": "mean", "mean": "mean", "median": "median", "p50": "median", "std": "stddev", "std_dev": "stddev",
              "min": "min", "max": "max", "count": "n", "p25": "q1", "p75": "q3"}
SHIFTS = {"ms": -3, "us": -6, "ns": -9}
SKIPPED = {"sum", "unit", "tag", "header", "streaming_only"}
# what is read as the load under which it was measured, not as a result
PARAMETERS = {"num_prompts", "request_rate", "burstiness", "max_concurrency", "best_of", "run_number", "ramp_up_start_rps",
              "ramp_up_end_rps", "sharegpt_output_len", "random_input_len", "random_output_len", "random_range_ratio", "seed"}


def found(folder, *patterns):
    return [path for pattern in patterns for path in sorted(glob.glob(os.path.join(folder, pattern))) if not path.endswith((".dump", ".error"))]


def flat_files():
    return found(GOLDEN, "vllm/ok_*", "sglang/ok_[dnp]*") + found(CORPUS, "made3/bench/sglang/*.jsonl", "made3/serving/own-*/vllm.json",
                                                             "made3/serving/own-*/sglang.jsonl")


def aiperf_files():
    return found(GOLDEN, "aiperf/ok_*") + found(CORPUS, "made3/bench/aiperf/*.json", "made3/serving/aiperf-*/profile_export_aiperf.json")


def csv_files():
    return found(GOLDEN, "aiperf_csv/ok_*") + found(CORPUS, "made3/bench/aiperf/*.csv", "made3/serving/aiperf-*/profile_export_aiperf.csv")


def record_files():
    return found(GOLDEN, "aiperf_records/ok_[cf]a*") + found(CORPUS, "made3/bench/aiperf/*.jsonl", "made3/serving/aiperf-*/profile_export.jsonl")


# Metrics of guidellm that count a request once for each token, or a value for as long as it held.
WEIGHTED = ("inter_token_latency_ms", "time_per_output_token_ms", "_per_iteration", "_per_second", "_concurrency")


def guidellm_files():
    return found(GOLDEN, "guidellm/ok_*")


def printed_files():
    return found(GOLDEN, "serving_text/ok_[stv]*")


def seconds(text, unit):
    """The number of a file, in the unit of the row: its digits, with the point moved."""
    return float(Decimal(text).scaleb(SHIFTS.get(unit, 0)))


class Number(str):
    """A number as the file writes it; a text is none."""


def documents(path):
    """The objects of a file, with numbers as they are written."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    options = {"parse_float": Number, "parse_int": Number, "parse_constant": str}
    if text.lstrip().startswith("["):
        return json.loads(text, **options)
    try:
        return [json.loads(text, **options)]
    except json.JSONDecodeError:
        return [json.loads(line, **options) for line in text.splitlines() if line.strip()]


def is_number(value):
    return isinstance(value, Number)


class Serving(CorpusTest):
    @staticmethod
    def fill():
        made = Shelf()
        made.add(flat_files() + aiperf_files() + csv_files() + record_files() + guidellm_files() + printed_files() +
                 found(GOLDEN, "vllm_offline/ok_*", "guidellm_csv/ok_*"))
        return made

    def rows(self, path, statement):
        run = self.shelf.of(path)["id"]
        with sqlite3.connect(f"file:{os.path.join(self.shelf.folder, 'runs', run + '.db')}?mode=ro", uri=True) as file:
            file.row_factory = sqlite3.Row
            return [dict(row) for row in file.execute(statement)]

    def results(self, path):
        """The rows of each result, by the key of the tool; and percentiles by the name of their metric."""
        rows = self.rows(path, "SELECT * FROM measurement ORDER BY id")
        for result in self.rows(path, "SELECT * FROM serving_result ORDER BY id"):
            own = [row for row in rows if result["first"] <= row["id"] <= result["last"]]
            yield {json.loads(row["more"]).get("key", row["metric"]): row for row in own}, {row["metric"]: row for row in own}

    def check(self, row, metrics, statistic, value):
        """One statistic of the tool: in a column, a row of its own, or beside the row."""
        if row["state"]:
            self.assertEqual(value, 0.0)
            return
        if statistic in STATISTICS:
            column = STATISTICS[statistic]
            stored = row["value"] if column == "mean" and row["mean"] is None else row[column]
        elif row["unit"] == "s" and float(statistic[1:]) > 50:
            stored = metrics[f"{row['metric']}, {statistic}"]["value"]
        else:
            stored = json.loads(row["more"])[statistic]
        self.assertEqual(stored, value, (row["metric"], statistic))

    def test_numbers_of_vllm_and_sglang(self):
        checked = 0
        for path in flat_files():
            found_results = list(self.results(path))
            for result, (by_key, metrics) in zip(documents(path), found_results, strict=True):
                for key, value in result.items():
                    key = key.rstrip(":")  # "request_goodput:" of vLLM before 0.8
                    if not is_number(value) or key in PARAMETERS:
                        continue
                    with self.subTest(os.path.basename(path), key=key):
                        statistic, _, metric = key.partition("_")
                        if not key.endswith("_ms") or metric not in by_key:
                            statistic, metric = "mean", key
                        unit = "ms" if key.endswith("_ms") else ""
                        self.check(by_key[metric], metrics, statistic, seconds(value, unit))
                        checked += 1
        self.assertGreater(checked, 150)

    def test_requests_of_vllm_and_sglang(self):
        for path in flat_files():
            requests = self.rows(path, "SELECT * FROM request ORDER BY result, position")
            expected = []
            for result in documents(path):
                for i, ttft in enumerate(result.get("ttfts", [])):
                    failed = result["errors"][i] != "" or (float(ttft) == 0 and result["output_lens"][i] == "0")
                    expected.append((1 if failed else 0, int(result["input_lens"][i]), None if failed else round(Decimal(ttft) * 10**9),
                                     None if failed else int(result["output_lens"][i])))
            with self.subTest(os.path.basename(path)):
                self.assertEqual([(r["state"], r["prompt_tokens"], r["ttft_ns"], r["output_tokens"]) for r in requests], expected)

    def test_texts_of_answers_are_not_stored(self):
        for path in flat_files():
            run = self.shelf.of(path)["id"]
            with open(os.path.join(self.shelf.folder, "runs", run + ".db"), "rb") as file:
                self.assertNotIn(b"word word", file.read())

    def test_numbers_of_aiperf(self):
        for path in aiperf_files():
            [(by_key, metrics)] = self.results(path)
            for key, metric in documents(path)[0].items():
                if not isinstance(metric, dict) or "unit" not in metric or key.endswith("timestamp"):
                    continue
                for statistic, value in metric.items():
                    if statistic not in SKIPPED:
                        with self.subTest(os.path.basename(path), key=key, statistic=statistic):
                            self.check(by_key[key], metrics, statistic, seconds(value, "" if statistic == "count" else metric["unit"]))

    def test_table_of_aiperf(self):
        for path in csv_files():
            [(by_key, metrics)] = self.results(path)
            titles, n = [], 0
            with open(path, encoding="utf-8", newline="") as file:
                for cells in csv.reader(file):
                    if not cells or cells[0] == "Endpoint":
                        continue
                    if cells[0] == "Metric":
                        titles = cells
                        continue
                    name, _, unit = cells[0].rpartition(" (")
                    unit = unit.rstrip(")")
                    if not name or unit == "Success + Error":
                        name, unit = cells[0], ""
                    row = by_key[name.lower().replace(" ", "_")]
                    n += 1
                    for title, cell in zip(titles[1:], cells[1:]):
                        if cell and title != "sum":
                            with self.subTest(os.path.basename(path), name=name, title=title):
                                self.check(row, metrics, "mean" if title == "Value" else title, seconds(cell, unit))
            self.assertEqual(len(by_key), n + sum(", p" in metric for metric in metrics))

    def test_requests_of_aiperf(self):
        for path in record_files():
            requests = self.rows(path, "SELECT * FROM request ORDER BY position")
            lines = [line for line in documents(path) if line["metadata"].get("benchmark_phase") != "warmup"]
            first = min(int(line["metadata"]["request_start_ns"]) for line in lines)
            with self.subTest(os.path.basename(path)):
                for request, line in zip(requests, lines, strict=True):
                    metrics, metadata = line["metrics"], line["metadata"]
                    self.assertEqual(request["name"], metadata["x_request_id"])
                    self.assertEqual(request["start_ns"], int(metadata["request_start_ns"]) - first)
                    self.assertEqual(request["state"], 2 if metadata["was_cancelled"] else 1 if line.get("error") else 0)
                    self.assertEqual(bool(request["error"]), bool(line.get("error")))
                    for column, name, scale in (("ttft_ns", "time_to_first_token", 10**6), ("latency_ns", "request_latency", 10**6),
                                                ("output_tokens", "output_sequence_length", 1), ("engine_prompt_tokens", "usage_prompt_tokens", 1)):
                        value = metrics.get(name)
                        self.assertEqual(request[column], round(Decimal(value["value"]) * scale) if value else None, name)

    def test_numbers_and_requests_of_guidellm(self):
        for path in guidellm_files():
            [report] = documents(path)
            requests = self.rows(path, "SELECT * FROM request ORDER BY result, position")
            expected = []
            for benchmark, (by_key, metrics) in zip(report["benchmarks"], self.results(path), strict=True):
                for key, metric in benchmark["metrics"].items():
                    summary = metric.get("successful") if isinstance(metric, dict) else None
                    if not isinstance(summary, dict) or summary["count"] == "0" or key not in by_key and float(summary["max"]) == 0:
                        continue
                    for statistic, value in {**summary, **summary["percentiles"]}.items():
                        if statistic in ("mode", "variance", "total_sum", "percentiles", "pdf", "mean_ci", "percentile_cis"):
                            continue
                        if statistic[0] == "p":
                            statistic = "p%g" % (int(statistic[1:]) / (10 if len(statistic) == 4 else 1))
                        with self.subTest(os.path.basename(path), key=key, statistic=statistic):
                            if statistic == "count" and key.endswith(WEIGHTED):
                                self.assertIsNone(by_key[key]["n"], "tokens are no samples")
                                continue
                            self.check(by_key[key], metrics, statistic,
                                       seconds(value, "ms" if key.endswith("_ms") and statistic != "count" else ""))
                for state, status in ((0, "successful"), (1, "errored"), (2, "incomplete")):
                    expected += [(state, r["response_id"] or r["request_id"], int(r["prompt_tokens"] or 0) or None) for r in benchmark["requests"][status]]
            with self.subTest(os.path.basename(path)):
                self.assertEqual(sorted((r["state"], r["name"], r["prompt_tokens"]) for r in requests), sorted(expected))

    def test_rows_of_printed_tables(self):
        """Each number that is printed is a number of a row of its table."""
        short = {"TTFT": "time to first token", "TPOT": "time per output token", "ITL": "inter-token latency", "E2EL": "end-to-end latency",
                 "E2E Latency": "end-to-end latency", "Client Queue Time": "client queue time"}
        for path in printed_files():
            with open(path, encoding="utf-8") as file:
                tables = re.findall(r"=== Serving Benchmark Result ===+\n(.*?)\n(?:# )?====", file.read(), re.DOTALL)
            for table, (_, metrics) in zip(tables, self.results(path), strict=True):
                numbers = {row[column] for row in metrics.values() for column in ("value", "median", "max")}
                for line in table.splitlines():
                    label, colon, value = line.lstrip("# ").rpartition(":")
                    if not colon or not value.strip()[:1].isdigit():
                        continue
                    with self.subTest(os.path.basename(path), label=label):
                        statistic = re.fullmatch(r"(Mean|Median|Max|P[\d.]+) (.*) \(ms\)", label)
                        number = seconds(value.strip(), "ms" if statistic else "")
                        if not statistic:
                            self.assertIn(number, numbers | {3.0, 1.0, 2.0})
                        elif statistic[1][0] != "P" or statistic[1] == "P50":
                            row = metrics[short[statistic[2]]]
                            self.assertEqual(row[{"Mean": "value", "Max": "max"}.get(statistic[1], "median")], number)
                        else:
                            self.assertEqual(metrics[f"{short[statistic[2]]}, {statistic[1].lower()}"]["value"], number)

    def test_offline_results_of_vllm(self):
        for path in found(GOLDEN, "vllm_offline/ok_*"):
            [(by_key, metrics)] = self.results(path)
            [result] = documents(path)
            for key, value in result.items():
                if isinstance(value, Number):
                    self.assertEqual(by_key["latency" if key == "avg_latency" else key]["value"], float(value))
            for p, value in result.get("percentiles", {}).items():
                if int(p) > 50 and int(p) != 75:
                    self.assertEqual(metrics[f"latency, p{p}"]["value"], float(value))

    def test_files_of_one_folder_are_one_result(self):
        """The summary, not its rounded table; with the requests, which are also the samples."""
        with tempfile.TemporaryDirectory() as folder:
            part = os.path.join(folder, "artifacts")
            os.mkdir(part)
            for name, source in (("profile_export.jsonl", "aiperf_records/ok_fail.jsonl"), ("profile_export_aiperf.csv", "aiperf_csv/ok_fail.csv"),
                                 ("profile_export_aiperf.json", "aiperf/ok_fail.json")):
                shutil.copy(os.path.join(GOLDEN, source), os.path.join(part, name))
            made = Shelf()
            made.run("add", part)
            [run] = glob.glob(os.path.join(made.folder, "runs", "*.db"))
            with sqlite3.connect(f"file:{run}?mode=ro", uri=True) as file:
                results = file.execute("SELECT first, last FROM serving_result").fetchall()
                self.assertEqual(results, [(1, file.execute("SELECT max(id) FROM measurement").fetchone()[0])])
                self.assertEqual(file.execute("SELECT count(*), min(result), max(result) FROM request").fetchone(), (12, 1, 1))
                value, samples = file.execute("SELECT value, samples FROM measurement WHERE metric = 'time to first token'").fetchone()
                self.assertEqual(value, seconds(str(json.load(open(os.path.join(part, "profile_export_aiperf.json"), encoding="utf-8"))
                                                    ["time_to_first_token"]["avg"]), "ms"))
                self.assertEqual(len(samples), 9 * 8)
                self.assertEqual(file.execute("SELECT count(*) FROM (SELECT 1 FROM measurement GROUP BY name, metric HAVING count(*) > 1)").fetchone(), (0,))

    def test_table_of_guidellm_equals_its_report(self):
        [table] = found(GOLDEN, "guidellm_csv/ok_*")
        report = os.path.join(GOLDEN, "guidellm", "ok_concurrent_failures.json")
        columns = ("value", "mean", "median", "stddev", "min", "max", "q1", "q3", "unit", "state")
        compared = 0
        for (_, rows), (_, expected) in zip(self.results(table), self.results(report), strict=True):
            for metric, row in rows.items():
                compared += 1
                self.assertEqual({c: row[c] for c in columns}, {c: expected[metric][c] for c in columns}, metric)
        self.assertGreater(compared, 40)

    def test_metrics_of_requests_alone_equal_the_summary(self):
        """From the requests alone follow the numbers that AIPerf computes of them."""
        folder = os.path.join(CORPUS, "made3", "serving", "aiperf-before")
        path = os.path.join(folder, "profile_export.jsonl")
        if not os.path.exists(path):
            self.skipTest("only the larger corpus has it")
        [(computed, _)] = self.results(path)
        summary = documents(os.path.join(folder, "profile_export_aiperf.json"))[0]
        for name, key in (("time to first token", "time_to_first_token"), ("inter-token latency", "inter_chunk_latency"),
                          ("end-to-end latency", "request_latency"), ("time per output token", "inter_token_latency")):
            self.assertAlmostEqual(computed[name]["value"], float(summary[key]["avg"]) / 1e3, places=9)
            self.assertAlmostEqual(computed[name + ", p99"]["value"], float(summary[key]["p99"]) / 1e3, places=9)
        self.assertAlmostEqual(computed["duration"]["value"], float(summary["benchmark_duration"]["avg"]), places=5)


if __name__ == "__main__":
    unittest.main()
