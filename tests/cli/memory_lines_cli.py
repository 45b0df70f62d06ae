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
