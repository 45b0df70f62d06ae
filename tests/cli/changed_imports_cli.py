# SPDX-License-Identifier: MIT
"""What `diff` says of two import logs: packages that came or went with all that they import, and slower modules."""
from program import ShelfTest


def log(*rows):
    """The text of an import log: pairs of a depth-marked name and its own time in us, importers below their imports."""
    out, below = ["import time: self [us] | cumulative | imported package"], {}
    for name, own in rows:
        depth = len(name) - len(name.lstrip())
        total = own + below.pop(depth + 1, 0)
        below[depth] = below.get(depth, 0) + total
        out.append(f"import time: {own:9d} | {total:10d} | {'  ' * depth}{name.strip()}")
    return "".join(line + "\n" for line in out).encode()


PARSER = [("  argparse.base", 4000), (" argparse", 9000)]
SHOP = [(" json", 8000), (" shop.prices", 20000), ("shop", 1000)]
TABLES = [("   numpy.core", 30000), ("  numpy", 20000), ("  pytz", 5000), (" pandas", 60000)]


class ChangedImports(ShelfTest):
    def said(self, base, now):
        runs = [self.json("add", self.file(name, log(*rows)))["id"] for name, rows in (("base.log", base), ("new.log", now))]
        return self.ok("diff", *runs).splitlines()[3]

    def test_an_added_package_has_all_that_it_imports(self):
        self.assertEqual(self.said(PARSER + SHOP, PARSER + TABLES + SHOP), "pandas brings 4 modules: +115.0 ms of +115.0 ms.")

    def test_a_removed_package(self):
        self.assertEqual(self.said(PARSER + TABLES + SHOP, SHOP),
                         "pandas no longer brings 4 modules: -115.0 ms of -128.0 ms. Also: argparse no longer brings 2 modules: -13.00 ms.")

    def test_what_was_imported_before_is_not_new(self):
        base = [("  numpy.core", 30000), (" numpy", 20000), *SHOP]
        self.assertEqual(self.said(base, base[:2] + [("  pytz", 5000), (" pandas", 60000)] + SHOP), "pandas brings 2 modules: +65.00 ms of +65.00 ms.")

    def test_an_added_module_of_a_package_that_was_there(self):
        self.assertEqual(self.said([(" shop", 9000)], [(" shop", 9000)] + [("  " + name, own) for name, own in TABLES] + [(" shop.report", 2000)]),
                         "shop.report brings 5 modules: +117.0 ms of +117.0 ms.")

    def test_a_module_that_its_package_imports(self):
        """`import b.c` imports b, which imports b.c: the second row of b.c contains what the first does not."""
        parts = [("    b.c", 7000), ("    b.d", 9000), ("   b", 1000), ("  b.c", 100), (" a", 500)]
        self.assertEqual(self.said(SHOP, SHOP + parts), "a brings 4 modules: +17.60 ms of +17.60 ms.")

    def test_a_module_works_longer(self):
        self.assertEqual(self.said(PARSER + SHOP, PARSER + [(name, own * (10 if "prices" in name else 1)) for name, own in SHOP]),
                         "The same modules are imported. shop.prices explains +180.0 ms of +180.0 ms.")

    def test_a_slower_machine(self):
        self.assertEqual(self.said(PARSER + TABLES + SHOP, [(name, own * 3 // 2) for name, own in PARSER + TABLES + SHOP]),
                         "The same modules are imported. They take +78.50 ms, in no package most of it, as on a slower machine or disk.")

    def test_nothing_changed(self):
        self.assertEqual(self.said(PARSER + SHOP, [(name, own + 100) for name, own in PARSER + SHOP]),
                         "The same modules are imported, in about the same time.")

    def test_one_row_differs_and_the_total_does_not(self):
        """Rows of a log that somebody edited need not add up to its total."""
        text = log(*PARSER, *SHOP)
        base = self.json("add", self.file("base.log", text))["id"]
        now = self.json("add", self.file("new.log", text.replace(b"    20000 |", b"    30000 |", 1)))["id"]
        self.assertIn("shop.prices explains +10.00 ms of +10.00 ms.", self.ok("diff", base, now))
        self.assertIn("shop.prices explains -10.00 ms of -10.00 ms.", self.ok("diff", now, base))

    def said_of_groups(self, base, now):
        ids = [[self.json("add", self.file(f"{name}{i}.log", log(*rows)))["id"] for i, rows in enumerate(group)] for name, group in (("base", base), ("new", now))]
        return self.ok("diff", *(",".join(group) for group in ids)).splitlines()[3]

    def slower(self, rows, factor, name=""):
        return [(module, int(own * factor) if name in module else own) for module, own in rows]

    def test_groups_tell_what_came(self):
        base, now = PARSER + SHOP, PARSER + TABLES + SHOP
        self.assertEqual(self.said_of_groups([self.slower(base, k) for k in (0.9, 1, 1.1)], [self.slower(now, k) for k in (1, 0.95, 1.05)]),
                         "pandas brings 4 modules: +115.0 ms of +115.0 ms.")

    def test_groups_that_overlap_have_no_slower_module(self):
        base = PARSER + SHOP
        self.assertEqual(self.said_of_groups([self.slower(base, k, "prices") for k in (1, 1.2, 9)], [self.slower(base, k, "prices") for k in (5, 4, 6)]),
                         "The same modules are imported, in about the same time.")
        self.assertEqual(self.said_of_groups([self.slower(base, k, "prices") for k in (1, 1.21, 2)], [self.slower(base, k, "prices") for k in (5, 4.01, 6)]),
                         "The same modules are imported. shop.prices explains +75.80 ms of +75.80 ms.")
