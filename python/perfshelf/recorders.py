# SPDX-License-Identifier: MIT
"""The profilers that run inside a process: each starts, stops, and writes its profile to a file.

A recorder that `is_by_steps` may be started and stopped several times, and its profile covers the time between. The others
measure one span of time.
"""
from __future__ import annotations

import cProfile
import linecache
import marshal
import os
import pickle
import re
import sys
import threading
import time
from typing import Any, Dict, Iterable, List, Mapping, Optional, Set, Tuple

from .shelf import Error

FOLDER = os.path.dirname(os.path.abspath(__file__))
#: Seconds between two samples of the memory, as mprof has them.
SAMPLE_S = 0.1
#: Like the limit of the shelf for a source file, in bytes.
SOURCE_MAX = 16 << 20


class Recorder:
    """A profile in progress."""

    kind = ""
    ending = ""
    is_by_steps = False

    def start(self) -> None:
        raise NotImplementedError

    def stop(self) -> None:
        raise NotImplementedError

    def write(self, path: str) -> None:
        """Writes the profile. Called once, after the last stop."""
        raise NotImplementedError

    def sources(self) -> Dict[str, bytes]:
        """The text of measured files that `perfshelf add` cannot find by itself, by their paths in the profile."""
        return {}


#: Numbers of notebook cells by the file names that IPython gives them; magic.py sets it to IPython's table.
cell_numbers: Mapping[str, int] = {}


def is_cell(path: str) -> bool:
    """Whether a file is the code of a notebook cell, which exists in memory only."""
    return path.startswith("<ipython-input-") or ("ipykernel_" in path and not os.path.exists(path))


def shown_path(path: str) -> str:
    """A cell as cell-3-1a2b3c.py: its number and a part of its hash. Other paths as they are."""
    if not is_cell(path):
        return path
    digest = re.sub(r"\W", "", os.path.basename(path).rpartition("-")[2].partition(".")[0])[:6]
    return "cell-%s-%s.py" % (cell_numbers.get(path, "x"), digest)


def source_of(path: str) -> Optional[bytes]:
    """The text as Python has read it, or None."""
    text = "".join(linecache.getlines(path)).encode("utf-8", "replace")
    return text if 0 < len(text) <= SOURCE_MAX else None


def sources_of(paths: Iterable[str]) -> Dict[str, bytes]:
    found = {}
    for path in paths:
        text = source_of(path)
        if text is not None:
            found[shown_path(path)] = text
    return found


# --- cProfile ---

Function = Tuple[str, int, str]
#: Primitive calls, calls, own and total seconds, and for each caller calls, primitive calls, own and total seconds.
Row = Tuple[int, int, float, float, Dict[Function, Tuple[int, int, float, float]]]
#: Calls by which a recording begins and ends.
CALLS = (
    ("~", 0, "<method 'disable' of '_lsprof.Profiler' objects>"),
    ("~", 0, "<built-in method sys.monitoring.register_callback>"),
)


def _is_ours(function: Function) -> bool:
    """Whether a row is the recording itself: its calls of the profiler, and functions of this package."""
    return function in CALLS or function[0].startswith(FOLDER + os.sep)


def without_recording(stats: Mapping[Function, Row]) -> Dict[Function, Row]:
    """The rows of the program: without those of this package, and without what it has called in built-in functions."""
    kept: Dict[Function, Row] = {}
    for function, (primitive, calls, own, total, callers) in stats.items():
        ours = [row for caller, row in callers.items() if _is_ours(caller)]
        if function[0] == "~" and ours:
            # Rows of callers have the number of all calls first.
            calls -= sum(row[0] for row in ours)
            primitive -= sum(row[1] for row in ours)
            own -= sum(row[2] for row in ours)
            total -= sum(row[3] for row in ours)
        if calls > 0 and not _is_ours(function):
            others = {caller: row for caller, row in callers.items() if not _is_ours(caller)}
            kept[function] = (primitive, calls, max(own, 0.0), max(total, 0.0), others)
    return kept


def _shown(function: Function) -> Function:
    return (shown_path(function[0]), function[1], function[2])


def monitoring_events() -> List[int]:
    return [event for name, event in vars(getattr(sys, "monitoring").events).items() if name.isupper() and event]


def record_this_thread_only(events: List[int]) -> None:
    """Since Python 3.12 cProfile gets the calls of all threads, and mixes them into one stack. This drops those of others.

    It costs about 1.5 us a call, so it is done only where other threads run when the recording starts.
    """
    monitoring: Any = getattr(sys, "monitoring")
    thread = threading.get_ident()

    def guarded(callback: Any) -> Any:
        def call_in_this_thread(*arguments: Any) -> None:
            if threading.get_ident() == thread:
                callback(*arguments)

        return call_in_this_thread

    for event in events:
        callback = monitoring.register_callback(monitoring.PROFILER_ID, event, None)
        if callback is not None:
            monitoring.register_callback(monitoring.PROFILER_ID, event, guarded(callback))


class CProfileRecorder(Recorder):
    kind = "cprofile"
    ending = ".prof"
    is_by_steps = True

    def __init__(self) -> None:
        self._profile = cProfile.Profile()
        self._cells: Set[str] = set()

    def start(self) -> None:
        # Before Python 3.12, enable() silently replaces a profile function that another tool has set.
        if sys.getprofile() is not None:
            raise Error("another profiler is active in this thread")
        is_shared = sys.version_info >= (3, 12) and threading.active_count() > 1
        events = monitoring_events() if is_shared else []
        try:
            self._profile.enable()
        except ValueError as error:  # since Python 3.12
            raise Error(str(error)) from error
        if is_shared:
            record_this_thread_only(events)

    def stop(self) -> None:
        self._profile.disable()

    def write(self, path: str) -> None:
        self._profile.create_stats()
        rows = without_recording(vars(self._profile)["stats"])
        self._cells = {function[0] for function in rows if is_cell(function[0])}
        if self._cells:
            rows = {
                _shown(function): row[:4] + ({_shown(caller): calls for caller, calls in row[4].items()},)
                for function, row in rows.items()
            }
        with open(path, "wb") as file:
            marshal.dump(rows, file)

    def sources(self) -> Dict[str, bytes]:
        return sources_of(self._cells)


# --- line_profiler ---


class LinesRecorder(Recorder):
    kind = "lines"
    ending = ".lprof"
    is_by_steps = True

    def __init__(self, functions: Iterable[Any]) -> None:
        try:
            import line_profiler
        except ImportError as error:
            raise Error(
                "%s has no module line_profiler. Install it with `%s -m pip install line_profiler`."
                % (sys.executable, sys.executable)
            ) from error
        self._profiler = line_profiler.LineProfiler()
        self._files: Set[str] = set()
        functions = list(functions)
        if not functions:
            raise Error("no function to measure. Name them: perfshelf.record('lines', functions=[parse, render]).")
        for function in functions:
            self._add(function)

    def _add(self, function: Any) -> None:
        function = getattr(function, "__wrapped__", function)
        if isinstance(function, type) or type(function) is type(sys):
            for member in list(vars(function).values()):
                owner = getattr(member, "__module__", None)
                if hasattr(member, "__code__") and (isinstance(function, type) or owner == function.__name__):
                    self._profiler.add_function(member)
            return
        function = getattr(function, "__func__", function)
        if not hasattr(function, "__code__"):
            raise Error("%r is no Python function, class or module, so it has no lines to measure" % (function,))
        self._profiler.add_function(function)

    def start(self) -> None:
        try:
            self._profiler.enable_by_count()
        except ValueError as error:  # the slot of sys.monitoring is taken
            raise Error(str(error)) from error

    def stop(self) -> None:
        self._profiler.disable_by_count()

    def write(self, path: str) -> None:
        stats = self._profiler.get_stats()
        timings = {key: rows for key, rows in stats.timings.items() if rows}
        self._files = {key[0] for key in timings}
        stats.timings = {_shown(key): rows for key, rows in timings.items()}
        with open(path, "wb") as file:
            pickle.dump(stats, file, 2)

    def sources(self) -> Dict[str, bytes]:
        return sources_of(self._files)


# --- Memory ---


def resident_mib() -> float:
    """Memory of this process that is in RAM."""
    try:
        with open("/proc/self/statm", "rb") as file:
            pages = int(file.read().split()[1])
    except OSError as error:
        raise Error("cannot read the memory of this process: %s" % error) from error
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


class MemoryRecorder(Recorder):
    """Samples the resident memory of the process in a thread, and writes what `mprof run` writes."""

    kind = "memory"
    ending = ".dat"

    def __init__(self) -> None:
        self._samples: List[Tuple[float, float]] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._sample_until_end, name="perfshelf memory", daemon=True)

    def _sample(self) -> None:
        self._samples.append((resident_mib(), time.time()))

    def _sample_until_end(self) -> None:
        while not self._ended.wait(SAMPLE_S):
            self._sample()

    def start(self) -> None:
        self._sample()
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()
        self._sample()

    def write(self, path: str) -> None:
        with open(path, "w", encoding="ascii") as file:
            file.write("CMDLINE python\n")
            file.writelines("MEM %f %.4f\n" % sample for sample in self._samples)


# --- PyTorch ---


class TorchRecorder(Recorder):
    """Like `perfshelf record torch`: shapes, memory and stacks, on every device that there is."""

    kind = "torch"
    ending = ".pt.trace.json"

    def __init__(self) -> None:
        try:
            from torch.profiler import profile
        except ImportError as error:
            raise Error("%s has no module torch, or torch cannot be imported: %s" % (sys.executable, error)) from error
        self._profile = profile(record_shapes=True, profile_memory=True, with_stack=True)

    def start(self) -> None:
        self._profile.start()

    def stop(self) -> None:
        self._profile.stop()

    def write(self, path: str) -> None:
        self._profile.export_chrome_trace(path)


KINDS = ("cprofile", "lines", "memory", "torch")


def check_kind(kind: str) -> None:
    if kind == "importtime":
        raise Error(
            "import times cannot be recorded in a running process: Python writes them from its start."
            " Run `perfshelf record importtime -- python app.py`, or use %%perfshelf importtime in a notebook."
        )
    if kind not in KINDS:
        raise Error("unknown recorder %r. The recorders are %s." % (kind, ", ".join(KINDS)))


def new_recorder(kind: str, functions: Iterable[Any] = ()) -> Recorder:
    check_kind(kind)
    if kind == "lines":
        return LinesRecorder(functions)
    return {"cprofile": CProfileRecorder, "memory": MemoryRecorder, "torch": TorchRecorder}[kind]()
