# SPDX-License-Identifier: MIT
"""perfshelf.record: profiles a part of the running program and adds the profile to the shelf."""
from __future__ import annotations

import functools
import inspect
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import warnings
from contextvars import ContextVar
from typing import Any, AsyncIterator, Callable, Dict, Generator, Iterable, List, Mapping, Optional, Tuple, TypeVar, cast

from .bundle import Profile, write_bundle
from .environment import machine_facts
from .recorders import FOLDER, Recorder, check_kind, new_recorder
from .shelf import Error, FilePath, Run, Shelf, call, runs_of

F = TypeVar("F", bound=Callable[..., Any])


class PerfshelfWarning(RuntimeWarning):
    """A profile was not recorded or not added. The program goes on."""


def warn(message: str) -> None:
    """A warning about the line of the program that called this package."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(FOLDER + os.sep):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, PerfshelfWarning, stacklevel=level)


# --- Tags ---


def git_output(*words: str) -> str:
    try:
        done = subprocess.run(
            ("git",) + words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=10
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""


@functools.lru_cache(maxsize=None)
def environment_tags() -> Mapping[str, str]:
    """The machine, the Python, and in a git checkout commit and dirty, as `perfshelf record` has them. Asked once."""
    tags = machine_facts()
    commit = git_output("rev-parse", "--verify", "-q", "HEAD")
    if commit:
        tags["commit"] = commit
        if git_output("--no-optional-locks", "status", "--porcelain", "--untracked-files=no"):
            tags["dirty"] = "yes"
    return tags


# --- Storing ---


def _file_name(name: str) -> str:
    kept = "".join(c if c.isalnum() or c in "-_." else "_" for c in name)
    return kept.strip("._")[:60].encode("ascii", "ignore").decode() or "profile"


class NotAdded(Error):
    """The profile could not be added; `path` is the file that has it, None if it could not be written."""

    def __init__(self, message: str, path: Optional[str]) -> None:
        super().__init__(message)
        self.path = path


def add_bundle(path: str, shelf: Shelf) -> List[Run]:
    return runs_of(call("add", "--json", *shelf.options(), "--", path), shelf)


def store(
    write: Callable[[str], None],
    ending: str,
    shelf: Shelf,
    sources: Callable[[], Mapping[str, bytes]] = dict,
    *,
    name: str,
    series: Optional[str],
    tags: Mapping[str, object],
    note: Optional[str],
) -> Run:
    """Writes a profile to a temporary folder and adds it. The folder is kept if that fails: NotAdded names its file."""
    kept = None
    try:
        folder = tempfile.mkdtemp(prefix="perfshelf-")
        profile = os.path.join(folder, _file_name(name) + ending)
        write(profile)
        bundle = os.path.join(folder, _file_name(name) + ".perfshelf")
        write_bundle(bundle, [Profile(profile, name, series or "", tags, note or "", sources())])
        os.remove(profile)
        kept = bundle
        run = add_bundle(bundle, shelf)[0]
    except Exception as error:
        where = " It is kept: perfshelf add %s" % kept if kept else ""
        raise NotAdded("the profile %r was not added: %s.%s" % (name, str(error).rstrip("."), where), kept) from error
    shutil.rmtree(folder, ignore_errors=True)
    return run


# --- One recording ---

_slot_lock = threading.Lock()
_slot: Optional["Session"] = None


class Session:
    """A profile in progress: from the entry of a `with` block, or the call of a function, to its end.

    Python has one slot for a profiler, so one session of the process holds `_slot` while its recorder runs.
    """

    def __init__(self, recording: "Recording", name: str, functions: Tuple[Any, ...] = ()) -> None:
        self.recording, self.name, self.functions = recording, name, functions
        self.recorder: Optional[Recorder] = None
        self.is_running = False
        self.is_refused = False
        self.process = os.getpid()

    def begin(self) -> None:
        """Starts or continues the recorder. Warns, and records nothing, where that is not possible."""
        global _slot
        if self.is_running or self.is_refused:
            return
        with _slot_lock:
            holder = _slot
            if holder is None or holder.process != os.getpid():
                _slot = holder = self
        if holder is not self:
            # A step of a coroutine or generator is part of the profile of its caller.
            if self.recorder is None:
                self._refuse_nested(holder)
            return
        try:
            if self.recorder is None:
                self.recorder = new_recorder(self.recording.kind, self.functions)
            self.recorder.start()
            self.is_running = True
        except BaseException as error:
            _slot = None
            self.is_refused = True
            if not isinstance(error, Exception):
                raise
            self.recorder = None
            self.recording.fail("%r was not recorded: %s" % (self.name, error), error)

    def _refuse_nested(self, holder: "Session") -> None:
        self.is_refused = True
        if holder.recording is not self.recording:
            self.recording.fail(
                "%r was not recorded: one recording runs at a time in a process, and %r is running" % (self.name, holder.name)
            )

    def pause(self) -> None:
        global _slot
        if self.is_running and self.recorder is not None:
            self.recorder.stop()
            self.is_running = False
            _slot = None

    def end_step(self) -> None:
        if self.recorder is not None and self.recorder.is_by_steps:
            self.pause()

    def finish(self, error: Optional[BaseException]) -> None:
        """Adds the profile. A child process that was forked meanwhile leaves that to its parent."""
        try:
            self.pause()
        except Exception as failure:
            self.recorder = None
            self.recording.fail("%r was not recorded: %s" % (self.name, failure), failure, error)
        if self.recorder is not None and self.process == os.getpid():
            self.recording.add(self.recorder, self.name, error)


_entries: ContextVar[Tuple[Session, ...]] = ContextVar("perfshelf_entries", default=())


class Recording:
    """Records a block (`with perfshelf.record(...):`) or a function (`@perfshelf.record(...)`) with a profiler.

    kind       cprofile, lines, memory or torch
    functions  of lines: further functions, classes or modules to measure
    server     adds to the shelf that is served at this URL
    data       adds to the shelf in this folder
    strict     raises perfshelf.Error where otherwise a warning says that a profile was not recorded or not added

    The attribute `run` is the run of the newest profile, or None.
    """

    def __init__(
        self,
        kind: str = "cprofile",
        *,
        name: Optional[str] = None,
        series: Optional[str] = None,
        tags: Optional[Mapping[str, object]] = None,
        note: Optional[str] = None,
        functions: Iterable[Any] = (),
        server: Optional[str] = None,
        data: Optional[FilePath] = None,
        strict: bool = False,
    ) -> None:
        check_kind(kind)
        self.kind, self.name, self.series, self.note, self.strict = kind, name, series, note, strict
        self.tags: Dict[str, object] = dict(tags or {})
        self.functions = tuple(functions)
        self.shelf = Shelf(server, data)
        self.run: Optional[Run] = None

    # --- A block ---

    def __enter__(self) -> "Recording":
        name = self.name
        if name is None:
            caller = sys._getframe(1)
            name = "%s:%d" % (os.path.basename(caller.f_code.co_filename), caller.f_lineno)
        session = Session(self, name, self.functions)
        _entries.set(_entries.get() + (session,))
        session.begin()
        return self

    def __exit__(self, kind: object, error: Optional[BaseException], trace: object) -> None:
        entries = list(_entries.get())
        for index in reversed(range(len(entries))):
            if entries[index].recording is self:
                session = entries.pop(index)
                _entries.set(tuple(entries))
                session.finish(error)
                return

    # --- A function ---

    def __call__(self, function: F) -> F:
        if not callable(function) or isinstance(function, type):
            raise TypeError("perfshelf.record decorates functions, not %r" % (function,))
        name = self.name or "%s.%s" % (
            getattr(function, "__module__", None) or "?",
            getattr(function, "__qualname__", type(function).__qualname__),
        )
        functions = (function,) + self.functions if self.kind == "lines" else self.functions

        def session() -> Session:
            return Session(self, name, functions)

        if inspect.isasyncgenfunction(function):
            return cast(F, _wrap_async_generator(function, session))
        if inspect.iscoroutinefunction(function):
            return cast(F, _wrap_coroutine(function, session))
        if inspect.isgeneratorfunction(function):
            return cast(F, _wrap_generator(function, session))
        return cast(F, _wrap_function(function, session))

    # --- The result ---

    def add(self, recorder: Recorder, name: str, error: Optional[BaseException]) -> None:
        tags = dict(environment_tags())
        if error is not None:
            tags["exception"] = type(error).__name__
        tags.update({key: str(value) for key, value in self.tags.items()})
        self.run = None
        try:
            self.run = store(
                recorder.write,
                recorder.ending,
                self.shelf,
                recorder.sources,
                name=name,
                series=self.series,
                tags=tags,
                note=self.note,
            )
        except NotAdded as failure:
            self.fail(str(failure), failure, error)

    def fail(self, message: str, cause: Optional[BaseException] = None, in_flight: Optional[BaseException] = None) -> None:
        """Warns; with `strict` raises, unless that would hide an exception of the program."""
        if in_flight is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("always")  # "error" would hide it too
                warn(message)
        elif self.strict:
            raise (cause if isinstance(cause, NotAdded) else Error(message)) from cause
        else:
            warn(message)


# The name for users: a context manager and a decorator is called in lower case.
record = Recording


# --- Functions that are called, awaited or iterated ---

NewSession = Callable[[], Session]


def _wrap_function(function: Callable[..., Any], new_session: NewSession) -> Callable[..., Any]:
    @functools.wraps(function)
    def recorded(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True  # pytest leaves the frame out
        session = new_session()
        session.begin()
        error: Optional[BaseException] = None
        try:
            return function(*args, **kwargs)
        except BaseException as raised:
            error = raised
            raise
        finally:
            session.finish(error)

    return recorded


def _steps(session: Session, target: Any) -> Generator[Any, Any, Any]:
    """Drives a generator or an awaitable, and records while its own code runs, not while others do."""
    __tracebackhide__ = True
    send, value = target.send, None
    while True:
        session.begin()
        try:
            item = send(value)
        except StopIteration as stop:
            return stop.value
        finally:
            session.end_step()
        try:
            value = yield item
            send = target.send
        except GeneratorExit:
            session.begin()
            try:
                target.close()
            finally:
                session.end_step()
            raise
        except BaseException as error:
            send, value = target.throw, error


class _Steps:
    """Awaits what _steps drives."""

    def __init__(self, session: Session, target: Any) -> None:
        self.session, self.target = session, target

    def __await__(self) -> Generator[Any, Any, Any]:
        return _steps(self.session, self.target)


class _Ended:
    """Finishes the session with the exception that ends a block, if one does."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def __enter__(self) -> Session:
        return self.session

    def __exit__(self, kind: object, error: Optional[BaseException], trace: object) -> None:
        self.session.finish(None if isinstance(error, GeneratorExit) else error)


def _wrap_generator(function: Callable[..., Any], new_session: NewSession) -> Callable[..., Any]:
    @functools.wraps(function)
    def recorded(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        with _Ended(new_session()) as session:
            return (yield from _steps(session, function(*args, **kwargs)))

    return recorded


def _wrap_coroutine(function: Callable[..., Any], new_session: NewSession) -> Callable[..., Any]:
    @functools.wraps(function)
    async def recorded(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        with _Ended(new_session()) as session:
            return await _Steps(session, function(*args, **kwargs))

    return recorded


def _wrap_async_generator(function: Callable[..., Any], new_session: NewSession) -> Callable[..., Any]:
    @functools.wraps(function)
    async def recorded(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        with _Ended(new_session()) as session:
            target = function(*args, **kwargs)
            step = target.asend(None)
            try:
                while True:
                    try:
                        item = await _Steps(session, step)
                    except StopAsyncIteration:
                        return
                    try:
                        step = target.asend((yield item))
                    except GeneratorExit:
                        raise
                    except BaseException as error:
                        step = target.athrow(error)
            finally:
                await _Steps(session, target.aclose())

    return recorded
