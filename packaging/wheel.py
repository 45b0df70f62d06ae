#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the wheel: a zip file with the Python package, from which pip puts the program into the folder of scripts.

    wheel.py STAGE VERSION FOLDER ARCHITECTURE

ARCHITECTURE is x86_64 or aarch64. STAGE is where `cmake --install` put the files. The bytes depend on nothing but these and $SOURCE_DATE_EPOCH.
"""
import base64
import hashlib
import os
import sys
import time
import zipfile

TAG = "py3-none-manylinux_2_31_{architecture}"
DATE = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]

METADATA = """Metadata-Version: 2.1
Name: perfshelf
Version: {version}
Summary: A shelf for performance profiles
License: MIT
Platform: linux_{architecture}
Requires-Python: >=3.8
Classifier: Framework :: IPython
Classifier: Framework :: Pytest
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

{readme}"""

WHEEL = """Wheel-Version: 1.0
Generator: perfshelf
Root-Is-Purelib: false
Tag: {tag}
"""

# pytest loads the plugin, which does nothing without its options.
ENTRY_POINTS = """[pytest11]
perfshelf = perfshelf.pytest_plugin
"""
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGE = os.path.join(ROOT, "python", "perfshelf")


def files_in(folder):
    for path, folders, names in os.walk(folder):
        folders.sort()
        yield from (os.path.join(path, name) for name in sorted(names))


def read(path):
    with open(path, "rb") as file:
        return file.read()


def contents(stage, version, architecture):
    """(name in the wheel, bytes, mode) of each file but RECORD."""
    data, info = f"perfshelf-{version}.data", f"perfshelf-{version}.dist-info"
    doc = os.path.join(stage, "share/doc/perfshelf")
    for path in files_in(PACKAGE):
        if path.endswith((".py", "py.typed")):
            yield os.path.join("perfshelf", os.path.relpath(path, PACKAGE)), read(path), 0o644
    # For GitLab, whose `include` brings one file: python3 -m perfshelf.ci
    yield "perfshelf/ci.py", read(os.path.join(ROOT, "ci", "perfshelf_ci.py")), 0o644
    yield f"{data}/scripts/perfshelf", read(os.path.join(stage, "bin/perfshelf")), 0o755
    for path in files_in(os.path.join(stage, "share/man")):
        yield f"{data}/data/{os.path.relpath(path, stage)}", read(path), 0o644
    yield f"{info}/METADATA", METADATA.format(version=version, architecture=architecture, readme=read(f"{doc}/README.md").decode()).encode(), 0o644
    yield f"{info}/WHEEL", WHEEL.format(tag=TAG.format(architecture=architecture)).encode(), 0o644
    yield f"{info}/entry_points.txt", ENTRY_POINTS.encode(), 0o644
    for path in files_in(doc):
        name = os.path.relpath(path, doc)
        if name.startswith(("LICENSE", "SOURCES", "licences")):
            yield f"{info}/licenses/{name}", read(path), 0o644


def row(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def main(stage, version, folder, architecture):
    files = list(contents(stage, version, architecture))
    tag = TAG.format(architecture=architecture)
    record = f"perfshelf-{version}.dist-info/RECORD"
    rows = "".join(row(name, content) for name, content, _ in files) + f"{record},,\n"
    with zipfile.ZipFile(os.path.join(folder, f"perfshelf-{version}-{tag}.whl"), "w") as wheel:
        for name, content, mode in [*files, (record, rows.encode(), 0o644)]:
            entry = zipfile.ZipInfo(name, DATE)
            entry.external_attr = (0o100000 | mode) << 16
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)


if __name__ == "__main__":
    main(*sys.argv[1:])
