# SPDX-License-Identifier: MIT
"""Reports by line whose cause is planted: the conclusion names it, or says why it cannot."""
import unittest

from server import RUNS, ServerTest

HEAD = "Filename: app.py\n\nLine #    Mem usage    Increment  Occurrences   Line Contents\n" + "=" * 61 + "\n"


def block(*rows):
    return HEAD + "".join(f"{line:6} {mem:8.3f} MiB {inc:9.3f} MiB {n:11}   {text}\n" for line, mem, inc, n, text in rows) + "\n\n"


def text_of(parts):
    return "".join(part.get("text") or part.get("code") or f"{part['value']:.4g} {part['unit']}" for part in parts)


class LineCauses(ServerTest):
    def ask(self, report):
        return self.get_json(f"{RUNS}/{self.add(report.encode())['id']}/conclusion")

    def test_a_loop_that_keeps_memory(self):
        """The loop keeps 80 of 81 MiB; the increments of its lines add up to -500, as the allocator decides."""
        said = self.ask(block((1, 40, 40, 1, "@profile"), (3, 41, 1, 1, "    kept = []"), (4, 121, -250, 11, "    for i in range(10):"),
                              (5, 121, -250, 10, "        kept.append(load(i))"), (6, 121, 0, 1, "    return kept")))
        self.assertEqual([round(cause["amount"] / 2**20) for cause in said["causes"]], [81])
        self.assertEqual(text_of(said["verdict"]), "its file adds 8.493e+07 bytes.")
        self.assertIn("in lines that ran several times", text_of(said["sentence"]))

    def test_increments_beyond_the_peak(self):
        """Of functions that are called often, memory_profiler prints sums that no process could have."""
        said = self.ask(block((1, 65.766, 32122.469, 1173, "@profile"), (3, 65.766, 58010.25, 1173, "    return work(x)")))
        self.assertEqual(said["causes"], [])
        self.assertIn("exceed the memory of the process", text_of(said["verdict"]))

    def test_a_function_that_calls_itself(self):
        report = ("Timer unit: 1e-06 s\n\nTotal time: 3 s\nFile: app.py\nFunction: ways at line 1\n\n"
                  "Line #      Hits         Time  Per Hit   % Time  Line Contents\n" + "=" * 62 + "\n"
                  "     1                                           def ways(n):\n"
                  "     2      1000     100000.0    100.0      3.3      if n < 2:\n"
                  "     3       999    2900000.0   2902.9     96.7      return ways(n - 1)\n")
        notes = " ".join(self.ask(report)["notes"])
        self.assertIn("ways calls itself at line 3", notes)
        other = self.ask(report.replace("return ways(n - 1)", "return other_ways(n)"))
        self.assertNotIn("calls itself", " ".join(other["notes"]))


if __name__ == "__main__":
    unittest.main()
