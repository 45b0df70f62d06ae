# SPDX-License-Identifier: MIT
"""Runs the unittest modules of a folder side by side, one process each, as many at a time as there are processors.

    side_by_side.py FOLDER [PATTERN...] [--first MODULE...]

Each module's output comes in one piece when it ends; one that hangs for LIMIT_S is stopped, and says where it stood.
Those named by --first begin first: the longest ones, so that none of them is alone at the end. Modules share no shelf
and no port, so their order means nothing else.
"""
import argparse
import concurrent.futures
import glob
import os
import signal
import subprocess
import sys
import threading
import time

LIMIT_S = 2400


def run(folder, module):
    began = time.monotonic()
    environment = dict(os.environ, PYTHONPATH=folder, PYTHONDONTWRITEBYTECODE="1")
    with subprocess.Popen([sys.executable, "-X", "faulthandler", "-m", "unittest", "-v", module], env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as process:
        stop = threading.Timer(LIMIT_S, end, [process])
        stop.start()
        said = process.stdout.read()
        stop.cancel()
        _, status, used = os.wait4(process.pid, 0)  # with what it has started and waited for
        process.returncode = os.waitstatus_to_exitcode(status)
    print(f"-- {module}: {time.monotonic() - began:.0f} s, {used.ru_utime + used.ru_stime:.0f} s of processors\n"
          f"{said.decode('utf-8', 'replace')}", flush=True)
    return process.returncode == 0


def end(process):
    """Of a module that hangs: where it stands in each thread, then nothing of it is left."""
    os.kill(process.pid, signal.SIGABRT)
    time.sleep(5)
    os.killpg(process.pid, signal.SIGKILL)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("folder")
    options.add_argument("patterns", nargs="*", default=["*_*.py"])
    options.add_argument("--first", nargs="*", default=[])
    given = options.parse_args()
    modules = sorted({os.path.basename(path)[:-3] for pattern in given.patterns for path in glob.glob(os.path.join(given.folder, pattern))})
    if not modules or set(given.first) - set(modules):
        options.error(f"these are the modules: {modules}")
    modules.sort(key=lambda module: module not in given.first)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return 0 if all(list(pool.map(lambda module: run(os.path.abspath(given.folder), module), modules))) else 1


if __name__ == "__main__":
    sys.exit(main())
