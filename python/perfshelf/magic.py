# SPDX-License-Identifier: MIT
"""The IPython magics %perfshelf and %%perfshelf, and reports in notebooks.

A notebook shows the page that `perfshelf export --html` writes, in a sandboxed frame: a server refuses to be framed by the
pages of others, and the notebook keeps its reports when no server runs. A terminal shows what `perfshelf show` prints.
"""
from __future__ import annotations

import ast
import base64
import gzip
import html
import re
import sys
from types import FunctionType
from typing import Any, Dict, List, Optional

from IPython import get_ipython
from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.display import display

from . import recorders
from .recording import Recording
from .shelf import Error, Run, Shelf, failure, label_options, run_program, runs_of

HEIGHT = 700
#: Jupyter drops the output of a cell that sends more than 1 MB a second over 3 seconds.
FRAME_MAX = 2_900_000

USAGE = f"""%%perfshelf [importtime|cprofile|lines|memory|torch] [OPTIONS]     in the first line of a cell
%perfshelf [cprofile|lines|memory|torch] [OPTIONS] STATEMENT
%perfshelf [OPTIONS]                                    shows the newest run of this notebook again

importtime runs the cell in a fresh Python, the others in this notebook. The default is cprofile.

  --name NAME      name of the run (default: the first line of the cell)
  --series SERIES  puts the run into a series
  --note TEXT      note about the run
  --tag KEY=VALUE  sets a tag; may be repeated
  --function NAME  lines: also measure this function, class or module; may be repeated
  --server URL     adds to the shelf that is served at this URL
  --data DIR       adds to the shelf in this folder
  --to VARIABLE    assigns the run to this variable
  --height PIXELS  height of the report (default {HEIGHT})
  --text           shows text in place of the report; the notebook file stays small
  --help           shows this help"""

WITH_VALUE = ("name", "series", "note", "tag", "function", "server", "data", "to", "height")
REPEATED = ("tag", "function")
WORD = re.compile(r"""\s*((?:"[^"]*"|'[^']*'|[^\s"'])+)""")


class Options:
    """The words of a magic's line."""

    def __init__(self, line: str) -> None:
        self.kind: Optional[str] = None
        self.values: Dict[str, str] = {}
        self.lists: Dict[str, List[str]] = {key: [] for key in REPEATED}
        self.text = self.help = False
        self.rest = line.strip()
        first = WORD.match(self.rest)
        if first and first[1] in ("importtime",) + recorders.KINDS:
            self.kind = first[1]
            self.rest = self.rest[first.end() :].lstrip()
        while self.rest.startswith("--"):
            self._read_option()

    def _next_word(self) -> str:
        word = WORD.match(self.rest)
        if word is None:
            raise UsageError("a value is missing.\n" + USAGE)
        self.rest = self.rest[word.end() :].lstrip()
        return re.sub(r"""\"([^"]*)\"|'([^']*)'""", lambda quoted: quoted[1] or quoted[2] or "", word[1])

    def _read_option(self) -> None:
        name, has_value, value = self._next_word()[2:].partition("=")
        if name in ("text", "help") and not has_value:
            setattr(self, name, True)
        elif name not in WITH_VALUE:
            raise UsageError("unknown option --%s.\n%s" % (name, USAGE))
        elif name in REPEATED:
            self.lists[name].append(value if has_value else self._next_word())
        else:
            self.values[name] = value if has_value else self._next_word()

    def tags(self) -> Dict[str, str]:
        tags = {}
        for tag in self.lists["tag"]:
            key, equals, value = tag.partition("=")
            if not key or not equals:
                raise UsageError("--tag %s is not KEY=VALUE" % tag)
            tags[key] = value
        return tags

    def height(self) -> int:
        text = self.values.get("height", str(HEIGHT))
        if not text.isdigit() or not 100 <= int(text) <= 10000:
            raise UsageError("--height %s is not between 100 and 10000 pixels" % text)
        return int(text)

    def shelf(self) -> Shelf:
        return Shelf(self.values.get("server"), self.values.get("data"))


# --- Reports ---


def is_in_ipython() -> bool:
    return get_ipython() is not None


# Unpacks the page inside its frame. A page of 3 MB makes 2.5 MB in the notebook.
LOADER = """<!doctype html><meta charset="utf-8"><script>
(async () => {
    const bytes = Uint8Array.from(atob("%s"), (c) => c.charCodeAt(0));
    const page = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    const text = await new Response(page).text();
    document.open();
    document.write(text);
    document.close();
})();
</script>"""


def _frame(page: str, height: int) -> str:
    """The page in a frame that may run its scripts, and reach neither the notebook nor a network."""
    packed = base64.b64encode(gzip.compress(page.encode("utf-8"), 9)).decode("ascii")
    return (
        '<iframe title="perfshelf" sandbox="allow-scripts allow-downloads allow-popups" srcdoc="%s"'
        ' style="width: 100%%; height: %dpx; border: 1px solid #8888; border-radius: 4px"></iframe>'
        % (html.escape(LOADER % packed), height)
    )


def _can_show_html() -> bool:
    """Terminals print the text; only kernels have a front end that shows HTML."""
    return hasattr(get_ipython(), "kernel")


def report_html(run: Run, height: int) -> str:
    """The report for a notebook: a link to the server where there is one, and the page or the reason why it is missing."""
    link = '<p><a href="%s" target="_blank">Open the report in perfshelf</a></p>' % html.escape(run.url) if run.url else ""
    try:
        frame = _frame(run.html(), height)
    except Error as error:
        return "%s<p>%s</p>%s" % (link, html.escape(str(error)), _preformatted(run.text()))
    if len(frame) > FRAME_MAX:
        reason = "The report has %.1f MB, too much for a notebook. <code>perfshelf export %s --html</code> writes it to a file."
        return "%s<p>%s</p>%s" % (link, reason % (len(frame) / 1e6, run.id), _preformatted(run.text()))
    return link + frame


def _preformatted(text: str) -> str:
    return "<pre>%s</pre>" % html.escape(text)


def display_run(run: Run, height: int = HEIGHT, text_only: bool = False) -> None:
    text = run.text() + (run.url + "\n" if run.url else "")
    content = {"text/plain": text}
    if not text_only and _can_show_html():
        content["text/html"] = report_html(run, height)
    display(content, raw=True)


# --- Running a cell ---


VALUE = "_perfshelf_value"


class Cell:
    """The code of a cell, compiled as IPython would: its name, its transformations, the value of its last expression."""

    def __init__(self, shell: Any, source: str) -> None:
        text = shell.transform_cell(source)
        self.file: str = shell.compile.cache(text, shell.execution_count)
        tree = shell.transform_ast(shell.compile.ast_parse(text, filename=self.file))
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = tree.body[-1]
            target = ast.copy_location(ast.Name(VALUE, ast.Store()), last)
            tree.body[-1] = ast.copy_location(ast.Assign([target], last.value, lineno=last.lineno), last)
        self.namespace: Dict[str, Any] = shell.user_ns
        #: line_profiler measures functions only, and may replace their code.
        self.function: Any = FunctionType(shell.compile(tree, self.file, "exec"), self.namespace, "cell")

    def run(self) -> Any:
        try:
            exec(self.function.__code__, self.namespace)
            return self.namespace.get(VALUE)
        finally:
            self.namespace.pop(VALUE, None)


def _first_line(source: str) -> str:
    for line in source.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            return line.strip()
    return "cell"


@magics_class
class PerfshelfMagics(Magics):  # type: ignore[misc]
    newest: Optional[Run] = None

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        recorders.cell_numbers = getattr(shell.compile, "_filename_map", {})

    @line_cell_magic
    def perfshelf(self, line: str, cell: Optional[str] = None) -> Any:
        options = Options(line)
        if options.help:
            print(USAGE)
            return None
        if cell is not None and options.rest:
            raise UsageError("unknown word %s.\n%s" % (options.rest.split()[0], USAGE))
        source = options.rest if cell is None else cell
        if not source.strip():
            return self._show_newest(options)
        if options.kind == "importtime":
            return self._import_times(source, options)
        return self._record(source, options)

    def _show_newest(self, options: Options) -> None:
        if options.kind is not None or self.newest is None:
            raise UsageError("there is nothing to record.\n" + USAGE)
        display_run(self.newest, options.height(), options.text)

    def _show(self, run: Run, options: Options) -> None:
        self.newest = run
        if "to" in options.values:
            self.shell.user_ns[options.values["to"]] = run
        display_run(run, options.height(), options.text)

    def _record(self, source: str, options: Options) -> Any:
        options.height()  # wrong options are reported before the cell runs
        shelf, kind = options.shelf(), options.kind or "cprofile"
        cell = Cell(self.shell, source)
        functions: List[Any] = []
        if kind == "lines":
            functions = [cell.function] + [self.shell.ev(name) for name in options.lists["function"]]
        recording = Recording(
            kind,
            name=options.values.get("name") or _first_line(source),
            series=options.values.get("series"),
            tags=options.tags(),
            note=options.values.get("note"),
            functions=functions,
            server=shelf.server,
            data=shelf.data,
        )
        try:
            with recording:
                value = cell.run()
        finally:
            if recording.run is not None:
                self._show(recording.run, options)
        return value

    def _import_times(self, source: str, options: Options) -> None:
        """A fresh Python runs the cell, in the current folder and without the names of the notebook."""
        if not sys.executable:
            raise UsageError("this Python does not know its own program, so no fresh one can be started")
        options.height()
        shelf = options.shelf()
        name = options.values.get("name") or _first_line(source)
        labels = label_options(name, options.values.get("series"), options.tags(), options.values.get("note"))
        words = ["record", "importtime", "--json"] + labels + shelf.options()
        answer = run_program(*words, "--", sys.executable, "-c", source)
        runs = runs_of(answer.output, shelf)
        if answer.errors:
            sys.stderr.write(answer.errors)
        if not runs:
            raise failure(answer)
        self._show(runs[-1], options)
