#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the sample profiles of samples.tsv as a C table, struct ps_sample of server/jobs/samples.h.

    embed.py OUT.c

The names, series and tags are those of shelf.tsv. Files that are not compressed yet are compressed beside OUT.c, always to the
same bytes. tests/cli/demo_cli.py compares the kinds and headlines of samples.tsv with those of the imported runs.
"""
import csv
import gzip
import hashlib
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
TAG = ("sample", "yes")

HEAD = """/* Written by demo/embed.py. */
#include "server/jobs/samples.h"

#define EMBED(name, file)                                                       \\
    __asm__(".section .rodata\\n.global ps_sample_" name "\\nps_sample_" name ":\\n" \\
            ".incbin \\"" file "\\"\\n.global ps_sample_" name "_end\\nps_sample_" name "_end:\\n" \\
            ".byte 0\\n.previous\\n")

"""


def table(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def c_string(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def embedded_file(path, number, out):
    """The path of the bytes to embed, and whether they were compressed for that."""
    if path.endswith(".gz"):
        return path, False
    packed = os.path.join(os.path.dirname(out), f"sample_{number}.gz")
    with open(path, "rb") as file, open(packed, "wb") as to:
        to.write(gzip.compress(file.read(), 9, mtime=0))
    return packed, True


def main():
    out = os.path.abspath(sys.argv[1])
    os.makedirs(os.path.dirname(out), exist_ok=True)
    labels = {row["file"]: row for row in table("shelf.tsv")}
    files, rows = [], []
    for number, sample in enumerate(table("samples.tsv")):
        path = os.path.join(FOLDER, "profiles", sample["file"])
        label = labels[sample["file"]]
        tags = [tag.split("=", 1) for tag in label["tags"].split()] + [TAG]
        with open(path, "rb") as file:
            content = file.read()
        embedded, is_compressed = embedded_file(path, number, out)
        quoted = embedded.replace("\\", "\\\\").replace('"', '\\"')
        files.append(f'EMBED("{number}", "{quoted}");\nextern const unsigned char ps_sample_{number}[], ps_sample_{number}_end[];\n'
                     f"static const struct ps_tag tags_{number}[] = {{"
                     + ", ".join(f"{{{c_string(key)}, {c_string(value)}}}" for key, value in tags) + "};\n")
        texts = [sample["file"], label["name"], "" if label["series"] == "-" else label["series"], sample["shows"], sample["kind"],
                 sample["unit"], sample["label"], hashlib.sha256(content).hexdigest()]
        rows.append(f"    {{{', '.join(map(c_string, texts))}, {float(sample['value'])!r}, tags_{number}, {len(tags)}, ps_sample_{number}, "
                    f"ps_sample_{number}_end, {len(content)}, {'true' if is_compressed else 'false'}}},\n")
    with open(out, "w", encoding="utf-8") as file:
        file.write(HEAD)
        file.writelines(files)
        file.write(f"\nconst char *const ps_sample_tag = {c_string(TAG[0])};\nconst struct ps_sample ps_samples[] = {{\n")
        file.writelines(rows)
        file.write("};\nconst size_t ps_samples_count = sizeof ps_samples / sizeof *ps_samples;\n")


if __name__ == "__main__":
    main()
