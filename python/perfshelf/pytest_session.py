# SPDX-License-Identifier: MIT
"""`pytest --perfshelf` makes each test a run, `--perfshelf-compare` says which tests became slower.

A test is recorded while its function runs: fixtures, hooks and the time between tests are left out. Profiles are written to
a temporary folder, and programs in the background add them in batches. Each worker of pytest-xdist adds its own.
"""
from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import tempfile
from typing import Any, Dict, Generator, List, Mapping, Optional, Sequence, Tuple

import pytest

from .bundle import Profile, shorten, write_bundle
from .pytest_plugin import BASE_MAX
from .recorders import Recorder
from .recording import Recording, environment_tags, git_output
from .shelf import Answer, Error, Shelf, failure, find_program, list_runs, run_program, runs_of

#: Profiles in one call of the program.
BATCH = 200
#: Growth below this is noise of clocks and caches, and is not reported.
GROWTH_MIN_S = 0.001
ROWS_MAX = 20


# --- Adding in the background ---


class Adder:
    """Adds profiles in batches, one program at a time, while the tests go on."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self.folder = tempfile.mkdtemp(prefix="perfshelf-pytest-")
        self.n_batches = 0
        self.pending: List[Profile] = []
        self.running: Optional[Tuple[Any, str, List[Profile]]] = None
        self.added: List[Dict[str, Any]] = []
        #: Profiles whose bytes are those of a run that was there. A shelf keeps them once.
        self.n_equal = 0
        self.problems: List[str] = []

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def put(self, profile: Profile) -> None:
        self.pending.append(profile)
        if len(self.pending) >= BATCH and not self._is_busy():
            self._start()

    def _is_busy(self) -> bool:
        return self.running is not None and self.running[0].poll() is None

    def _start(self) -> None:
        self._wait()
        batch, self.pending = self.pending[:BATCH], self.pending[BATCH:]
        self.n_batches += 1
        bundle = self.path("tests-%d.perfshelf" % self.n_batches)
        try:
            write_bundle(bundle, batch)
            for profile in batch:
                os.remove(profile.path)
            words: List[Any] = [find_program(), "add", "--json"] + self.shelf.options() + ["--", bundle]
            with open(bundle + ".out", "wb") as out, open(bundle + ".err", "wb") as errors:
                process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=errors)
        except (OSError, Error) as error:
            self.problems.append("%d profiles were not added: %s. They are in %s." % (len(batch), error, self.folder))
            return
        self.running = (process, bundle, batch)

    def _wait(self) -> None:
        if self.running is None:
            return
        process, bundle, batch = self.running
        self.running = None
        status = process.wait()
        with open(bundle + ".out", encoding="utf-8", errors="replace") as out:
            output = out.read()
        with open(bundle + ".err", encoding="utf-8", errors="replace") as file:
            errors = file.read()
        series = {profile.name: profile.series for profile in batch}
        for run in runs_of(output, self.shelf):
            if run.already:
                self.n_equal += 1
                continue
            self.added.append({"id": run.id, "series": series.get(run.name, "")})
        if status == 0:
            for ending in ("", ".out", ".err"):
                os.remove(bundle + ending)
        else:
            message = str(failure(Answer(status, output, errors))).splitlines()[-1]
            self.problems.append("profiles were not added: %s. They are kept: perfshelf add %s" % (message.rstrip("."), bundle))

    def finish(self) -> None:
        while self.pending:
            self._start()
        self._wait()
        if not self.problems:
            shutil.rmtree(self.folder, ignore_errors=True)


# --- Recording ---


class TestRecording(Recording):
    """The recording of one test, which is not written before its outcome is known."""

    __test__ = False  # no class of tests

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.problem: Optional[str] = None
        self.recorder: Optional[Recorder] = None

    def add(self, recorder: Recorder, name: str, error: Optional[BaseException]) -> None:
        self.recorder = recorder

    def fail(self, message: str, cause: Optional[BaseException] = None, in_flight: Optional[BaseException] = None) -> None:
        self.problem = message


class TestProfiles:
    __test__ = False

    def __init__(self, config: Any, kind: str) -> None:
        self.config, self.kind = config, kind
        self.shelf = Shelf(config.getoption("--perfshelf-server"), config.getoption("--perfshelf-data"))
        self.worker: Optional[str] = getattr(config, "workerinput", {}).get("workerid")
        self.adder = Adder(self.shelf)
        self.min_s: float = config.getoption("--perfshelf-min")
        self.number = self.n_short = self.n_equal = 0
        self.duration = 0.0
        self.recording: Optional[TestRecording] = None
        self.tags: Dict[str, str] = {}
        self.added: List[Dict[str, Any]] = []
        self.problems: List[str] = []
        self.comparison: Optional[Comparison] = None

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_call(self, item: Any) -> Generator[None, Any, None]:
        recording = TestRecording(self.kind)
        self.recording, self.tags, self.duration = recording, {}, 0.0
        function = getattr(item, "obj", None)
        if isinstance(item, pytest.Function) and callable(function) and not _is_async_unittest(item):
            item.obj = recording(function)
            try:
                yield
            finally:
                item.obj = function
        else:
            with recording:
                yield

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Generator[None, Any, None]:
        outcome = yield
        report = outcome.get_result()
        if report.when == "call":
            self.tags["outcome"] = _outcome(report)
            self.tags["duration"] = "%.6f" % report.duration
            self.duration = report.duration
        elif report.when == "teardown" and report.failed:
            self.tags["outcome"] = "error"

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        recording, self.recording = self.recording, None
        if recording is None:
            return
        if recording.problem:
            self._report(recording.problem)
        elif recording.recorder is not None and self.duration < self.min_s:
            self.n_short += 1
        elif recording.recorder is not None:
            self._put(recording.recorder, shorten(nodeid))

    def _report(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)

    def _put(self, recorder: Recorder, name: str) -> None:
        self.number += 1
        path = self.adder.path("%d%s" % (self.number, recorder.ending))
        tags: Dict[str, object] = dict(environment_tags())
        tags.update(self.tags)
        if self.worker:
            tags["worker"] = self.worker
        try:
            recorder.write(path)
        except Exception as error:  # of a profiler, whatever it raises: the tests go on
            self._report("the profile of a test was not written: %s" % error)
            return
        self.adder.put(Profile(path, name, name, tags, sources=recorder.sources()))

    # --- The end ---

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: Any) -> None:
        """A worker of pytest-xdist has ended."""
        sent = getattr(node, "workeroutput", {}).get("perfshelf")
        if sent:
            self.added += sent["added"]
            self.n_short += sent["short"]
            self.n_equal += sent["equal"]
            for problem in sent["problems"]:
                self._report(problem)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: Any) -> None:
        self.adder.finish()
        self.added += self.adder.added
        self.n_equal += self.adder.n_equal
        self.problems += self.adder.problems
        if self.worker:
            self.config.workeroutput["perfshelf"] = {
                "added": self.added,
                "short": self.n_short,
                "equal": self.n_equal,
                "problems": self.problems,
            }
            return
        base, fail_on = self.config.getoption("--perfshelf-compare"), self.config.getoption("--perfshelf-fail-on")
        if base is None and fail_on is None:
            return
        try:
            self.comparison = compare(self.added, base or "", fail_on or "+10%", self.shelf)
        except Error as error:
            self.problems.append("the tests were not compared: %s" % error)
        if fail_on is not None and session.exitstatus == 0 and (self.comparison is None or self.comparison.over):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        terminalreporter.section("perfshelf")
        terminalreporter.line("runs added: %d" % len(self.added))
        if self.n_short:
            terminalreporter.line(
                "tests of less than %g s, not added: %d; --perfshelf-min=0 adds them" % (self.min_s, self.n_short)
            )
        if self.n_equal:
            terminalreporter.line("profiles equal to that of another run, not added: %d" % self.n_equal)
        for problem in self.problems:
            terminalreporter.line(problem, red=True)
        if self.comparison is not None:
            for line in self.comparison.lines():
                terminalreporter.line(line)


def _is_async_unittest(item: Any) -> bool:
    """unittest runs the coroutines of its test cases itself, and not what `item.obj` is."""
    case = getattr(item, "cls", None)
    return case is not None and any(base.__name__ == "IsolatedAsyncioTestCase" for base in case.__mro__)


def _outcome(report: Any) -> str:
    if hasattr(report, "wasxfail"):
        return "xfailed" if report.skipped else "xpassed"
    return str(report.outcome)


# --- Comparing ---


class Comparison:
    def __init__(self, base: str, limit: str) -> None:
        self.base, self.limit = base, limit
        self.over: List[Tuple[float, str]] = []
        self.n_within = self.n_alone = 0

    def lines(self) -> List[str]:
        lines = [
            "compared with %s: %d over %s, %d within, %d without earlier runs"
            % (self.base, len(self.over), self.limit, self.n_within, self.n_alone)
        ]
        lines += [line for _, line in sorted(self.over, reverse=True)[:ROWS_MAX]]
        if len(self.over) > ROWS_MAX:
            lines.append("and %d more" % (len(self.over) - ROWS_MAX))
        return lines


def base_filter(base: str) -> Tuple[str, Dict[str, str]]:
    """What the base is called, and the tag that its runs have."""
    key, equals, value = base.partition("=")
    if equals and key:
        return base, {key: value}
    commit = git_output("rev-parse", "--verify", "-q", base + "^{commit}")
    if not commit:
        raise Error("--perfshelf-compare=%s is neither a commit or branch of this checkout nor KEY=VALUE" % base)
    return "%s (%s)" % (base, commit[:10]), {"commit": commit}


def compare(added: Sequence[Mapping[str, Any]], base: str, limit: str, shelf: Shelf) -> Comparison:
    """Compares the runs of this session with earlier runs of their series, by the rules of `perfshelf check`."""
    named, tags = base_filter(base) if base else ("earlier runs", {})
    result = Comparison(named, limit)
    fresh: Dict[str, List[str]] = {}
    for run in added:
        fresh.setdefault(run["series"], []).append(run["id"])
    ids = {run["id"] for run in added}
    rows: Dict[str, List[Mapping[str, Any]]] = {}
    values: Dict[str, float] = {}
    for row in list_runs(shelf) if fresh else ():
        if row["headline"] is not None and row["series"] in fresh:
            values[row["id"]] = row["headline"]["value"]
            if row["id"] not in ids and all(row["tags"].get(key) == value for key, value in tags.items()):
                rows.setdefault(row["series"], []).append(row)
    for series, runs in fresh.items():
        earlier = rows.get(series, [])
        pinned = [row for row in earlier if row["baseline"] and not tags]
        chosen = [row["id"] for row in (pinned or earlier)[:BASE_MAX]]
        mine = [run for run in runs if run in values]
        if not chosen or not mine:
            result.n_alone += 1
            continue
        growth = statistics.median(values[run] for run in mine) - max(values[run] for run in chosen)
        # `perfshelf check` passes what is not slower than all runs of the base.
        finding = check(mine, chosen, limit, shelf) if growth >= GROWTH_MIN_S else None
        if finding is None:
            result.n_within += 1
        else:
            ratio = finding["value"] / finding["base"] - 1 if finding["base"] else float("inf")
            line = "%s: %.1f ms, baseline %.1f ms, %+.1f %%, %s" % (
                series,
                finding["value"] * 1000,
                finding["base"] * 1000,
                ratio * 100,
                _significance(finding["significance"]),
            )
            result.over.append((ratio, line))
    return result


def _significance(word: str) -> str:
    return "significance unknown" if word == "unknown" else word


def check(new: Sequence[str], base: Sequence[str], limit: str, shelf: Shelf) -> Optional[Mapping[str, Any]]:
    """The finding of `perfshelf check` if the runs are over the limit, else None."""
    answer = run_program(
        "check", ",".join(new), "--against", ",".join(base), "--fail-on", limit, "--json", *shelf.options()
    )
    if not answer.output.startswith("{"):
        raise failure(answer)
    for finding in json.loads(answer.output)["findings"]:
        if finding["state"] == "over":
            return dict(finding)
    return None
