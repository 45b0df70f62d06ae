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

    def test_what_a_loop_assigns_again_is_kept_by_another_line(self):
        """The allocator took the memory where the next object was made; one name holds only one of them."""
        def loop(*lines):
            rows = ((1, 34.5, 34.5, 1, "@profile"), (2, 34.5, 0.0, 1, "def run(years):"), (3, 127.7, 0.0, 61, "    for year in range(years):"), *lines)
            text = HEAD + "".join(f"{line:>6}  {memory:>7.1f} MiB  {increment:>8.1f} MiB  {n:>10}   {source}\n" for line, memory, increment, n, source in rows)
            return self.ok("show", self.json("add", self.file("loop.txt", text.encode()))["id"])
        keeps = (5, 127.7, 3.4, 60, "        history.append(grid.copy())")
        hint = "A name that a loop assigns again holds one object at a time: history.append(grid.copy()) at app.py:5 may keep the others."
        self.assertIn(hint, loop((4, 127.7, 88.3, 60, "        grid = melt(grid)"), keeps))
        self.assertNotIn("may keep", loop((4, 127.7, 88.3, 60, "        years[year] = melt(grid)"), keeps))
        self.assertNotIn("may keep", loop((4, 127.7, 88.3, 60, "        grid = melt(grid)"), (5, 127.7, 3.4, 60, "        look(grid)")))
        self.assertNotIn("may keep", loop((4, 127.7, 88.3, 60, "        grid = melt(grid)"), (5, 127.7, 3.4, 60, "        total = grid.add(1)")))
        self.assertNotIn("may keep", loop((4, 127.7, 88.3, 1, "    grid = melt(grid)"), keeps))
