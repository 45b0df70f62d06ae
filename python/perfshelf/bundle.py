# SPDX-License-Identifier: MIT
"""Writes profiles with their labels and sources into a bundle, a file that `perfshelf add` reads."""
from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
from typing import BinaryIO, Dict, List, Mapping, NamedTuple, Optional, Sequence

#: The limits of the program for labels, in bytes, and for one bundle.
LABEL_MAX = 400
NOTE_MAX = 4000
TAGS_MAX = 64
RUNS_MAX = 1000


class Profile(NamedTuple):
    """A profile in a file, with what the shelf says about it."""

    path: str
    name: str
    series: str = ""
    tags: Mapping[str, object] = {}
    note: str = ""
    #: Text of source files, by their paths in the profile.
    sources: Mapping[str, bytes] = {}


def shorten(text: str, limit: int = LABEL_MAX) -> str:
    """The text as UTF-8 of at most `limit` bytes, on one line. A hash keeps shortened texts apart."""
    text = text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)
    content = text.encode("utf-8", "backslashreplace")
    if len(content) <= limit:
        return content.decode("utf-8")
    end = " " + hashlib.sha256(content).hexdigest()[:8]
    return content[: limit - len(end) - 3].decode("utf-8", "ignore") + "..." + end


def _readable(note: str) -> str:
    """The program refuses control characters other than line breaks and tabs."""
    text = "".join(c if c in "\n\t" or c.isprintable() else "?" for c in note.replace("\r\n", "\n"))
    return text[:NOTE_MAX].encode("utf-8", "replace").decode("utf-8")


def _sha256(path: str) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def _put(tar: tarfile.TarFile, name: str, size: int, file: BinaryIO) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = size
    tar.addfile(entry, file)


def write_bundle(path: str, profiles: Sequence[Profile]) -> Dict[str, int]:
    """Writes at most RUNS_MAX profiles. Returns the index of each profile by its sha256."""
    hashes = [_sha256(profile.path) for profile in profiles]
    rows: List[Dict[str, object]] = []
    for index, profile in enumerate(profiles):
        tags = [[shorten(str(key)), shorten(str(value))] for key, value in profile.tags.items() if str(key)]
        row: Dict[str, object] = {
            "file": "%d/%s" % (index, _member_name(profile.path)),
            "name": shorten(profile.name),
            "series": shorten(profile.series),
            "tags": tags[:TAGS_MAX],
            "sha256": hashes[index],
            "sources": [
                {"file": "%d/source%d.py" % (index, number), "path": source, "changed": False}
                for number, source in enumerate(profile.sources)
            ],
        }
        if profile.note:
            row["note"] = _readable(profile.note)
        rows.append(row)
    head = json.dumps({"format": 1, "perfshelf": "python", "runs": rows}, separators=(",", ":")).encode()
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
        _put(tar, "bundle.json", len(head), io.BytesIO(head))
        for index, profile in enumerate(profiles):
            with open(profile.path, "rb") as file:
                _put(tar, str(rows[index]["file"]), os.fstat(file.fileno()).st_size, file)
            for number, text in enumerate(profile.sources.values()):
                _put(tar, "%d/source%d.py" % (index, number), len(text), io.BytesIO(text))
    return {sha256: index for index, sha256 in enumerate(hashes)}


def _member_name(path: str) -> str:
    """A name that any tar reader accepts; the ending is kept, since it may decide how files are grouped."""
    ending: Optional[str] = os.path.basename(path).partition(".")[2]
    return "profile." + ending if ending and ending.isascii() else "profile"
