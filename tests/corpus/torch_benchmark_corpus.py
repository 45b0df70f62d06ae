# SPDX-License-Identifier: MIT
"""Printed results of torch.utils.benchmark: medians and quartiles equal the printed digits, in seconds."""
import os
import re
import unittest

from corpus import ROOT, CorpusTest, Shelf

FOLDER = os.path.join(ROOT, "tests", "golden", "torch_benchmark")
TABLES, MEASUREMENTS = (os.path.join(FOLDER, f"ok_torch_{name}.txt") for name in ("compare", "measurements"))
SHIFT = {"ns": "e-9", "us": "e-6", "ms": "e-3", "s": "e0"}


def lines(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


class TorchBenchmark(CorpusTest):
    @staticmethod
    def fill():
        made = Shelf()
        made.add([TABLES, MEASUREMENTS])
        return made

    def test_medians_and_quartiles_of_measurements(self):
        text, want = "\n".join(lines(MEASUREMENTS)), []
        for number, unit, low, high, n, loops, threads in re.findall(
                r"(?:Median: |  )([\d.]+) (\w+)\n(?:  IQR: .*\((\S+) to (\S+)\)\n)?  (\d+) measurements?, (\d+) runs.*?(\d+) thread", text):
            want.append((float(number + SHIFT[unit]), low and float(low + SHIFT[unit]) or None, high and float(high + SHIFT[unit]) or None,
                         int(n), int(loops), '{"threads":' + threads + "}"))
        rows = self.shelf.sql(MEASUREMENTS, "SELECT * FROM measurements ORDER BY id")
        self.assertEqual([tuple(row[key] for key in ("value", "q1", "q3", "n", "loops", "parameters")) for row in rows], want)
        self.assertEqual(len(want), 3)

    def test_cells_of_tables(self):
        want, cells = [], []
        for line in lines(TABLES):
            unit = re.match(r"Times are in \w+ \((\w+)\)", line)
            cells += [cell.split()[0] for cell in line.split("  |  ")[1:] if re.match(r" *[\d.]+", cell)]
            if unit:
                want += [float(cell + SHIFT[unit[1]]) for cell in cells]
                cells = []
        rows = self.shelf.sql(TABLES, "SELECT * FROM measurements ORDER BY id")
        self.assertEqual([row["value"] for row in rows], want)
        self.assertEqual(len(want), 8)


if __name__ == "__main__":
    unittest.main()
