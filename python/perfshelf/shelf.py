# SPDX-License-Identifier: MIT
"""Finds the program, calls it, and returns the runs that it adds."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Union, cast

FilePath = Union[str, "os.PathLike[str]"]


class Error(Exception):
    """The program refused or could not do what was asked. The text is the program's message."""


class Shelf(NamedTuple):
    """The shelf that a call uses. None: the shelf that the program uses by itself."""

    server: Optional[str] = None
    data: Optional[FilePath] = None

    def options(self) -> List[Any]:
        words: List[Any] = []
        if self.server is not None:
            words += ["--server", self.server]
        if self.data is not None:
            words += ["--data", os.fspath(self.data)]
        return words


class Run:
    """A run on a shelf."""

    def __init__(self, row: Mapping[str, Any], shelf: Shelf) -> None:
        self.id: str = row["id"]
        self.kind: str = row["kind"]
        self.name: str = row["name"]
        self.sha256: str = row["sha256"]
        #: Whether the shelf already had the bytes of the profile.
        self.already: bool = row["already"]
        #: The address of the report. None if no server serves the shelf.
        self.url: Optional[str] = row.get("url")
        self._shelf = shelf

    def __repr__(self) -> str:
        where = ", " + self.url if self.url else ""
        return "<perfshelf run %s, %s %r%s>" % (self.id, self.kind, self.name, where)

    def text(self, rows: int = 10) -> str:
        """What `perfshelf show` prints: the run, the conclusion of its report, its largest rows."""
        return call("show", self.id, "--rows", str(rows), *self._shelf.options())

    def html(self) -> str:
        """The report as one HTML page, which needs no server."""
        return call("export", self.id, "--html", "-o", "-", *self._shelf.options())

    def show(self) -> None:
        """Shows the report in a notebook, and prints its text elsewhere."""
        if "IPython" in sys.modules:
            from .magic import display_run, is_in_ipython

            if is_in_ipython():
                display_run(self)
                return
        print(self.text())


# --- The program ---


def _candidates() -> Iterator[str]:
    """Paths where the program of this installation may be, the nearest first."""
    yield sysconfig.get_path("scripts")
    if sys.executable:
        yield os.path.dirname(sys.executable)
    home = os.path.expanduser("~")
    if home != "~":
        yield sysconfig.get_path("scripts", os.name + "_user")
    # `pip install --target DIR` puts the package into DIR and the program into DIR/bin.
    yield os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin")


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def find_program() -> str:
    """$PERFSHELF_PROGRAM, else the program of the wheel, else the one on $PATH."""
    named = os.environ.get("PERFSHELF_PROGRAM")
    if named:
        if not _is_program(named):
            raise Error("$PERFSHELF_PROGRAM is %s, which is no program" % named)
        return named
    for folder in _candidates():
        path = os.path.join(folder, "perfshelf")
        if _is_program(path):
            return path
    found = shutil.which("perfshelf")
    if found is None:
        raise Error(
            "the program perfshelf is neither in %s nor on $PATH. Install it with `pip install perfshelf`,"
            " or set $PERFSHELF_PROGRAM to its path." % sysconfig.get_path("scripts")
        )
    return found


class Answer(NamedTuple):
    status: int
    output: str
    errors: str


def run_program(*words: Any, content: Optional[bytes] = None) -> Answer:
    """Calls the program and returns what it printed, whatever its exit status is."""
    command = [find_program()]
    command.extend(words)
    try:
        done = subprocess.run(
            command,
            input=content,
            stdin=subprocess.DEVNULL if content is None else None,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except (OSError, ValueError) as error:  # ValueError: a word contains a NUL byte
        raise Error("cannot start %s: %s" % (command[0], error)) from error
    return Answer(done.returncode, _decode(done.stdout), _decode(done.stderr))


def call(*words: Any, content: Optional[bytes] = None) -> str:
    """What the program prints; Error with its message if it fails."""
    answer = run_program(*words, content=content)
    if answer.status != 0:
        raise failure(answer)
    return answer.output


def _decode(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def failure(answer: Answer) -> Error:
    """The messages without the name of the program, and without its notes."""
    prefix = "perfshelf: "
    lines = [line[len(prefix) :] if line.startswith(prefix) else line for line in answer.errors.splitlines()]
    messages = [line for line in lines if ": note: " not in line]
    return Error("\n".join(messages or lines) or "the program ended with status %d" % answer.status)


# --- Adding ---


def label_options(
    name: Optional[str], series: Optional[str], tags: Optional[Mapping[str, object]], note: Optional[str]
) -> List[str]:
    words: List[str] = []
    for option, text in (("--name", name), ("--series", series), ("--note", note)):
        if text is not None:
            words += [option, text]
    for key, value in (tags or {}).items():
        words += ["--tag", "%s=%s" % (key, value)]
    return words


def runs_of(output: str, shelf: Shelf) -> List[Run]:
    """The runs in the output of `add --json`: an object per line."""
    return [Run(json.loads(line), shelf) for line in output.splitlines() if line.startswith("{")]


def add_all(
    profile: Union[FilePath, bytes, bytearray, memoryview],
    *,
    name: Optional[str] = None,
    series: Optional[str] = None,
    tags: Optional[Mapping[str, object]] = None,
    note: Optional[str] = None,
    source_root: Optional[FilePath] = None,
    server: Optional[str] = None,
    data: Optional[FilePath] = None,
) -> List[Run]:
    """Adds a file, each profile of a folder or an archive, or the bytes of a profile. Returns the runs.

    Raises Error if one of the profiles cannot be added; the others are on the shelf then.
    """
    shelf = Shelf(server, data)
    content = bytes(profile) if isinstance(profile, (bytes, bytearray, memoryview)) else None
    words: List[Any] = ["add", "--json"] + label_options(name, series, tags, note) + shelf.options()
    if source_root is not None:
        words += ["--source-root", os.fspath(source_root)]
    words += ["--", "-" if content is not None else os.fspath(cast(FilePath, profile))]
    return runs_of(call(*words, content=content), shelf)


def add(
    profile: Union[FilePath, bytes, bytearray, memoryview],
    *,
    name: Optional[str] = None,
    series: Optional[str] = None,
    tags: Optional[Mapping[str, object]] = None,
    note: Optional[str] = None,
    source_root: Optional[FilePath] = None,
    server: Optional[str] = None,
    data: Optional[FilePath] = None,
) -> Run:
    """Adds one profile, a file or its bytes, and returns the run."""
    runs = add_all(
        profile, name=name, series=series, tags=tags, note=note, source_root=source_root, server=server, data=data
    )
    if len(runs) != 1:
        raise Error("%d profiles were added. Call perfshelf.add_all() for folders and archives." % len(runs))
    return runs[0]


def list_runs(shelf: Shelf) -> List[Dict[str, Any]]:
    rows: List[Dict[str, Any]] = json.loads(call("list", "--json", *shelf.options()))
    return rows
