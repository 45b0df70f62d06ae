# SPDX-License-Identifier: MIT
"""What changed is said once, as claims: the terminal, AI agents and the page (the answer of the API) carry the same words and
numbers. And what is named: a line, an operator; a part that is larger than its whole is not said to be a part of it."""
import json
import os
import re
import sys
import urllib.request

from memory_lines_cli import report
from program import DEMO, PROGRAM, ShelfTest

CAUSES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "causes")
sys.path.insert(0, CAUSES)
from exam import Shelf  # noqa: E402


def steps(*operators):
    """A trace of PyTorch on the CPU: five steps of operators, one after the other, with their durations in us."""
    events, ts = [], 0
    for step in range(5):
        start = ts
        for name, us in operators:
            events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": us})
            ts += us
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1, "ts": start, "dur": ts - start})
        ts += 10
    return json.dumps({"schemaVersion": 1, "traceEvents": events}).encode()


def plain(text):
    """Without the marks of Markdown and the separators of numbers; spaces of all kinds are one."""
    return re.sub(r"\s+", " ", re.sub(r"(?<=\d),(?=\d{3})", "", text.replace("`", "").replace("\\", "")))


class ChangeWords(ShelfTest):
    def pair(self, base, new, ending):
        return [self.file(f"{name}{ending}", text) for name, text in (("base", base), ("new", new))]

    def said(self, base, new):
        """The sentence of the API, after the terminal and agents were seen to say the same."""
        shelf = Shelf(PROGRAM, self.folder)
        ids, refused = shelf.add([base, new])
        self.assertEqual(refused, {})
        shelf.serve()
        try:
            groups = {"base": ids[base], "new": ids[new]}
            found = shelf.get("/compare/conclusion?base={base}&new={new}".format(**groups))
            call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "compare", "arguments": groups}}
            headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
            with urllib.request.urlopen(urllib.request.Request(f"{shelf.url}/mcp", json.dumps(call).encode(), headers)) as answer:
                agents = json.load(answer)["result"]["content"][0]["text"]
            terminal = shelf.call("diff", ids[base], ids[new])
        finally:
            shelf.close()
        page = plain("".join(part.get("text") or part.get("code") or f"{part['value']:.0f}" for part in found["sentence"]))
        self.assertTrue(page)
        self.assertIn(page, plain(terminal))
        self.assertIn(page, plain(agents))
        self.assertTrue(found["claims"])
        return page, found["claims"]

    def test_functions(self):
        sentence, claims = self.said(*(os.path.join(DEMO, f"bookshop-{name}.prof") for name in ("slow", "cached")))
        self.assertIn("books_one_by_one (bookshop.py:33) is gone, with 300 calls by books: -717.4 ms with what it calls", sentence)
        self.assertEqual((claims[0]["verb"], claims[0]["subjects"][0]["subject"]["name"]), ("vanished", "books_one_by_one"))

    def test_imports(self):
        """Comparisons of import logs have claims, with the packages as subjects and the modules as values."""
        folder = os.path.join(CAUSES, "importtime")
        with open(os.path.join(folder, "pair_boto_first.json"), encoding="utf-8") as file:
            about = json.load(file)
        sentence, claims = self.said(os.path.join(folder, about["base"]), os.path.join(folder, about["profile"]))
        self.assertRegex(sentence, r"^boto3 brings 215 modules: \+973\.1 ms, while all imports together take \+609\.5 ms\.$")
        self.assertEqual((claims[0]["verb"], claims[0]["subjects"][0]["subject"]["kind"]), ("appeared", "package"))
        self.assertEqual([(fact["code"], fact["values"][0]) for fact in claims[0]["facts"]], [("brings_modules", 215), ("change_while", 973140)])

    def test_more_than_the_whole(self):
        """One line grew by 80 MiB, another shrank by 8: the first is no part of 72."""
        pair = self.pair(report(10.0, 18.0), report(90.0, 10.0), ".txt")
        sentence, claims = self.said(*pair)
        self.assertEqual(sentence, "keep = load() (app.py:3) explains +80.0 MiB; all others -8.00 MiB, together +72.0 MiB.")
        self.assertEqual(claims[0]["facts"][0]["values"], [80, -8, 72])

    def test_operators_come_before_the_part_of_a_step(self):
        pair = self.pair(steps(("aten::_cdist_backward", 500), ("aten::_cdist_forward", 400), ("aten::mm", 900)),
                         steps(("aten::_cdist_backward", 72000), ("aten::_cdist_forward", 33500), ("aten::mm", 910)), ".json")
        sentence, claims = self.said(*pair)
        self.assertEqual(sentence, "aten::_cdist_backward explains +71.50 ms of +104.6 ms per step. In the step this is CPU: +104.6 ms per step; the step changes by +104.6 ms.")
        self.assertEqual([subject["subject"]["kind"] for subject in claims[0]["subjects"]], ["operator"])

    def test_the_line_of_the_function_is_named(self):
        folder = os.path.join(CAUSES, "line_profiler")
        with open(os.path.join(folder, "pair_grid_sort.json"), encoding="utf-8") as file:
            about = json.load(file)
        sentence, claims = self.said(os.path.join(folder, about["base"]), os.path.join(folder, about["profile"]))
        self.assertRegex(sentence, r"^hottest \(app\.py:28\) .* Most of it is at app\.py:34: \+[\d.]+ m?s\.$")
        self.assertEqual([(claim["subjects"][0]["subject"]["kind"], claim["parent"]) for claim in claims], [("function", None), ("line", 0)])


if __name__ == "__main__":
    import unittest
    unittest.main()
