#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Packs a folder; the bytes depend on nothing but its files and $SOURCE_DATE_EPOCH.

    tarball.py FOLDER OUT.tar.gz [TOP]

TOP is the folder that the files are in when the archive is unpacked. Everything belongs to root.
"""
import gzip
import os
import sys
import tarfile

EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])


def paths_in(folder):
    for path, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted([*names, *folders]):
            yield os.path.join(path, name)


def normalise(member):
    member.uid = member.gid = 0
    member.uname = member.gname = "root"
    member.mtime = EPOCH
    member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
    return member


def pack(folder, out, top="."):
    with open(out, "wb") as file, gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=9, mtime=EPOCH) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for path in sorted(paths_in(folder)):
                archive.add(path, os.path.join(top, os.path.relpath(path, folder)), recursive=False, filter=normalise)


if __name__ == "__main__":
    pack(*sys.argv[1:])
