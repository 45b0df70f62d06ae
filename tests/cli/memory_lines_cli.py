# SPDX-License-Identifier: MIT
"""Comparisons of memory_profiler's reports: increments that no process can have explain nothing."""
from program import ShelfTest

HEAD = "Filename: app.py\n\nLine #    Mem usage    Increment  Occurrences   Line Contents\n" + 61 * "=" + "\n"


def report(kept, wild):
    rows = ((1, 60.0, 60.0, "@profile"), (2, 60.0, 0.0, "def work():"), (3, 60.0 + kept, kept, "    keep = load()"), (4, 60.0 + kept, wild, "    look(keep)"))
    return (HEAD + "".join(f"{line:>6}  {memory:>7.1f} MiB  {increment:>8.1f} MiB  {1:>10}   {text}\n" for line, memory, increment, text in rows)).encode()


class MemoryLines(ShelfTest):
    def test_increments_beyond_the_memory_of_the_process(self):
        runs = [self.json("add", self.file(f"{kept}.txt", report(kept, wild)))["id"] for kept, wild in ((1.0, 134000.0), (40.0, 2.0))]
        said = self.ok("diff", *runs)
        self.assertIn("keep = load() (app.py:3) explains +39.0 MiB of +41.0 MiB.", said)
        self.assertNotIn("GiB", said)

    def test_reports_that_do_not_count_occurrences(self):
        old = report(1.0, 0.0).decode().replace("  Occurrences", "").replace("=" * 61, "=" * 48).replace(f"  {1:>10}   ", "   ").encode()
        said = self.ok("show", self.json("add", self.file("old.txt", old))["id"])
        self.assertRegex(said, r"1\.00 MiB +100\.0 % +61\.0 MiB +keep = load\(\)")
        self.assertRegex(self.ok("show", self.json("add", self.file("new.txt", report(1.0, 0.0)))["id"]), r"1\.00 MiB +100\.0 % +61\.0 MiB +1  keep = load\(\)")
