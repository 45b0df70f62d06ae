#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The steps of `./dev test`: tests/run_steps.py [--list] [--all] [STEP...]. Builds what a step needs beyond build/perfshelf.

Without --all, PERFSHELF_SHORT is set: suites leave out their long tests (tests/long.py, longTest of tests/browser/lib.mjs), of which
each has a short one of its kind beside it. With --all, steps are whole.

A step is several units: processes such as one test file of Python, one group of a unit test program, one part of the browser
tests. All units of all steps are in one queue, the longest first. Tests wait for pages, databases and clocks: one more runs
at a time after each second in which a processor was idle, one fewer after each in which none was.

build/logs/STEP.log has the output of a step, build/logs/times how long its units took; a run begins with those that took
longest the last time. When the run ends or is killed, all that its units have started ends.
"""
import glob
import json
import os
import re
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LOGS = os.path.join(ROOT, "build", "logs")
TIMES = os.path.join(LOGS, "times")
SANITIZED = os.path.join(ROOT, "build", "asan-clang")
PROCESSORS = len(os.sched_getaffinity(0))
UNITS_MAX = 3 * PROCESSORS
LIMIT_S = 2400
# Where no run before this one says how long a unit takes: those that take more than a few seconds.
SECONDS = {"docker": 60, "browser": 60, "unit": 5, "asan": 8, "hostile": 60, "torture": 60, "scale": 60, "lint": 60, "format": 60, "run_docs": 60, "takeover_test": 60,
           "servers_test": 45, "blobs_cut_test": 40, "copy_cli": 60, "compare_cli": 15, "record_cli": 40, "vault_cli": 40, "resume_http": 60,
           "attacks_http": 90, "servers_http": 60, "shared_http": 90, "keep_http": 70, "sql_http": 60, "pinned_http": 6, "causes_http": 60, "answers_http": 60, "events_http": 50,
           "failover_http": 40, "remote_add_http": 40, "wheel_python": 60, "recordings_python": 60, "action_ci": 60, "ab_cli": 50, "usage_cli": 30,
           "stacks_http": 20, "serve_http": 30, "bad_corpus": 15, "recognition_corpus": 60}


class Unit:
    def __init__(self, step, name, *command, environment=None, folder=ROOT, limit=LIMIT_S):
        self.step, self.name, self.command, self.folder, self.limit = step, name, command, folder, limit
        self.environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", **(environment or {}))
        self.log = os.path.join(LOGS, f"{step}.{name}.log")
        self.process = self.began = self.seconds = self.used = None
        self.shown = 0
        self.status = 0

    def __str__(self):
        return f"{self.step}/{self.name}"

    def start(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(self.command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log, start_new_session=True)
        self.began = time.monotonic()

    def has_ended(self):
        """Ends it when it takes too long; Python says first where its threads are."""
        group = self.process.pid
        pid, status, used = os.wait4(group, os.WNOHANG)  # with what it has started and waited for
        self.seconds = time.monotonic() - self.began
        if pid == 0:
            if self.seconds > self.limit + 5:
                os.killpg(group, signal.SIGKILL)
            elif self.seconds > self.limit:
                os.kill(group, signal.SIGABRT)
            return False
        self.status = self.process.returncode = os.waitstatus_to_exitcode(status)
        self.used = used.ru_utime + used.ru_stime
        if self.status == 0 and re.search(r"^Ran 0 tests", self.output(), re.M) and "(skipped=" not in self.output():
            self.status = 5  # as unittest itself says from Python 3.12 on
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            pass  # as it should be: it has ended what it started
        return True

    def output(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()


# --- the steps ------------------------------------------------------------------------------------------------------


def python_modules(step, folder, patterns=("*_*.py",), environment=None, without=()):
    paths = sorted({path for pattern in patterns for path in glob.glob(os.path.join(ROOT, "tests", folder, pattern))})
    for path in paths:
        name = os.path.basename(path)[:-3]
        if name in without:
            continue
        yield Unit(step, name, sys.executable, "-X", "faulthandler", "-m", "unittest", "-v", name,
                   environment={"PYTHONPATH": os.path.dirname(path), **(environment or {})})


def ctest(step, build):
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], stdout=subprocess.PIPE, check=True).stdout
    for test in json.loads(listed)["tests"]:
        properties = {row["name"]: row["value"] for row in test["properties"]}
        yield Unit(step, test["name"], *test["command"], folder=properties["WORKING_DIRECTORY"], limit=properties.get("TIMEOUT", LIMIT_S))


def script(step, *command, folder="", name=None, environment=None):
    yield Unit(step, name or step, *command, folder=os.path.join(ROOT, folder), environment=environment)


def docs(step):
    yield from script(step, "python3", "tests/docs/check_docs.py", "web/dist", name="check_docs")
    yield from script(step, "python3", "tests/docs/make_commands.py", "build/perfshelf", "--check", name="make_commands")
    yield from script(step, "python3", "schema/row_types.py", "docs", "--check", name="row_types")
    yield from script(step, "python3", "schema/answers.py", "docs", "--check", name="answers")
    yield from script(step, "python3", "tests/docs/run_docs.py", "build/perfshelf", name="run_docs")


def postgresql(step, http, cli):
    """Suites of what a catalog does, each shelf's on a PostgreSQL."""
    for folder, names in (("http", http), ("cli", cli)):
        for name in names.split():
            yield from script(step, "python3", "tests/on_postgresql.py", f"tests/{folder}/{name}_{folder}.py", name=f"{name}_{folder}")


def torture(step, name, *command):
    yield from script(step, "python3", f"tests/torture/{name}.py", *command, name=name, environment={"PERFSHELF": f"{ROOT}/build/perfshelf"})


def docker(step, *modules):
    """Debian's Python has the package that reads the compose files."""
    yield from script(step, "/usr/bin/python3", "-m", "unittest", "-v", *modules, folder="tests/docker")


def browser(step):
    parts = 2 * PROCESSORS
    for part in range(parts):
        yield from script(step, "node", "tests/browser/run.mjs", "--part", f"{part}/{parts}", name=f"part_{part + 1}")


IN_ASAN = {"PERFSHELF": f"{SANITIZED}/perfshelf", "ASAN_OPTIONS": "abort_on_error=0:detect_leaks=1"}
# Requests and uploads of strangers: a server with sanitizers answers these in every run, and the plain one only with --all.
STRANGERS = [f"{name}_http" for name in ("attacks", "limits", "protocol", "uploads", "archives", "export", "trace", "trace_sums")]

# Each step: what `./dev build` has to build for it, or None, and its units. Unit tests run once, with sanitizers.
STEPS = {
    "browser": (None, browser),
    "docker": (None, lambda step: docker(step, "compose_docker")),
    "asan": ("sanitized", lambda step: ctest(step, SANITIZED)),
    "layers": (None, lambda step: script(step, "python3", "tests/check_layers.py")),
    "style": (None, lambda step: script(step, "python3", "tests/check_style.py")),
    "format": (None, lambda step: script(step, "./dev", "fmt", "--check")),
    # Types and eslint of the page.
    "lint": (None, lambda step: script(step, "node", "check.mjs", folder="web")),
    "web": (None, lambda step: script(step, "node", "test/run.mjs", folder="web")),
    "docs": (None, docs),
    "cli": (None, lambda step: python_modules(step, "cli")),
    "ci": (None, lambda step: python_modules(step, "ci")),
    "corpus": (None, lambda step: python_modules(step, "corpus")),
    "http": (None, lambda step: python_modules(step, "http", without=STRANGERS)),
    "python": (None, lambda step: python_modules(step, "python")),
    "postgresql": (None, lambda step: postgresql(step, "runs trend timeline_notes", "changes")),
    "torture": (None, lambda step: torture(step, "kill", "6")),
    "asan_served": ("sanitized", lambda step: python_modules(step, "http", [f"{name}.py" for name in STRANGERS], IN_ASAN)),
}
# With --all: these steps as they are here, instead of those of every change.
STEPS_OF_ALL = {
    "docker": (None, lambda step: docker(step, "image_docker", "compose_docker", "scale_docker")),
    "http": (None, lambda step: python_modules(step, "http")),
    "postgresql": (None, lambda step: postgresql(step, "runs access search sql trend events uploads keep sources resume timeline_notes", "shelf trend changes prune")),
    "torture": (None, lambda step: torture(step, "kill", "25")),
    "scale": (None, lambda step: torture(step, "scale", "30", "300")),
    # By the other compiler, optimized, without sanitizers.
    "unit": ("tests", lambda step: ctest(step, os.path.join(ROOT, "build"))),
    "hostile": ("sanitized", lambda step: script(step, f"{SANITIZED}/tests/hostile", "--cuts", "4", "--flips", "100", "--samples", "3", "--asked", "40",
                                                 "--jobs", "2", "--save", SANITIZED, "tests/golden", "tests/recorded", "demo/profiles")),
    # All but recognition_corpus.py: the others import its files too.
    "asan_corpus": ("sanitized", lambda step: python_modules(step, "corpus", ["[!r]*_corpus.py"], IN_ASAN)),
    "asan_http": ("sanitized", lambda step: python_modules(step, "http", environment=IN_ASAN, without=STRANGERS)),
    # Builds without PostgreSQL, libcurl and offline pages.
    "features": (None, lambda step: python_modules(step, "features")),
    "asan_cli": ("sanitized", lambda step: python_modules(step, "cli", environment=IN_ASAN)),
}

# Only by name: what they need takes minutes to build.
STEPS_BY_NAME = {"package": (None, lambda step: python_modules(step, "package", ("*_package.py",)))}

# --- the queue ------------------------------------------------------------------------------------------------------

# Reads the ids of process groups: one that it reads a second time has ended. When its input ends, it ends those that are left.
GUARD = """
import os, signal, sys, time
left = set()
for line in sys.stdin:
    left ^= {int(line)}
for what in (signal.SIGTERM, signal.SIGKILL) if left else ():
    for group in left:
        try:
            os.killpg(group, what)
        except ProcessLookupError:
            pass
    time.sleep(1)
"""


class Idle:
    """How many processors were idle since the last call."""

    def __init__(self):
        self.before = self.read()

    @staticmethod
    def read():
        with open("/proc/stat", encoding="ascii") as file:
            times = [int(word) for word in file.readline().split()[1:9]]
        return sum(times), times[3] + times[4]

    def since(self):
        now = self.read()
        all_of_it, idle = (after - before for after, before in zip(now, self.before))
        self.before = now
        return os.cpu_count() * idle / max(all_of_it, 1)


class Run:
    def __init__(self, steps):
        self.steps, self.ended = steps, {name: [] for name in steps}
        self.left = dict.fromkeys(steps, 0)  # of each step: units that have not ended
        self.waiting, self.running, self.builds = [], [], {}
        self.lasted = last_times()
        self.began, self.idle = time.monotonic(), Idle()
        self.guard = subprocess.Popen([sys.executable, "-c", GUARD], stdin=subprocess.PIPE, text=True, start_new_session=True)
        for name, (build, units) in steps.items():
            if build is None:
                self.add(units(name))
            else:
                self.builds.setdefault(build, []).append(name)
        for build, names in self.builds.items():
            unit = Unit(names[0], f"build_{build}", "./dev", "build", build)
            unit.build = build
            self.add([unit])
        for path in glob.glob(os.path.join(LOGS, "*.log")):
            os.remove(path)

    def add(self, units):
        for unit in units:
            self.waiting.append(unit)
            self.left[unit.step] += 1
        self.waiting.sort(key=self.expected, reverse=True)

    def expected(self, unit):
        """Seconds; of what others wait for, endless."""
        if hasattr(unit, "build"):
            return float("inf")
        return self.lasted.get(str(unit), SECONDS.get(unit.name, SECONDS.get(unit.step, 3)))

    def tell_guard(self, unit):
        self.guard.stdin.write(f"{unit.process.pid}\n")
        self.guard.stdin.flush()

    def start_next(self):
        unit = self.waiting.pop(0)
        unit.start()
        self.tell_guard(unit)
        self.running.append(unit)

    def all_units(self):
        idle, looked, width = Idle(), time.monotonic(), PROCESSORS
        while self.waiting or self.running:
            for unit in [unit for unit in self.running if unit.has_ended()]:
                self.running.remove(unit)
                self.tell_guard(unit)
                self.end(unit)
            if time.monotonic() - looked >= 1:
                looked = time.monotonic()
                width = self.next_width(width, idle.since())
            while self.waiting and len(self.running) < width:
                self.start_next()
            if len(self.steps) == 1 and len(self.running) == 1:
                show(self.running[0])
            time.sleep(0.05)
        self.guard.stdin.close()
        self.guard.wait()

    def next_width(self, width, idle):
        """How many units may run at a time, after a second in which so many processors were idle."""
        if idle > 0.3 and len(self.running) >= width:
            return min(width + 1, UNITS_MAX)
        return max(width - 1, PROCESSORS) if idle < 0.05 else width

    def end(self, unit):
        if hasattr(unit, "build"):
            for name in self.builds[unit.build]:
                if unit.status == 0:
                    self.add(self.steps[name][1](name))
                elif name != unit.step:
                    self.ended[name].append(unit)
                    self.end_step(name)
        self.ended[unit.step].append(unit)
        self.left[unit.step] -= 1
        with open(os.path.join(LOGS, f"{unit.step}.log"), "a", encoding="utf-8") as log:
            log.write(f"-- {unit.name}: {unit.seconds:.0f} s, {unit.used:.0f} s of processors, {verdict([unit])}\n{unit.output()}")
        if len(self.steps) == 1:
            show(unit)
            print(f"-- {unit.name}: {unit.seconds:.0f} s, {unit.used:.0f} s of processors, {verdict([unit])}", flush=True)
        if self.left[unit.step] == 0:
            self.end_step(unit.step)

    def end_step(self, name):
        path = os.path.join(LOGS, f"{name}.log")
        if len(self.steps) > 1:
            say(f"test: {name}")
            if os.path.exists(path):
                with open(path, encoding="utf-8", errors="replace") as log:
                    sys.stdout.write(log.read())
        say(f"{name}: {verdict(self.ended[name])} after {wall(self.ended[name]):.0f} s; {os.path.relpath(path, ROOT)}")


# --- what is printed ------------------------------------------------------------------------------------------------


def say(text):
    print(f"\033[1m== {text}\033[0m" if sys.stdout.isatty() else f"== {text}", flush=True)


def show(unit):
    """What it has printed since this was called last."""
    with open(unit.log, "rb") as log:
        log.seek(unit.shown)
        new = log.read()
    unit.shown += len(new)
    sys.stdout.write(new.decode("utf-8", "replace"))
    sys.stdout.flush()


def verdict(units):
    return "FAILED" if any(unit.status for unit in units) else "ok"


def wall(units):
    """Seconds from the first that began to the last that ended."""
    return max(unit.began + unit.seconds for unit in units) - min(unit.began for unit in units)


def last_times():
    """The seconds that each unit took, from the file that the last run has written."""
    try:
        with open(TIMES, encoding="utf-8") as file:
            return {words[3]: float(words[0]) for words in map(str.split, file) if len(words) == 5}
    except FileNotFoundError:
        return {}


def counts(unit):
    """Passed, failed, skipped: from what the runners say, unittest, node's, and our own "N passed, N failed"."""
    passed = failed = skipped = 0
    text = unit.output()
    for ok, bad in re.findall(r"^(\d+) passed, (\d+) failed", text, re.M):
        passed, failed = passed + int(ok), failed + int(bad)
    for word, n in re.findall(r"^(?:#|ℹ) (pass|fail) (\d+)$", text, re.M):
        passed, failed = passed + int(n) * (word == "pass"), failed + int(n) * (word == "fail")
    for ran, ended in re.findall(r"^Ran (\d+) tests? in .*\n\n(.*)$", text, re.M):
        bad = sum(int(n) for n in re.findall(r"(?:failures|errors)=(\d+)", ended))
        skip = sum(int(n) for n in re.findall(r"skipped=(\d+)", ended))
        passed, failed, skipped = passed + int(ran) - bad - skip, failed + bad, skipped + skip
    if unit.status and not failed:
        failed = 1
    elif passed + failed + skipped == 0:
        passed = 1
    return passed, failed, skipped


def print_skips(units):
    """Why tests were skipped: each reason once, with the number of tests, most frequent first."""
    reasons = {}
    for unit in units:
        for groups in re.findall(r"""^.* \.\.\. skipped ['"](.*)['"]$|^(?:ok|skip) .* # SKIP (.*)|^(SKIPPED: .*)""", unit.output(), re.M):
            reason = "".join(groups)
            reasons[reason] = reasons.get(reason, 0) + 1
    if reasons:
        say("skipped, by reason")
    for reason, n in sorted(reasons.items(), key=lambda item: -item[1]):
        print(f"{n:7} {reason}")


def print_failures(units):
    """What failed, once more and at the end: the output before it is long."""
    begin = re.compile(r"^(FAILED|FAIL|ERROR:|not ok)|\[  FAILED  \]|error:|AddressSanitizer:")
    for unit in units:
        if not unit.status:
            continue
        say(f"{unit} failed with exit status {unit.status}; all of it is in {os.path.relpath(LOGS, ROOT)}/{unit.step}.log")
        lines = unit.output().splitlines()
        near = {near for at, line in enumerate(lines) if begin.search(line) for near in range(at - 4, at + 15)}
        chosen = [line for at, line in enumerate(lines) if at in near] or lines[-40:]
        print(*(line[:400] for line in chosen[:80]), sep="\n")


def print_times(run):
    rows = []
    for name, units in run.ended.items():
        rows.append((wall(units), sum(unit.used for unit in units if unit.step == name), name, verdict(units)))
    seconds = time.monotonic() - run.began
    idle = run.idle.since() / os.cpu_count()
    say(f"tests took {seconds:.0f} s, processors were idle for {idle:.0%} of it; {sum(row[1] for row in rows):.0f} s of processors, of which")
    for seconds, used, name, ended in rows:
        print(f"{seconds:5.0f} s  {used:5.0f} s of processors  {name:12} {ended}")
    units = sorted((unit for units in run.ended.values() for unit in units), key=lambda unit: -unit.seconds)
    known = run.lasted | {str(unit): unit.seconds for unit in units}
    used = {str(unit): (f"{unit.used:.1f}", verdict([unit])) for unit in units}
    with open(TIMES, "w", encoding="utf-8") as file:
        for name, seconds in sorted(known.items(), key=lambda item: -item[1]):
            of_unit, ended = used.get(name, ("-", "earlier"))
            file.write(f"{seconds:7.1f} s {of_unit:>6} {name} {ended}\n")
    print(f"longest: {', '.join(f'{unit} {unit.seconds:.0f} s' for unit in units[:8])}")
    # Those that made the run longer when all processors are busy. Chromium's own processes are not in these times.
    dearest = sorted(units, key=lambda unit: -unit.used)[:10]
    print(f"most time of processors: {', '.join(f'{unit} {unit.used:.0f} s' for unit in dearest)}")


def main(words):
    whole = "--all" in words
    every = {**STEPS_OF_ALL, **STEPS, **STEPS_BY_NAME}
    if whole:
        every.update(STEPS_OF_ALL)
    wanted = [word for word in words if word not in ("--all", "--list")]
    unknown = set(wanted) - {*every}
    if unknown:
        sys.exit(f"dev: no test step '{min(unknown)}'; there are: {' '.join(every)}")
    names = list(dict.fromkeys([*STEPS, *(STEPS_OF_ALL if whole or "--list" in words else ()), *(STEPS_BY_NAME if "--list" in words else ())]))
    if "--list" in words:
        print(*(wanted or names))
        return 0
    if not whole:
        os.environ["PERFSHELF_SHORT"] = "1"
    os.makedirs(LOGS, exist_ok=True)
    run = Run({name: every[name] for name in dict.fromkeys(wanted or names)})
    run.all_units()
    units = list(dict.fromkeys(unit for units in run.ended.values() for unit in units))
    print_times(run)
    print_skips(units)
    print_failures(units)
    passed, failed, skipped = (sum(column) for column in zip(*map(counts, units)))
    for unit in units:
        os.remove(unit.log)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
