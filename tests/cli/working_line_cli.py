# SPDX-License-Identifier: MIT
"""The conclusion of a line_profiler report names the line that works, not the call of the call that contains it."""
from program import ShelfTest


def report(*functions):
    """A text report: of each function its name, first line, and lines of (hits, time in us, text)."""
    out = ["Timer unit: 1e-06 s", ""]
    for name, first, lines in functions:
        total = sum(time for _, time, _ in lines)
        out += [f"Total time: {total / 1e6:g} s", "File: shop.py", f"Function: {name} at line {first}", "",
                "Line #      Hits         Time  Per Hit   % Time  Line Contents", "=" * 62, f"{first:6d}{'':44}def {name.split('.')[-1]}():"]
        for number, (hits, time, text) in enumerate(lines, first + 1):
            out.append(f"{number:6d}{hits:10d}{time:13.1f} {time / hits:9.1f}{100 * time / total:9.1f}      {text}")
        out.append("")
    return "\n".join(out).encode()


MAIN = ("main", 20, [(1, 1e4, "orders = load()"), (1, 9e6, "print(total(orders))")])
TOTAL = ("Shop.total", 10, [(500, 1e4, "out = 0"), (500, 8.9e6, "out += self.convert(order)")])
CONVERT = ("Shop.convert", 1, [(500, 8.5e6, "copy = deepcopy(order)"), (500, 1e5, "return copy.price")])


class WorkingLine(ShelfTest):
    def said(self, *functions):
        text = self.ok("show", self.json("add", self.file("lines.txt", report(*functions)))["id"], "--markdown")
        return next(line for line in text.splitlines() if " takes " in line)

    def test_the_line_below_two_calls(self):
        self.assertEqual(self.said(CONVERT, TOTAL, MAIN),
                         "`copy = deepcopy(order)` takes 98.8 % of `Shop.convert`. 8.500 s of 8.600 s in 500 hits, `shop.py:2`. "
                         "It is called from `shop.py:12`, which is called from `shop.py:22`.")

    def test_a_call_that_was_not_measured(self):
        self.assertIn("`out += self.convert(order)` takes 99.9 % of `Shop.total`.", self.said(TOTAL, MAIN))

    def test_a_function_with_little_of_the_time(self):
        quick = ("Shop.convert", 1, [(500, 2e6, "copy = deepcopy(order)")])
        self.assertIn("`out += self.convert(order)` takes 99.9 % of `Shop.total`.", self.said(quick, TOTAL, MAIN))

    def test_a_function_that_another_line_calls_more_often(self):
        slug = ("slug", 1, [(1001, 4e6, "return title.lower()")])
        main = ("main", 10, [(1, 5e6, "index = make_index(slug(first))"), (1000, 4.1e6, "names.append(slug(title))")])
        self.assertIn("`index = make_index(slug(first))` takes 54.9 % of `main`.", self.said(slug, main))

    def test_no_line_stands_out(self):
        parts = [(f"part{i}", 10 * i, [(1000, 1e6, "out.append(row)")]) for i in range(1, 7)]
        main = ("main", 100, [(1, 1e6, f"part{i}(rows)") for i in range(1, 7)])
        text = self.ok("show", self.json("add", self.file("lines.txt", report(*parts, main)))["id"], "--markdown")
        self.assertIn("No single line stands out. The largest shares of the time of ", text)

    def test_functions_that_call_each_other(self):
        even = ("even", 1, [(9, 8e6, "return n == 0 or odd(n - 1)")])
        odd = ("odd", 10, [(9, 7e6, "return n != 0 and even(n - 1)")])
        self.assertIn("`return n == 0 or odd(n - 1)` takes 100.0 % of `even`.", self.said(even, odd))

    def test_recursion(self):
        walk = ("walk", 1, [(900, 5e6, "walk(child)"), (90, 1e5, "visit(node)")])
        self.assertIn("`walk(child)` takes 98.0 % of `walk`, which calls itself there.", self.said(walk, ("visit", 10, [(90, 3e6, "pass")])))
