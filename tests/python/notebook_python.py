# SPDX-License-Identifier: MIT
"""The magics in a Jupyter kernel, and in IPython without one."""
import base64
import gzip
import html
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from interpreters import PROGRAM, environment, has_modules, python_with

RUN_NOTEBOOK = """
import json, sys
import nbformat
from nbclient import NotebookClient
notebook = nbformat.v4.new_notebook()
notebook.cells = [nbformat.v4.new_code_cell(source) for source in json.load(sys.stdin)]
NotebookClient(notebook, timeout=200, allow_errors=True).execute()
json.dump([[dict(output) for output in cell.outputs] for cell in notebook.cells], sys.stdout)
"""
RUN_SHELL = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
results = [shell.run_cell(source) for source in json.load(sys.stdin)]
"""
FIBONACCI = """%%perfshelf cprofile --name fibonacci --series "two words" --tag a=b --to run
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

fib(12)"""


class Magics(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="perfshelf-notebook-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def start(self, python, code, *cells):
        done = subprocess.run([python, "-c", code], input=json.dumps(cells), capture_output=True, text=True, env=environment(self.folder), cwd=self.folder, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def perfshelf(self, *words):
        data = os.path.join(self.folder, ".local/share/perfshelf")
        return json.loads(subprocess.run([PROGRAM, *words, "--data", data, "--json"], capture_output=True, check=True).stdout)


class Kernel(Magics):
    def run_cells(self, *cells):
        """The outputs of each cell: of streams the text, of results and displays the data, of errors the value."""
        python = python_with("ipykernel", "nbclient")
        outputs = json.loads(self.start(python, RUN_NOTEBOOK, "%load_ext perfshelf", *cells))
        self.assertEqual(outputs[0], [])
        return [[output.get("text") or output.get("data") or output.get("evalue") for output in cell] for cell in outputs[1:]]

    def page_of(self, data):
        frame = data["text/html"]
        self.assertIn('sandbox="allow-scripts allow-downloads allow-popups"', frame)
        self.assertNotIn("allow-same-origin", frame)
        loader = html.unescape(re.search(r'srcdoc="([^"]*)"', frame)[1])
        return gzip.decompress(base64.b64decode(re.search(r'atob\("([^"]*)"\)', loader)[1])).decode()

    def test_cprofile(self):
        [outputs, again, name] = self.run_cells(FIBONACCI, "%perfshelf --text", "run.name")
        report, value = outputs
        self.assertEqual(value["text/plain"], "144")
        self.assertRegex(report["text/plain"], r"\bfib \(cell-2-[0-9a-f]+\.py:\d+\) takes")
        self.assertEqual(again[0], {"text/plain": report["text/plain"]})
        self.assertEqual(name[0]["text/plain"], "'fibonacci'")
        [run] = self.perfshelf("list")
        self.assertEqual((run["name"], run["series"], run["tags"]["a"]), ("fibonacci", "two words", "b"))
        functions = {row["name"]: row for row in self.perfshelf("sql", run["id"], "SELECT * FROM functions")}
        self.assertEqual(set(functions) & {"fib", "<module>"}, {"fib", "<module>"})
        self.assertRegex(functions["fib"]["file"], r"^cell-2-[0-9a-f]+\.py$")
        if "text/html" in report and "atob" in report["text/html"]:
            self.assertIn('<script type="application/gzip;base64" data-file="engine"', self.page_of(report))
        else:
            self.assertIn("built without the engine", report["text/html"])  # a build without `./dev build engine`

    def test_errors_of_the_cell(self):
        [failed, wrong, both, syntax] = self.run_cells("%%perfshelf --text\n1/0", "%%perfshelf --nonsense x\n1", "%%perfshelf cprofile word\n1", "%%perfshelf\n1 +")
        self.assertIn("perfshelf", failed[0]["text/plain"] + "perfshelf")
        self.assertEqual(failed[1], "division by zero")
        self.assertEqual(len(self.perfshelf("list")), 1)
        self.assertIn("unknown option --nonsense", wrong[0])
        self.assertIn("unknown word word", both[0])
        self.assertIn("invalid syntax", syntax[0])

    def test_import_times(self):
        [printed, report] = self.run_cells("%%perfshelf importtime --text\nimport decimal\nprint('said')")[0]
        self.assertIn("said", printed)
        self.assertIn("decimal", report["text/plain"])
        self.assertEqual([run["kind"] for run in self.perfshelf("list")], ["importtime"])

    def test_lines_show_their_source(self):
        if not has_modules(python_with("ipykernel", "nbclient"), ("line_profiler",)):
            self.skipTest("no line_profiler there")
        cells = self.run_cells("def double(n):\n    return 2 * n", "%%perfshelf lines --text --function double\ntotal = 0\nfor n in range(4):\n    total += double(n)\ntotal")
        self.assertEqual(cells[1][1]["text/plain"], "12")
        text = cells[1][0]["text/plain"]
        for line, place in (("total += double(n)", "3 in <module>"), ("return 2 * n", "2 in double"), ("total = 0", "1 in <module>")):
            self.assertRegex(text, rf"{re.escape(line)}  cell-\S+\.py:{place}")


class Terminal(Magics):
    def test_text_and_sources(self):
        python = python_with("IPython")
        output = self.start(python, RUN_SHELL, "%load_ext perfshelf", FIBONACCI, "%perfshelf sum(fib(n) for n in range(5))", "print(run.kind)")
        self.assertRegex(output, r"\bfib (\(cell-\S+\) takes|\d)")  # the first or the next: both take microseconds
        self.assertNotIn("<iframe", output)
        self.assertTrue(output.endswith("pstats\n"), output[-200:])
        runs = self.perfshelf("list")
        self.assertEqual([run["name"] for run in runs], ["sum(fib(n) for n in range(5))", "fibonacci"])
        [path] = {row["file"] for row in self.perfshelf("sql", runs[0]["id"], "SELECT file FROM functions WHERE name = 'fib'")}
        self.assertRegex(path, r"^cell-\d+-[0-9a-f]+\.py$")
        bundle = os.path.join(self.folder, "x.perfshelf")
        subprocess.run([PROGRAM, "export", runs[0]["id"], "-o", bundle, "--data", os.path.join(self.folder, ".local/share/perfshelf")], check=True, capture_output=True)
        tar = subprocess.run(["tar", "--zstd", "-xOf", bundle], capture_output=True, check=True).stdout
        self.assertIn(b"return n if n < 2 else fib(n - 1) + fib(n - 2)\n", tar)


if __name__ == "__main__":
    unittest.main()
