# SPDX-License-Identifier: MIT
"""Durations of tests: JUnit XML as Python's own parser reads it, pytest-json-report, and the printed lists of pytest and unittest."""
import functools
import glob
import json
import os
import re
import unittest
import xml.etree.ElementTree as ElementTree

from corpus import CORPUS, ROOT, CorpusTest, Shelf, has

GOLDEN = os.path.join(ROOT, "tests", "golden")


def found(pattern, *more):
    return sorted(glob.glob(os.path.join(GOLDEN, pattern))) + [os.path.join(CORPUS, name) for name in more if has(name)]


JUNIT = found("junit/ok_[mp]*.xml", "made3/bench/pytest/junit.xml", "wild2/pytest-durations/junit.xml")
JSON = found("pytest_report/ok_*.json")
PRINTED = found("test_durations/ok_[pu]*.txt", "made3/bench/pytest/durations.txt", "wild2/pytest-durations/durations5.txt")


@functools.cache
def shelf():
    made = Shelf()
    made.add(JUNIT + JSON + PRINTED)
    return made


class Reports(CorpusTest):
    fill = staticmethod(shelf)

    def rows(self, path):
        return self.shelf.sql(path, "SELECT name, metric, value, state, is_part, resolution, more FROM measurements ORDER BY id")

    def test_all_are_read(self):
        self.assertEqual(self.shelf.refused, {})

    def test_junit(self):
        for path in JUNIT:
            want = []
            for test in ElementTree.parse(path).iter("testcase"):
                children = {child.tag for child in test}
                state = "failed" if children & {"failure", "error"} else "skipped" if "skipped" in children or test.get("status") == "notrun" else "measured"
                time = test.get("time")
                time = None if time is None else float(time.replace(",", "") if "." in time else time.replace(",", "."))
                if test.get("name"):
                    want.append((".".join(filter(None, (test.get("classname"), test.get("name")))), state, time if state == "measured" else None))
            with self.subTest(os.path.basename(path)):
                self.assertEqual([(row["name"], row["state"], row["value"]) for row in self.rows(path)], want)

    def test_json_report(self):
        states = {"passed": "measured", "skipped": "skipped", "failed": "failed"}
        for path in JSON:
            with open(path, encoding="utf-8") as file:
                tests = [test for test in json.load(file)["tests"] if "nodeid" in test]
            want = []
            for test in tests:
                parts = {phase: test[phase] for phase in ("setup", "call", "teardown") if phase in test}
                state = next((state for state in ("failed", "skipped") if any(part["outcome"] == state for part in parts.values())), "measured")
                want.append((test["nodeid"], "time", state, sum(part["duration"] for part in parts.values()) if state == "measured" else None, 0))
                for phase, part in parts.items():
                    want.append((test["nodeid"], phase, states[part["outcome"]], part["duration"] if part["outcome"] == "passed" else None, 1))
            have = [(row["name"], row["metric"], row["state"], row["value"], row["is_part"]) for row in self.rows(path)]
            self.assertEqual(have, want)

    def test_printed(self):
        row = re.compile(r"(?:^|Z )(\d+\.\d{2,3})s +(?:(setup|call|teardown) +)?(\S.*)$", re.M)
        for path in PRINTED:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            want = [(float(seconds), phase or "time", f"{phase} {name}".strip()) for seconds, phase, name in row.findall(text)]
            with self.subTest(os.path.basename(path)):
                self.assertEqual([(row["value"], row["metric"], row["name"]) for row in self.rows(path)], want)
                self.assertEqual({row["resolution"] for row in self.rows(path)}, {0.01 if "s call " in text else 0.001})


if __name__ == "__main__":
    unittest.main()
