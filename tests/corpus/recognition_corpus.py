# SPDX-License-Identifier: MIT
"""What a file is, is told by its content: under one name for all, in other encodings, inside logs; and what is none is named."""
import csv
import functools
import gzip
import os
import tempfile
import unittest

from corpus import CORPUS, ROOT, CorpusTest, Shelf, present

GOLDEN = os.path.join(ROOT, "tests", "golden")

# What INDEX.tsv calls a format -> our kind, or (words) of the sentence that refuses it.
FORMATS = {
    "chrome trace": "trace", "chrome-trace": "trace", "importtime": "importtime", "pstats": "pstats",
    "pstats text": "pstats-text", "line_profiler text": "line_profiler", "line-profiler-text": "line_profiler",
    "lprof": "line_profiler", "memory_profiler text": "memory_profiler", "memory-profiler": "memory_profiler",
    "mprof dat": "mprof", "mprof": "mprof", "scalene json": "scalene", "scalene": "scalene", "austin": "folded",
    "tachyon collapsed": "folded", "collapsed": "folded", "tachyon json": "gecko", "tachyon prof": "pstats",
    "speedscope": "speedscope", "py-spy-svg": "flamegraph-svg", "kineto trace": "torch-trace", "torch-trace": "torch-trace",
    "torch eventlist (array)": "torch-trace", "torch memory timeline": "memory-timeline", "torch table text": "key-averages",
    "lightning": "lightning", "bash_time": "time", "gnu_time": "time", "sh_time": "time", "zsh_time": "time",
    "hyperfine": "hyperfine", "pytest-benchmark": "pytest-benchmark", "timeit": "timeit", "ipython_time": "timeit",
    "top": "top", "nsys-sqlite": "nsys", "tachyon jsonl": "pstats",
    "python source": ("Python source",), "mprof peak text": ("mprof peak",), "callgrind": ("callgrind",),
    "mojo": ("austin (MOJO)",), "tachyon binary": ("binary profile of Python's sampling profiler",),
    "tachyon txt": ("printed table of Python's sampling profiler",), "scalene text": ("Scalene",),
    "execution trace": ("PyTorch execution trace",), "ps": ("output of ps",),
}
# Files of which the INDEX says less than their content.
FILES = {
    "chrome-edge/kineto_gpu_small.json": "torch-trace",
    "chrome-edge/object_no_events_key.json": ("JSON document, but not a supported profile",),
    "importtime/empty.log": ("the file is empty",),
    "line-profiler/lp40_basics.rich_sorted_summary.txt": ("wrong arguments",),
    "line-profiler/lp40_classes.sorted_summary.txt": ("wrong arguments",),
    "line-profiler/src/many_functions.py": ("not a supported profile",),
    "line-profiler/src/nothing_profiled.py": ("not a supported profile",),
    "memory-profiler/killed.dat": ("the file is empty",),
    "memory-profiler/killed.mprof_peak.txt": ("Python traceback",),
    "memory-profiler/mem_children_no_profile.txt": ("the file is empty",),
    "pstats/never_enabled.py311.prof": ("contains no functions",),
    "pstats/hisim-empty-2bytes.prof": ("contains no functions",),
    "sampling-austin/wall.austin": ("the file is empty",),
    "scalene/scalene1516_too_short.json": ("ran for too short a time",),
    "scalene/scalene1551_too_short.json": ("ran for too short a time",),
    "scalene/scalene1554_too_short.json": ("ran for too short a time",),
    "timing/bash_timeformat.txt": ("TIMEFORMAT",),
    "timing/gnu_time_format.txt": ("TIMEFORMAT",),
    "timing/timeit_error.py311.txt": ("Python traceback",),
    "chrome-trace/lightning-autograd-list-3k.json": "torch-trace",
    "torch-trace/torch113_nothing_profiled.trace.json": ("nothing was profiled",),
    "chrome-edge/array_empty.json": ("nothing was profiled",),
    "torch-trace/torch113_nothing_profiled.table.txt": ("nothing was profiled",),
    "torch-trace/torch214_nothing_profiled.table.txt": ("nothing was profiled",),
    "torch-trace/torch26_nothing_profiled.table.txt": ("nothing was profiled",),
    "other/cprofile-text-named-pstats.pstats": "pstats-text",
    "other/cprofile-text-neuralnet.txt": "pstats-text",
    "other/hta-execution_trace.json.gz": ("PyTorch execution trace",),
    "other/hta-memory_timeline.raw.json.gz": "memory-timeline",
    "other/key_averages-cuda-memory.txt": "key-averages",
    "other/nsys-nvprof-log.txt": ("statistics of Nsight Systems",),
    "other/pyinstrument-wikipedia.json": "pyinstrument",
    "other/pyspy-dump.txt": ("py-spy dump",),
    "other/torchprof-tree-unicode.txt": ("torchprof",),
}


def corpus_files():
    """(path, what it has to be) of every file that is no oracle; made/bad has its own manifest."""
    for index in present("made/INDEX.tsv", "wild/INDEX.tsv"):
        part = os.path.dirname(index)
        with open(index, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                if not row["path"].startswith("bad/"):
                    yield os.path.join(part, row["path"]), FILES.get(row["path"]) or FORMATS[row["format"]]


class Nameless:
    """Files put on a shelf as `N/unknown`, so that no name says what they are."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="perfshelf-recognition-")
        self.shelf, self.paths = Shelf(), []

    def put(self, content):
        folder = os.path.join(self.folder.name, str(len(self.paths)))
        os.mkdir(folder)
        path = os.path.join(folder, "unknown")
        with open(path, "wb") as file:
            file.write(content)
        self.paths.append(path)
        return path

    def kind(self, path):
        run = self.shelf.of(path)
        return run["kind"] if run else None

    def refusal(self, path):
        return self.shelf.refused.get(path, "")


@functools.cache
def corpus_shelf():
    made = Nameless()
    made.wanted = {}
    for path, want in corpus_files():
        with open(path, "rb") as file:
            made.wanted[made.put(file.read())] = (path, want)
    made.shelf.add(made.paths)
    return made


class Corpus(CorpusTest):
    fill = staticmethod(corpus_shelf)

    def test_each_file_is_what_the_index_says(self):
        self.assertGreater(len(self.shelf.wanted), 300)
        for unknown, (path, want) in self.shelf.wanted.items():
            with self.subTest(os.path.relpath(path, CORPUS)):
                if isinstance(want, str):
                    self.assertEqual(self.shelf.kind(unknown), want, self.shelf.refusal(unknown))
                else:
                    self.assertIsNone(self.shelf.kind(unknown))
                    for words in want:
                        self.assertIn(words, self.shelf.refusal(unknown))


def golden(*parts):
    with open(os.path.join(GOLDEN, *parts), encoding="utf-8", newline="") as file:
        return file.read()


# A small sample of each kind that is text, and whether its lines are found in any log.
SAMPLES = {
    ("importtime", "importtime/ok_py37.log"): True,
    ("line_profiler", "line_text/ok_nothing_profiled.txt"): True,
    ("memory_profiler", "memory_text/ok_header_only.txt"): True,
    ("pstats-text", "pstats_text/ok_empty.txt"): True,
    ("key-averages", "key_averages/ok_no_rows.txt"): True,
    ("lightning", "lightning/ok_old_short.txt"): True,
    ("time", "time/ok_time_v.txt"): True,
    ("time", "time/ok_time_bash.txt"): True,
    ("time", "time/ok_time_shells.txt"): True,
    ("timeit", "timeit/ok_timeit.txt"): True,
    ("timeit", "timeit/ok_timeit_ipython.txt"): True,
    ("top", "top/ok_top.txt"): True,
    ("hyperfine", "hyperfine_text/ok_hyperfine_text_v2.txt"): True,
    ("hyperfine", "hyperfine_text/ok_hyperfine_table.md"): True,
    ("hyperfine", "hyperfine_text/ok_hyperfine_v2.csv"): True,
    ("pytest-benchmark", "pytest_benchmark_text/ok_pytest_text.txt"): True,
    ("mprof", "mprof/ok_two_lines.dat"): False,
    ("folded", "folded/ok_difference.txt"): False,
    ("scalene", "scalene/ok_no_files.json"): False,
    ("speedscope", "speedscope/ok_cut.json"): False,
    ("gecko", "gecko/ok_weights.json"): False,
    ("hyperfine", "hyperfine/ok_hyperfine_v1.json"): False,
    ("pytest-benchmark", "pytest_benchmark/ok_pytest_v5.json"): False,
    ("memory-timeline", "memory_timeline/ok_before_only.json"): False,
    ("flamegraph-svg", "flamegraph_svg/ok_normal.svg"): False,
}


def each_line(text, before, behind=""):
    return "".join(f"{before}{line}{behind}\n" for line in text.split("\n")).encode()


ENCODINGS = {
    "plain": str.encode,
    "CRLF": lambda text: text.replace("\r\n", "\n").replace("\n", "\r\n").encode(),
    "BOM": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "UTF-16": lambda text: b"\xff\xfe" + text.encode("utf-16-le"),
    "UTF-16, other end": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "gzip": lambda text: gzip.compress(text.encode()),
    "two gzip members": lambda text: gzip.compress(text.encode()[:40]) + gzip.compress(text.encode()[40:]),
    "zstd": lambda text: zstd(text.encode()),
}
LOGS = {
    "colours": lambda text: each_line(text, "\x1b[1;32m", "\x1b[0m"),
    "docker compose": lambda text: each_line(text, "svc-1  | "),
    "timestamps": lambda text: each_line(text, "2026-11-20T12:00:00.1234567Z "),
    "other output": lambda text: b"Collecting torch\n  Downloading 12.5 MB\n" * 3 + text.encode() + b"\nbye\n",
}


def zstd(content):
    """A frame of zstd whose one block is stored as it is."""
    assert len(content) < 1 << 17
    frame = b"\x28\xb5\x2f\xfd" + bytes([0xa0]) + len(content).to_bytes(4, "little")
    return frame + (len(content) << 3 | 1).to_bytes(3, "little") + content


@functools.cache
def sample_shelf():
    made = Nameless()
    made.wanted = {}
    for (kind, name), in_logs in SAMPLES.items():
        for wrapping, wrap in {**ENCODINGS, **(LOGS if in_logs else {})}.items():
            made.wanted[made.put(wrap(golden(name)))] = (kind, name, wrapping)
    made.shelf.add(made.paths)
    return made


class Wrapped(CorpusTest):
    fill = staticmethod(sample_shelf)

    def test_encodings_and_logs_hide_no_kind(self):
        for path, (kind, name, wrapping) in self.shelf.wanted.items():
            with self.subTest(name, wrapping=wrapping):
                self.assertEqual(self.shelf.kind(path), kind, self.shelf.refusal(path))

    def test_nothing_is_lost(self):
        rows = {(name, wrapping): self.shelf.shelf.of(path)["rows"]
                for path, (_, name, wrapping) in self.shelf.wanted.items() if self.shelf.kind(path)}
        for (name, wrapping), n in rows.items():
            with self.subTest(name, wrapping=wrapping):
                self.assertEqual(n, rows[name, "plain"])


class Several(unittest.TestCase):
    def test_the_others_of_a_log_are_named(self):
        parts = ["importtime/ok_py37.log", "timeit/ok_timeit.txt", "time/ok_time_bash.txt", "pstats_text/ok_empty.txt"]
        made = Nameless()
        log = made.put("\n".join(golden(part) for part in parts).encode())
        alone = made.put(golden(parts[0]).encode())
        made.shelf.add(made.paths)
        said = [note["what"] for note in made.shelf.sql(log, "SELECT what FROM notes") if "this log also contains" in note["what"]]
        self.assertEqual(made.kind(log), "importtime")
        self.assertEqual(len(said), 1)
        for words in ("timeit results", "time of commands", "Printed cProfile report"):
            self.assertIn(words, said[0])
        self.assertEqual(made.shelf.sql(alone, "SELECT what FROM notes WHERE what LIKE 'this log also%'"), [])


# No profiles, though they look like some, and words of the sentence that says what they are.
DECOYS = {
    "import os\n\n\ndef main():\n    return os.name\n": "Python source",
    "#include <stdio.h>\nint main(void) { return 0; }\n": "not a supported profile",
    "body { margin: 0 auto; }\n.a > .b { color: #123456; }\n": "not a supported profile",
    "id,name,value\n1,a,2.5\n2,b,3.5\n": "not a supported profile",
    "epoch 1 loss 0.5 12\nepoch 2 loss 0.25 13\nepoch 3 loss 0.125 14\n": "not a supported profile",
    "GET /index.html 200 512\nGET /a?b=c 200 1024\nPOST /x 500 12\n": "not a supported profile",
    "12:00:01 INFO a;b: took 12 ms\n12:00:02 INFO c;d: took 13 ms\n": "not a supported profile",
    "[0.1, 0.2, 0.3]": "JSON document",
    '{"name": "left-pad", "version": "1.0.0", "files": ["index.js"]}': "JSON document",
    '{"results": [{"id": 1}]}': "JSON document",
    '{"benchmarks": [{"name": "BM_a"}], "context": {"num_cpus": 8}}': "JSON document",
    '{"nbformat": 4, "cells": []}': "Jupyter notebook",
    '{"version": 3, "sources": ["a.ts"], "names": [], "mappings": "AAAA"}': "JSON document",
    "<!doctype html><title>x</title><p>import time: self [us]</p>": "HTML page",
    "<svg xmlns='http://www.w3.org/2000/svg'><title>A chart</title><rect/></svg>": "SVG picture",
    "<?xml version='1.0'?><testsuite name='pytest' tests='1'/>": "has no tests",
    "---\na: 1\nb: [2, 3]\n": "not a supported profile",
    "real estate\nuser guide\nsys admin\n": "not a supported profile",
    "The best of 3 worlds per loop.\n": "not a supported profile",
    "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n": "not a supported profile",
    "Benchmark results will follow.\nName (time in Berlin)  Min  Max\n": "not a supported profile",
    "| Command | Meaning |\n|:---|---:|\n| `ls` | list |\n": "not a supported profile",
    "Line # of the file\n1 a\n2 b\n": "not a supported profile",
    " \n\t\n": "only white space",
}
BINARY_DECOYS = {
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR": "PNG picture",
    b"\x7fELF\2\1\1\0" + bytes(64): "ELF",
    b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n": "PDF document",
    b"SQLite format 3\0" + bytes(84) + b"CREATE TABLE dogs (name TEXT)": "SQLite database",
    b"\x80\x04\x95\x0a\0\0\0\0\0\0\0}\x94\x8c\x01a\x94K\x01s.": "LineStats",
    b"\0\1\2\3\4\5\6\7" * 64: "binary data",
    b"": "empty",
}


class Decoys(unittest.TestCase):
    def test_each_is_refused_by_name(self):
        made = Nameless()
        wanted = {made.put(content if isinstance(content, bytes) else content.encode()): (content, words)
                  for content, words in {**DECOYS, **BINARY_DECOYS}.items()}
        made.shelf.add(made.paths)
        for path, (content, words) in wanted.items():
            with self.subTest(content[:40]):
                self.assertIsNone(made.kind(path))
                self.assertIn(words, made.refusal(path))
                self.assertIn(";", made.refusal(path))


if __name__ == "__main__":
    unittest.main()
