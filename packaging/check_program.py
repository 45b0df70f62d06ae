#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fails if a program is for another processor, needs more than the C library of Debian 11, or names the folder that it was built in.

    check_program.py PROGRAM FOLDER ARCHITECTURE
"""
import os
import re
import subprocess
import sys

C_LIBRARY = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1"}
LOADER = {"x86_64": "/lib64/ld-linux-x86-64.so.2", "aarch64": "/lib/ld-linux-aarch64.so.1"}
GLIBC = (2, 31)


def readelf(*arguments):
    return subprocess.run(["readelf", "--wide", *arguments], capture_output=True, text=True, check=True).stdout


def faults(program, folder, architecture):
    loader = re.search(r"program interpreter: (.+)\]", readelf("--program-headers", program))
    if not loader or loader[1] != LOADER[architecture]:
        yield f"has the loader {loader[1] if loader else '(none)'}; a program for {architecture} has {LOADER[architecture]}"
    needed = set(re.findall(r"\(NEEDED\).*\[(.+)\]", readelf("--dynamic", program)))
    for name in sorted(needed - C_LIBRARY - {os.path.basename(LOADER[architecture])}):
        yield f"needs {name}, which is not part of the C library"
    versions = {tuple(map(int, text.split("."))) for text in re.findall(r"GLIBC_(\d+(?:\.\d+)+)", readelf("--version-info", program))}
    for version in sorted(version for version in versions if version > GLIBC):
        yield f"needs glibc {'.'.join(map(str, version))}; Debian 11 has {'.'.join(map(str, GLIBC))}"
    with open(program, "rb") as file:
        if os.path.abspath(folder).encode() in file.read():
            yield f"contains the path {os.path.abspath(folder)}, so that builds elsewhere differ"
    print(f"   {os.path.getsize(program)} bytes; needs {' '.join(sorted(needed))}, glibc {'.'.join(map(str, max(versions)))}")


def main(program, folder, architecture):
    found = list(faults(program, folder, architecture))
    for text in found:
        print(f"check_program.py: {program} {text}", file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
