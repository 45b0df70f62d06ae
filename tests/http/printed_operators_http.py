# SPDX-License-Identifier: MIT
"""Shares of printed tables of operators are those that the table prints, whatever rows it lists."""
import unittest

from server import RUNS, ServerTest

COLUMNS = ("Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "Self CUDA", "Self CUDA %", "CUDA total", "CUDA time avg",
           "# of Calls")
WIDTHS = (30,) + (14,) * 10


def line(*cells):
    return "  ".join(cell.rjust(width) for cell, width in zip(cells, WIDTHS, strict=True)) + "  \n"


def table(total_ms, *rows):
    """Rows: name, self time on the device in ms, calls."""
    rule = "  ".join("-" * width for width in WIDTHS) + "  \n"
    body = "".join(line(name, "1.00%", "1.000ms", "1.00%", "1.000ms", "1.000us", f"{ms:.3f}ms", f"{100 * ms / total_ms:.2f}%", f"{ms:.3f}ms",
                        f"{1000 * ms / calls:.3f}us", str(calls)) for name, ms, calls in rows)
    return rule + line(*COLUMNS) + rule + body + rule + f"Self CPU time total: 100.000ms\nSelf CUDA time total: {total_ms:.3f}ms\n\n"


def text_of(parts):
    return "".join(part.get("text") or part.get("code") or f"{part['value']:.4g} {part['unit']}" for part in parts)


class PrintedOperators(ServerTest):
    def ask(self, report):
        return self.get_json(f"{RUNS}/{self.add(report.encode())['id']}/conclusion")

    def test_a_table_that_leaves_operators_out(self):
        said = self.ask(table(400, ("aten::mm", 100, 5), ("aten::add", 20, 5)))
        self.assertEqual(text_of(said["verdict"]), "aten::mm takes 25 percent of the device time.")

    def test_another_table_of_the_profile_adds_operators(self):
        said = self.ask(table(400, ("aten::mm", 100, 5), ("aten::add", 20, 5)) + table(400, ("aten::conv", 180, 9), ("aten::mm", 100, 5)))
        self.assertEqual(text_of(said["verdict"]), "aten::conv takes 45 percent of the device time.")
        self.assertEqual([cause["amount"] for cause in said["causes"]], [0.18, 0.1])

    def test_a_table_of_another_profile_does_not(self):
        said = self.ask(table(400, ("aten::mm", 100, 5), ("aten::add", 20, 5)) + table(900, ("aten::conv", 180, 9)))
        self.assertEqual(text_of(said["verdict"]), "aten::mm takes 25 percent of the device time.")

    def test_a_range_that_contains_operators(self):
        said = self.ask(table(400, ("my_backward", 700, 1), ("aten::mm", 100, 5)))
        self.assertEqual(text_of(said["verdict"]), "aten::mm takes 25 percent of the device time.")


if __name__ == "__main__":
    unittest.main()
