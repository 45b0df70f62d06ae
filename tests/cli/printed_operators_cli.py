# SPDX-License-Identifier: MIT
"""What `show` says of printed tables of torch and Lightning: one table in the sentence and in the rows, and operators, not ranges."""
from program import ShelfTest

COLUMNS = ("Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "Self CUDA", "Self CUDA %", "CUDA total", "CUDA time avg", "# of Calls")
WIDTHS = (36,) + 10 * (12,)


def line(*cells):
    return "  ".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS)) + "  \n"


def row(name, self_cpu, cpu, self_device, device, calls):
    """Times in ms."""
    share = f"{self_device:.2f}%"
    return line(name, "1.00%", f"{self_cpu:.3f}ms", "1.00%", f"{cpu:.3f}ms", f"{cpu:.3f}ms", f"{self_device:.3f}ms", share, f"{device:.3f}ms", f"{device:.3f}ms", calls)


def table(*rows, total):
    rule = line(*("-" * width for width in WIDTHS))
    return rule + line(*COLUMNS) + rule + "".join(rows) + rule + f"Self CPU time total: 50.000ms\nSelf CUDA time total: {total:.3f}ms\n"


MM = row("aten::mm", 3, 4, 60, 60, 40)
ADD = row("aten::add", 2, 2, 20, 20, 40)


class PrintedOperators(ShelfTest):
    def said(self, text):
        return self.ok("show", self.json("add", self.file("table.txt", text.encode()))["id"])

    def test_the_range_of_an_annotation_on_the_device_is_no_operator(self):
        ranges = (row("Model.forward", 0, 0, 70, 70, 4), row("Model.forward", 5, 30, 0, 80, 4), row("ProfilerStep*", 0, 0, 75, 75, 4))
        said = self.said(table(*ranges, MM, ADD, total=80))
        self.assertIn("aten::mm takes 75.0 % of the device time. 60.00 ms of 80.00 ms in 40 calls.", said)
        self.assertNotIn("Model.forward:", said)

    def test_a_table_by_stack_gives_no_rows_if_there_is_another(self):
        head = "-" * 20 + "  " + 6 * ("-" * 12 + "  ") + "-" * 30 + "  \n"
        by_stack = (head + f"{'Name':>20}  " + "".join(f"{c:>12}  " for c in (*COLUMNS[1:6], "# of Calls")) + f"{'Source Location':<30}  \n" + head
                    + "".join(f"{f'aten::op{i}':>20}  " + "".join(f"{c:>12}  " for c in ("1.00%", "1.000ms", "1.00%", "1.000ms", "1.000ms", 1)) + f"{'app.py(1): f':<30}  \n"
                              for i in range(5)) + head + "Self CPU time total: 5.000ms\n")
        said = self.said(by_stack + "\n" + table(MM, ADD, total=80))
        self.assertIn("aten::mm takes 75.0 % of the device time.", said)
        self.assertRegex(said, r"(?m)^ +60\.00 ms +75\.0 %.* aten::mm$")
        self.assertNotIn("aten::op0", said)

    def test_a_table_without_totals_has_the_shares_that_it_prints(self):
        shares = [MM.replace("60.00%", "30.00%"), ADD.replace("20.00%", "10.00%")]
        text = "```\n" + table(*shares, total=0).rsplit("-" * 36, 1)[0] + "```\n\nWhat the table shows.\n"
        run = self.json("add", self.file("table.md", text.encode()))
        said = self.ok("show", run["id"])
        self.assertIn("= 2 stored + 0 repaired + 0 rejected +", said)
        self.assertIn("aten::mm takes 30.0 % of the device time. 60.00 ms of 200.0 ms in 40 calls.", said)

    def test_a_table_whose_columns_are_lost_is_refused(self):
        text = table(MM, ADD, total=80)
        for lost in ("\n".join(" ".join(line.split()) for line in text.splitlines()),
                     "|" + "|".join(COLUMNS) + "|\n|" + 11 * "---|" + "\n|" + "|".join(MM.split()) + "|\n"):
            said = self.fails("add", self.file("lost.md", (lost + "\n").encode()))
            self.assertIn("the columns of the table of key_averages() cannot be told apart", said)
            self.assertIn("Warning: tables that are not read, because their columns cannot be told apart: 1.", self.said(text + "\n" + lost + "\n"))


class Actions(ShelfTest):
    def test_actions_without_a_total_have_no_share(self):
        report = "Profiler Report\n\nAction                  |  Mean duration (s)    |  Total time (s)\n" + 65 * "-" + "\n" + \
            "get_train_batch         |  0.0087412            |  16.398\nmodel_forward           |  0.0017818            |  3.3408\n"
        self.assertIn("get_train_batch takes 16.40 s in total.", self.ok("show", self.json("add", self.file("report.txt", report.encode()))["id"]))
