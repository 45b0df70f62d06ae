#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs suites of the program with each of their shelves on a PostgreSQL: tests/on_postgresql.py SUITE.py ...

The suites stay as they are: they start, instead of the program, this file under another name, which gives each folder of --data a database
of its own (PERFSHELF_STORE) and becomes the program. Says so and ends well where there is no PostgreSQL.
"""
import os
import shlex
import subprocess
import sys
import tempfile

from kept import name_of, url_of

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def become_program(createdb, folder, program, *arguments):
    data = next((arguments[i + 1] for i, word in enumerate(arguments[:-1]) if word == "--data"), None)
    if data:
        name = name_of(data)
        # Two at once may both try: one fails, and it is there.
        subprocess.run([createdb, "-h", folder, "-U", "shelf", name], stderr=subprocess.DEVNULL, check=False)
        os.environ["PERFSHELF_STORE"] = url_of(data, folder)
    os.execv(program, [program, *arguments])


def main(suites):
    from postgres import Postgres, programs

    if not programs():
        print("SKIPPED: there is no PostgreSQL on this machine (package postgresql)")
        return 0
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        wrapper = os.path.join(folder, "perfshelf")
        server = Postgres(max_connections="200")
        program = os.path.abspath(os.environ.get("PERFSHELF", os.path.join(ROOT, "build", "perfshelf")))
        words = [sys.executable, os.path.abspath(__file__), "--as-program", os.path.join(server.bin, "createdb"), server.folder, program]
        with open(wrapper, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nexec {shlex.join(words)} \"$@\"\n")
        os.chmod(wrapper, 0o755)
        environment = dict(os.environ, PERFSHELF=wrapper, PERFSHELF_ON_POSTGRESQL=f"{server.bin}:{server.folder}")
        try:
            for suite in suites:
                folder_of, name = os.path.split(os.path.splitext(os.path.abspath(suite))[0])
                failed += subprocess.run([sys.executable, "-m", "unittest", name], cwd=folder_of, env=environment,
                                         check=False).returncode != 0
        finally:
            server.close()
    print(f"{len(suites) - failed} suites on PostgreSQL passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--as-program"]:
        become_program(*sys.argv[2:])
    sys.exit(main(sys.argv[1:]))
