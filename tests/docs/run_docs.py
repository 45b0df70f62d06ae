#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the commands of README.md and docs/*.md as a reader would: those of a page in order, in one shell, in a folder of its own.

    run_docs.py build/perfshelf [PAGE...] [--write]

Which fenced blocks are run: `sh` (each must succeed), and `console`, where lines that begin with `$ ` are commands (`> ` goes on)
and the other lines are what they print, compared exactly; a line `...` stands for any lines, `…` for any text within a line.
--write puts what was printed into the console blocks that hold neither.
A page finds demo/ in its folder, perfshelf in $PATH, and port 7700 replaced by a free one.

A comment before a block says what a reader does not need to see:
    <!-- test: setup COMMANDS -->   run these first
    <!-- test: background -->       starts a server; goes on when it serves, ends it with the page
    <!-- test: status N -->         the block ends with this status
    <!-- test: needs PROGRAM -->    skipped, and counted as skipped, where the program is missing
    <!-- test: needs python3 MODULE -->   the same where python3 has no such module
    <!-- test: elsewhere WHERE -->  not run here: WHERE names the test that does
"""
import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import markdown

sys.path.insert(0, os.path.join(markdown.ROOT, "tests"))
from ports import free_port  # noqa: E402

LIMIT_S = 300
WRAPPER = """#!/bin/sh
case " $* " in
*" --listen "*) ;;
*) case $1 in serve) shift; set -- serve --listen 127.0.0.1:{port} "$@" ;; esac ;;
esac
exec {program} "$@"
"""


def commands_of(lines):
    """[command, [expected line...]] of a console block."""
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif line.startswith("> ") and found and not found[-1][1]:
            found[-1][0] += "\n" + line[2:]
        elif found:
            found[-1][1].append(line)
    return found


def matches(expected, printed):
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else ".*".join(map(re.escape, line.split("…"))) + "\n" for line in expected)
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


class Run:
    """The shell of one page."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="perfshelf-docs-")
        self.port = str(free_port())
        self.processes = []
        home, tools = (os.path.join(self.folder, name) for name in ("home", "bin"))
        self.work = os.path.join(self.folder, "perfshelf")
        for path in (home, tools, self.work):
            os.mkdir(path)
        for name in ("demo", "schema", "docs", "python"):
            os.symlink(os.path.join(markdown.ROOT, name), os.path.join(self.work, name))
        wrapper = os.path.join(tools, "perfshelf")
        with open(wrapper, "w", encoding="utf-8") as file:
            file.write(WRAPPER.format(port=self.port, program=os.path.abspath(program)))
        os.chmod(wrapper, 0o755)
        self.env = {key: value for key, value in os.environ.items() if not key.startswith(("PERFSHELF", "XDG_"))}
        self.env.update(HOME=home, PATH=f"{tools}:{os.environ['PATH']}", BROWSER="true", NO_COLOR="1", COLUMNS="100", LC_ALL="C.UTF-8", PERFSHELF_CONFIG="",
                        GIT_CEILING_DIRECTORIES=self.folder)
        self.state = os.path.join(self.folder, "state")

    def command(self, text):
        """(status, what it printed). Variables and the folder carry over to the next command."""
        text = re.sub(r"\b7700\b", self.port, text)
        script = f"set -a\n[ -f {self.state} ] && . {self.state}\n{{ {text}\n}}\nstatus=$?\n{{ export -p; printf 'cd %q\\n' \"$PWD\"; }} >{self.state}\nexit $status\n"
        done = subprocess.run(["bash", "-c", script], cwd=self.work, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=LIMIT_S)
        return done.returncode, re.sub(rf"(?<=:){self.port}\b", "7700", done.stdout)

    def background(self, text):
        """Starts it and waits until it says where it serves. Returns what it printed if it ended instead."""
        text = re.sub(r"\b7700\b", self.port, text)
        process = subprocess.Popen(["bash", "-c", f"[ -f {self.state} ] && . {self.state}\n{text}"], cwd=self.work, env=self.env,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        self.processes.append(process)
        printed = []
        for line in process.stdout:
            printed.append(line)
            if " serves " in line:
                return None
        return "".join(printed)

    def end(self):
        for process in self.processes:
            try:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait(15)
            except ProcessLookupError:
                process.wait()
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Results:
    def __init__(self):
        self.passed, self.failed, self.skipped = 0, 0, []

    def fail(self, place, text):
        self.failed += 1
        print(f"FAILED {place}: {text}", flush=True)


def run_sh(run, block, place, results):
    word, _, rest = block.test.partition(" ")
    wanted = int(rest) if word == "status" else 0
    status, printed = run.command("set -e\n" + "\n".join(block.lines) if wanted == 0 else "\n".join(block.lines))
    if status == wanted:
        results.passed += 1
    else:
        results.fail(place, f"exit status {status}, expected {wanted}; printed:\n{printed}")


def run_console(run, block, place, results, rewritten):
    lines = []
    word, _, rest = block.test.partition(" ")
    for command, expected in commands_of(block.lines):
        status, printed = run.command(command)
        shown = printed.rstrip("\n").split("\n") if printed else []
        free = "..." in expected or any("…" in line for line in expected)
        lines += ["$ " + command.replace("\n", "\n> "), *(expected if free else shown)]
        if status != (int(rest) if word == "status" else 0):
            results.fail(place, f"`{command}` ended with {status}; printed:\n{printed}")
        elif matches(expected, shown) or (rewritten is not None and not free):
            results.passed += 1
        else:
            results.fail(place, f"`{command}` printed something else:\n{printed}")
    if rewritten is not None:
        rewritten[block.line] = (len(block.lines), "\n".join(lines).split("\n"))


def is_here(needed, env):
    """Whether there is a program, or "python3 MODULE"."""
    program, _, module = needed.partition(" ")
    found = shutil.which(program, path=env["PATH"])
    return found and (not module or subprocess.run([found, "-c", f"import {module}"], env=env, capture_output=True, check=False).returncode == 0)


def run_page(path, program, results, rewritten):
    run = Run(program)
    try:
        for block in markdown.blocks(markdown.read(path)):
            place = f"{path}:{block.line}"
            word, _, rest = block.test.partition(" ")
            if block.language not in ("sh", "console", "setup"):
                continue
            if word == "needs" and not is_here(rest, run.env):
                results.skipped.append(f"documentation: no {rest} here")
            elif word == "elsewhere":
                results.skipped.append(f"documentation: {rest}")
            elif word == "background":
                printed = run.background("\n".join(block.lines))
                if printed is None:
                    results.passed += 1
                else:
                    results.fail(place, f"it does not serve; printed:\n{printed}")
            elif block.language == "console":
                run_console(run, block, place, results, rewritten)
            else:
                run_sh(run, block, place, results)
    finally:
        run.end()


def write(path, rewritten):
    lines = markdown.read(path).split("\n")
    for start, (count, new) in sorted(rewritten.items(), reverse=True):
        lines[start - 1:start - 1 + count] = new
    with open(os.path.join(markdown.ROOT, path), "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("program")
    options.add_argument("pages", nargs="*")
    options.add_argument("--write", action="store_true")
    args = options.parse_args()
    results = Results()
    for path in args.pages or markdown.pages():
        rewritten = {} if args.write else None
        run_page(path, args.program, results, rewritten)
        if rewritten:
            write(path, rewritten)
    for line in results.skipped:
        print(f"SKIPPED: {line}")
    print(f"{results.passed} passed, {results.failed} failed, {len(results.skipped)} skipped")
    return 1 if results.failed else 0


if __name__ == "__main__":
    sys.exit(main())
