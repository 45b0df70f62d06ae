# SPDX-License-Identifier: MIT
"""The exam of conclusions (tests/causes): no kind falls below its floor, and page, terminal and agents read the same words."""
import json
import os
import re
import sys
import unittest
import unittest.mock

from server import PROGRAM, ROOT

sys.path.insert(0, os.path.join(ROOT, "tests", "causes"))
import exam  # noqa: E402
from long import SHORT  # noqa: E402


def words(text):
    """Without markup and numbers, which each reader formats in its own way."""
    return re.sub(r"[^A-Za-z_]+", " ", re.sub(r"\d[\d.,e+-]* ?(percent|count|bytes|samples|[nµm]?s|[KMGT]?i?B|%)?(?=\W|$)", " ", text.replace("\\", ""))).split()


def plain(text):
    """Without markup, and in one line."""
    return " ".join(re.sub(r"[\\`*]", "", text).split())


def numbers_of(parts, text):
    """The numbers of a sentence as a reader formats them, each with its unit in the page; None: the text has other words."""
    pattern = r"\s*".join(r"([-+]?\d[\d.,e+-]*(?: ?(?:[nµmkKMGT]?i?[sB%]|samples?)(?!\w))?)" if "value" in part else r"\s*".join(map(re.escape, plain(part.get("text") or part.get("code")).split()))
                         for part in parts)
    found = re.search(pattern, plain(text))
    return found and list(zip(found.groups(), [part["unit"] for part in parts if "value" in part]))


class Causes(unittest.TestCase):
    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        cases = exam.all_cases()
        of_kind = {}
        for case in cases:
            of_kind.setdefault((case.kind, bool(case.base)), []).append(case)
        # Other readers are processes, three for each run.
        cls.with_others = [case for same in of_kind.values() for case in same[::8 if SHORT else 1]]
        cls.results = list(exam.examine(PROGRAM, cases, cls.with_others))

    def read_too(self):
        """Cases of each kind, with what the other readers print."""
        found = [(case, said) for case, _, _, said in self.results if case in self.with_others]
        self.assertTrue(any(said.others for case, said in found if not case.base))
        self.assertTrue(any(said.others for case, said in found if case.base))
        return found

    def test_no_kind_falls_below_its_floor(self):
        with open(exam.FLOOR, encoding="utf-8") as file:
            worse = exam.below_floor(exam.tally(self.results), json.load(file))
        self.assertEqual(worse, [], "\n".join(f"{grade}: {case}: {said.first}" for case, grade, _, said in self.results if grade != "right"))

    def test_no_promise_is_twice_what_was_measured(self):
        ratios = exam.promises(self.results)
        self.assertTrue(ratios)
        self.assertLess(ratios[-1], 2)

    def test_pairs_are_judged_by_subject_verb_direction_and_ratio(self):
        right = [(case, said) for case, grade, _, said in self.results if case.base and said.claims is not None and grade == "right"]
        change = next(claim for case, said in right if case.subject for claim in said.claims if exam.names_change(claim))
        judged = dict.fromkeys(("subject", "verb", "change", "times"), 0)
        for case, said in right:
            with self.subTest(str(case)):
                false = {"subject": ["no_such_function"], "verb": "renamed" if case.verb != "renamed" else "vanished", "change": {"more": "less", "less": "more"}.get(case.change), "times": [0.01, 0.02]}
                told = [next(filter(exam.names_change, said.claims))] if case.subject else said.claims
                for key in (key for key in false if getattr(case, key) and (key != "times" or any(exam.says_change(case, claim) and exam.ratio_of(claim) for claim in told))):
                    with unittest.mock.patch.object(case, key, false[key]):
                        self.assertNotEqual(exam.judge_pair(case, said), "right", key)
                    judged[key] += 1
                if not case.subject:
                    with unittest.mock.patch.object(said, "claims", [*said.claims, change]):
                        self.assertNotEqual(exam.judge_pair(case, said), "right")
        self.assertGreater(min(judged.values()), 5, judged)

    def test_sentences_name_the_subjects_of_claims(self):
        judged = [(case, said) for case, _, _, said in self.results if said.claim and said.claim["verb"] != "cannot_see"]
        self.assertTrue(judged)
        for case, said in judged:
            for subject in (part["subject"] for claim in (said.claims if case.base else [said.claim]) for part in claim["subjects"]):
                with self.subTest(str(case)):
                    self.assertTrue(subject["kind"] == "part" or (subject["name"] and subject["name"] in said.words) or f"{os.path.basename(subject['file'])}:{subject['line']}" in said.words,
                                    f"{subject['name']}: {said.words}")

    def test_terminal_and_agents_say_the_same_words(self):
        for case, said in self.read_too():
            with self.subTest(str(case)):
                for reader, text in said.others.items():
                    self.assertIn(" ".join(words(said.words)), " ".join(words(text)), reader)

    def test_terminal_markdown_and_agents_say_the_same_numbers(self):
        for case, said in self.read_too():
            if not said.parts:
                continue
            with self.subTest(str(case)):
                numbers = {reader: numbers_of(said.parts, text) for reader, text in said.others.items()}
                self.assertNotIn(None, numbers.values())
                terminal = numbers["diff" if case.base else "show"]
                self.assertEqual(list(numbers.values()), [terminal] * len(numbers))
                for part, number in zip((part for part in said.parts if part.get("unit") in ("percent", "count")), (n for n, unit in terminal if unit in ("percent", "count"))):
                    self.assertAlmostEqual(float(number.replace(",", "").rstrip(" %")), part["value"], delta=max(0.051, 0.001 * abs(part["value"])))


if __name__ == "__main__":
    unittest.main()
