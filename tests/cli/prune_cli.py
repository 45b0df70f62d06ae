# SPDX-License-Identifier: MIT
"""`prune --keep`: which runs stay on a shelf."""
import json
import unittest

from program import ShelfTest, call


def log_of(n):
    """An import log like no other."""
    return f"import time: self [us] | cumulative | imported package\nimport time: {100 + n:9} | {100 + n:10} | module_{n}\n".encode()


class Prune(ShelfTest):
    def setUp(self):
        super().setUp()
        self.n = 0

    def add(self, name, series=""):
        self.n += 1
        return self.json("add", self.file(f"{self.n}.log", log_of(self.n)), "--name", name, *(("--series", series) if series else ()))["id"]

    def left(self):
        """Names, the oldest first."""
        return "".join(run["name"] for run in reversed(self.json("list")))

    def pruned(self, *args):
        """What is told of each run, and is the same as a dry run told before."""
        would = [json.loads(line) for line in self.ok("prune", "--json", "--dry-run", *args).splitlines()]
        did = [json.loads(line) for line in self.ok("prune", "--json", *args).splitlines()]
        self.assertEqual([dict(run, removed=True) for run in would], did)
        self.assertFalse(any(run["removed"] for run in would))
        total = did.pop()
        self.assertEqual(total, {"runs": len(did), "bytes": sum(run["bytes"] for run in did), "removed": True})
        return did

    def test_which_stay(self):
        ids = {name: self.add(name, series) for name, series in (("a", "x"), ("b", "x"), ("c", "y"), ("d", ""), ("e", "x"), ("f", "y"))}
        before = {run["name"]: run for run in self.json("list")}
        self.ok("baseline", "a")
        gone = self.pruned("--keep", "1/series", "--keep", "90d")
        self.assertEqual([(run["id"], run["name"], run["series"], run["rule"]) for run in gone],
                         [(ids["b"], "b", "x", "1/series"), (ids["c"], "c", "y", "1/series")])
        self.assertEqual([run["bytes"] for run in gone], [before[name]["bytes"] + before[name]["db_bytes"] for name in "bc"])
        self.assertEqual(self.left(), "adef")
        self.assertEqual(self.pruned("--keep", "1/series", "--keep", "90d"), [])
        size = before["f"]["bytes"] + before["f"]["db_bytes"]
        self.assertEqual([run["name"] for run in self.pruned(f"--keep={size}B")], ["d", "e"])
        self.assertEqual([run["name"] for run in self.pruned("--keep", "y=0.001s")], ["f"])
        self.assertEqual(self.left(), "a")
        self.ok("baseline", "--clear", "x")
        self.assertEqual([run["name"] for run in self.pruned("--keep", "1B")], ["a"])
        self.assertEqual(self.left_over(), {"runs": [], "originals": [], "spool": []})

    def test_what_is_told(self):
        kept, run = self.add("a", "x"), self.add("b\n\x1b", "x")
        self.ok("baseline", kept)
        told = self.ok("prune", "--keep", "x=1h", "--keep", "1B", "--dry-run")
        self.assertRegex(told, rf"^{run}  would be deleted  b\\n\\x1b  \(1B\)\n1 run would be deleted, [\d.]+ KiB with their original files\n$")
        self.assertEqual(self.ok("prune", "--keep", "1B"), told.replace("would be deleted", "deleted"))
        self.assertEqual(self.ok("prune", "--keep", "1B"), "0 runs deleted\n")
        self.assertEqual(self.json("add", self.file("again.log", log_of(2)))["already"], False)  # it comes in again

    def test_wrong_rules(self):
        self.add("a")
        self.assertIn("missing --keep RULE", self.fails("prune", "--dry-run", status=2))
        for rule in ("", "0", "1.5", "nightly", "nightly=", "=5", "5/day", "90x"):
            line = self.fails("prune", "--keep", "1B", "--keep", rule, status=2)
            self.assertIn(f"invalid value '{rule}' for --keep; write a number of runs, an age or a size: 500, 90d or 50GiB", line)
            self.assertIn(f"invalid value '{rule}' for --keep", call("serve", "--data", self.data, "--keep", rule).stderr.decode())
        self.assertIn("unknown option --keep", self.fails("list", "--keep", "5", status=2))
        self.assertEqual(self.left(), "a")


if __name__ == "__main__":
    unittest.main()
