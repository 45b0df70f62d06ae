# SPDX-License-Identifier: MIT
"""Device time by Python of real traces equals what a walk over their rows gives, and the kernel table."""
import functools
import os
import unittest

from corpus import ONLY_LARGER, CorpusTest, Shelf, present

import python_flame

TRACES = present(*(f"wild/torch-trace/{name}" for name in (
    "tracelens-b200-eager-pystack.json.gz", "tracelens-mi300-norm-pystack-memory.json.gz", "tracelens-sglang-decode-mi300.json.gz",
    "kineto-resnet50-v100-memory-2021.pt.trace.json.gz", "hta-sampled-rank0-of-128.json.gz", "hta-mi250-rocm62-train.json.gz",
    "tracelens-mi210-gpu-only.json.gz")))
# by file: of the time of all work, in ‰: attributed, below Python frames, in modules, of the backward pass
SHARES = {
    "tracelens-b200-eager-pystack.json.gz": (1000, 1000, 997, 0),
    "tracelens-mi300-norm-pystack-memory.json.gz": (1000, 957, 936, 470),
    "tracelens-sglang-decode-mi300.json.gz": (1000, 1000, 6, 0),
    "tracelens-mi210-gpu-only.json.gz": (0, 0, 0, 0),
}


@functools.cache
def shelf():
    if not TRACES:
        raise unittest.SkipTest(f"{ONLY_LARGER} wild/torch-trace")
    filled = Shelf()
    filled.add(TRACES)
    return filled


class PythonFlame(CorpusTest):
    fill = staticmethod(shelf)

    def test_each_trace(self):
        for path in TRACES:
            run = self.shelf.of(path)["id"]
            with self.subTest(os.path.basename(path)):
                trace = python_flame.Trace(lambda sql, path=path: self.shelf.sql(path, sql))
                _, sums = python_flame.check(self, trace, lambda text, run=run: self.shelf.ask("GET", f"/runs/{run}/flame?{text}"))
                kernels = self.shelf.sql(path, "SELECT sum(total_us) AS total FROM kernels")
                self.assertAlmostEqual(kernels[0]["total"] * 1000, sums["sum"], delta=1)
                if os.path.basename(path) in SHARES:
                    self.assertEqual(tuple(round(1000 * sums[key] / sums["sum"]) for key in ("total", "python", "modules", "backward")),
                                     SHARES[os.path.basename(path)])

    def test_a_model_of_36_blocks(self):
        path = next((path for path in TRACES if "b200" in path), None)
        if not path:
            self.skipTest("only the larger corpus has the trace")
        answer = self.shelf.ask("GET", f"/runs/{self.shelf.of(path)['id']}/flame?on=python")
        names = [answer["frames"]["name"][i] for i in answer["frame"]]
        block = names.index("TransformerBlock")
        self.assertEqual((answer["modules"][block], answer["total"][block]), (36, 11314270))
        self.assertFalse([name for name in names if "_call_impl" in name or "<built-in" in name])
