# SPDX-License-Identifier: MIT
"""Agents find the causes of twelve profiles: `summary` and at most three further calls name the cause, with the right numbers, in 8 KB.

    python3 agent_corpus.py --table     prints calls, bytes and what is found for each profile
"""
import json
import os
import subprocess
import sys
import unittest

from conclusion_corpus import KNOWN, formatted, path_of, shelf
from corpus import PROGRAM

BYTES_MAX = 8192

# The first twelve profiles of KNOWN -> what is called after summary, and what the answers must contain.
CALLS = {
    "demo/awscli.log": (
        [("explore", {"name": "botocore"}), ("lazy_imports", {"lazy": ["botocore"]})],
        ["`botocore` takes 41.8 % of the import time", "first imported by `awscli.clidriver`", "modules of the package: 80"]),
    "demo/threads.log": (
        [("explore", {"name": "asyncio"})],
        ["`asyncio` takes 61.5 % of the import time", "imported by the program or in a function", "Several threads imported at once"]),
    "wild/importtime/snodo.log": (
        [("explore", {"name": "litellm"}), ("lazy_imports", {})],
        ["`snodo.validators.llm_validator` takes 72.3 % of the import time", "`litellm`: first imported by `snodo.validators.llm_validator`"]),
    "demo/bookshop-slow.prof": (
        [("explore", {"name": "author_of"})],
        ["`author_of` (`bookshop.py:29`) takes 41.0 % of the time", "`books_one_by_one` (`bookshop.py:33`) calls it 40 times in each of its calls", "`/tmp/perfshelf-demo/bookshop.py:29`",
         "| 379.8 ms | 57.9 % | 379.8 ms | 12000 | `<method 'fetchone' of 'sqlite3.Cursor' objects>` |"]),
    "wild/pstats/mymesh-program.prof": (
        [("explore", {"name": "BowyerWatson2d"}), ("explore", {"name": "det"})],
        ["`BowyerWatson2d` (`delaunay.py:592`) takes 85.7 % of the time itself", "| 61.20 s | 85.7 % |", "18.88 s | 26.4 %"]),
    "wild/pstats/comp521-program.prof": (
        [("explore", {"name": "position_occupied"})],
        ["`position_occupied` (`game.py:104`) takes 41.0 % of the time itself", "`_get_attacks` (`attack.py:43`) calls it 82 times in each of its calls"]),
    "demo/gpt-h200.pt.trace.json.gz": (
        [("timeline", {"step": "slowest", "max_rows": 5})],
        ["The host is too slow for the GPU", "13.74 ms of the 14.53 ms of a step", "197 kernels a step", "of it waiting for the host"]),
    "demo/training-waits.pt.trace.json.gz": (
        [("timeline", {"step": "slowest", "max_rows": 5})],
        ["The loop waits for data", "4.085 ms of the 8.751 ms of a step", "| host wait | `enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__` |"]),
    "wild/torch-trace/tracelens-sglang-decode-mi300.json.gz": (
        [("explore", {"name": "hipMemcpyWithStream", "max_rows": 5})],
        ["The GPU is busy with work that was not recorded 97.8 % of the step", "463.3 ms of the 473.8 ms", "`aten::copy_`", "9.773 ms for 32 tokens"]),
    "made/torch-trace/torch113_transformer.trace.json.gz": (
        [("explore", {"name": "aten::native_layer_norm_backward"})],
        ["The largest shares of the trace are 30.3 % in `aten::native_layer_norm_backward`", "809.9 ms", "245.4 ms"]),
    "made/torch-trace/torch26_ddp_rank0.trace.json.gz": (
        [("timeline", {"max_rows": 5})],
        ["Communication does not overlap with computation", "38.05 ms of the 145.9 ms", "5 collectives"]),
    "wild/torch-trace/hta-sampled-rank0-of-128.json.gz": (
        [("timeline", {"step": "slowest", "max_rows": 5})],
        ["The GPU is idle 31.4 % of each step", "193.1 ms of the 615.1 ms of a step", "577 kernels a step", "168.2 ms | 27.3 %"]),
}
PRESENT = [name for name in CALLS if os.path.exists(path_of(name))]


def answers(calls):
    """The texts of tools of one session."""
    messages = [{"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
                for i, (tool, arguments) in enumerate(calls)]
    done = subprocess.run([PROGRAM, "mcp", "--data", shelf().folder], input="".join(json.dumps(m) + "\n" for m in messages),
                          capture_output=True, text=True, timeout=600, check=True)
    results = [json.loads(line)["result"] for line in done.stdout.splitlines()]
    assert not any(result["isError"] for result in results), results
    return [result["content"][0]["text"] for result in results]


def told(name):
    """What an agent reads of a profile."""
    run = shelf().of(path_of(name))["id"]
    return answers([(tool, {"run": run, **arguments}) for tool, arguments in [("summary", {}), *CALLS[name][0]]])


class Agents(unittest.TestCase):
    def test_the_twelve_are_those_of_the_conclusions(self):
        self.assertEqual(list(CALLS), list(KNOWN)[:12])
        self.assertTrue(all(len(calls) <= 3 for calls, _ in CALLS.values()))

    def test_causes_are_found_in_few_bytes(self):
        for name in PRESENT:
            with self.subTest(name):
                text = told(name)
                self.assertLessEqual(sum(len(part.encode()) for part in text), BYTES_MAX)
                for words in CALLS[name][1]:
                    self.assertIn(words, "".join(text))

    def test_show_prints_the_causes_too(self):
        """`show --markdown` has the conclusion and the first table, in 8 KB."""
        for name in PRESENT:
            with self.subTest(name):
                text = shelf().run("show", shelf().of(path_of(name))["id"], "--markdown").stdout.decode()
                self.assertLessEqual(len(text.encode()), BYTES_MAX)
                self.assertIn(CALLS[name][1][0], text)
                self.assertIn(CALLS[name][1][1], text)

    def test_numbers_are_those_of_the_conclusion(self):
        for name in PRESENT:
            with self.subTest(name):
                run = shelf().of(path_of(name))["id"]
                found = json.loads(answers([("summary", {"run": run, "format": "json", "max_rows": 100, "max_bytes": 20_000})])[0])
                table = next(part for part in found["parts"] if part.get("table") == "causes")
                amounts = [formatted(row[0], "count") for row in table["rows"]]
                for amount in KNOWN[name][1].values():
                    self.assertIn(amount, amounts)


def main():
    print("| profile | calls | bytes | found |\n|---|--:|--:|---|")
    for name in PRESENT:
        text = told(name)
        found = all(words in "".join(text) for words in CALLS[name][1])
        print(f"| {name} | {len(text)} | {sum(len(part.encode()) for part in text)} | {CALLS[name][1][0] if found else 'NOT FOUND'} |")


if __name__ == "__main__":
    main() if "--table" in sys.argv else unittest.main()
