# SPDX-License-Identifier: MIT
"""Three runs of one workload, before and after two changes of the server, compared request by request with what the server recorded."""
import json
import os
import tarfile
import unittest

from corpus import CORPUS, CorpusTest, Shelf, needs

FOLDER = "made3/serving"
RUNS = ("before", "after", "after2")
CLIENTS = {"aiperf": ("profile_export.jsonl", "profile_export_aiperf.json"), "own": ("vllm.json",)}


def job_of(target, variant, run, trace):
    """A job of one run as an archive: the client's files and the log of the engine, with or without the trace."""
    path = os.path.join(target, f"{variant}-{run}{'-trace' if trace else ''}.tar")
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as out:
        for name in ("engine.jsonl", *CLIENTS[variant], *(["trace.json.gz"] if trace else [])):
            out.add(os.path.join(CORPUS, FOLDER, f"{variant}-{run}", name), f"serving-{'trace-' if trace else ''}run/{name}")
    return path


@needs(FOLDER)
class ServingCompared(CorpusTest):
    @staticmethod
    def fill():
        made = Shelf()
        made.add([job_of(made.folder, variant, run, False) for variant in CLIENTS for run in RUNS] + [job_of(made.folder, "aiperf", run, True) for run in RUNS])
        return made

    def ask(self, variant, new, rest, trace=False):
        ids = [self.shelf.of(os.path.join(self.shelf.folder, f"{variant}-{run}{'-trace' if trace else ''}.tar"))["id"] for run in ("before", new)]
        return self.shelf.ask("GET", f"/compare{rest}?base={ids[0]}&new={ids[1]}" + ("&format=rows&sort=base_id&desc=0" if rest == "/requests" else ""))

    def oracle(self, variant):
        with open(os.path.join(CORPUS, FOLDER, f"{variant}.compare.oracle.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_each_pair(self):
        for variant in CLIENTS:
            oracle = self.oracle(variant)["requests"]
            for new in RUNS[1:]:
                rows = self.ask(variant, new, "/requests")
                self.assertEqual(len(rows), len(oracle))
                for row, wanted in zip(rows, oracle):
                    self.assertEqual(row["prompt_tokens"], wanted["prompt_tokens"])
                    for side, run in (("base", "before"), ("new", new)):
                        self.assertAlmostEqual(row[f"{side}_ttft_ns"] / 1e6, wanted[run]["ttft_ms"], delta=0.01)
                        self.assertAlmostEqual(row[f"{side}_latency_ns"] / 1e6, wanted[run]["e2e_ms"], delta=0.01)
                        waited = sum(row[f"{side}_{part}_ns"] for part in ("step", "slot", "budget", "others", "between"))
                        self.assertAlmostEqual(waited / 1e6, wanted[run]["queue_ms"], delta=2, msg=f"{variant} {run} {row['id']}")  # the clocks of both are joined
                        self.assertAlmostEqual(row[f"{side}_prefill_ns"] / 1e6, wanted[run]["prefill_ms"], delta=0.01)
                        parts = sum(row[f"{side}_{part}_ns"] for part in ("to_engine", "step", "slot", "budget", "others", "between", "prefill", "to_client", "outside"))
                        self.assertAlmostEqual(parts, row[f"{side}_ttft_ns"], delta=1)

    def test_distributions(self):
        for variant in CLIENTS:
            oracle = self.oracle(variant)
            for new in RUNS[1:]:
                summary = self.ask(variant, new, "/requests/summary")
                self.assertEqual((summary["paired_by"], summary["pairs"]), ("start", 23))
                first, gap = summary["metrics"][:2]
                for side, run in (("base", "before"), ("new", new)):
                    for key, wanted in (("p50", "median"), ("p99", "p99_linear"), ("worst", "max")):
                        self.assertAlmostEqual(first[side][key] / 1e6, oracle["ttft_ms"][run][wanted], delta=0.01)
                    self.assertAlmostEqual(gap[side]["worst"] / 1e6, oracle["itl_ms"][run]["max"], delta=0.01)

    def sentence(self, variant, new, trace=False):
        words = self.ask(variant, new, "/conclusion", trace)["sentence"]
        return "".join(part["text"] if part.get("text") else f"{1000 * part['value']:.0f} ms" if part["unit"] == "s" else f"{part['value']:.0f}" for part in words)

    def test_the_first_change_cures_stalls_only(self):
        said = self.sentence("aiperf", "after")
        self.assertIn("The longest gap between two tokens falls from 791 ms (request 9) to 87 ms (request 10).", said)
        self.assertIn("The longest time to first token hardly changes: 951 ms (request 13) before, 1021 ms (request 13) now.", said)
        self.assertIn("For request 13, waiting for a free slot takes 956 ms instead of 138 ms, waiting for the running step of others 28 ms instead of 773 ms.", said)

    def test_the_second_change_cures_the_first_token(self):
        for trace in (False, True):
            said = self.sentence("aiperf", "after2", trace)
            self.assertIn("Without request 12, whose own prefill takes", said)
            self.assertIn("the longest falls from 951 ms (request 13) to 80 ms (request 18).", said)
            self.assertIn("For request 13, waiting for the running step of others takes 21 ms instead of 773 ms, waiting for a free slot 0 ms instead of 138 ms.", said)
            self.assertIn("Of 23 requests, 20 have their first token sooner and 3 later", said)
        said = self.sentence("own", "after2")
        self.assertIn("Without request 12, whose own prefill takes", said)
        self.assertIn("the longest falls from 810 ms (request 13) to 104 ms", said)

    def test_a_trace_keeps_its_own_tables(self):
        compared = self.ask("aiperf", "after2", "", trace=True)
        self.assertLessEqual({"step_parts", "operators", "measurements"}, {table["of"] for table in compared["tables"]})
        self.assertLessEqual({"tree", "requests"}, set(compared["pictures"]))


if __name__ == "__main__":
    unittest.main()
