#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes what a package has to say of the libraries inside its program: the licence of each, and where its source is from.

    licences.py ROOT FOLDER ARCHITECTURE

ROOT is the folder that libraries.sh has filled. FOLDER gets licences/ and SOURCES. ARCHITECTURE is
x86_64 or aarch64.
"""
import os
import shutil
import sys

import debian

SOURCES = """Libraries inside the program perfshelf

The program is linked statically with the libraries below, all but the C library. They are those of Debian: release, "deb" for
a library as Debian builds it and "dsc" for a source package, name, version, SHA-256 of the .deb or of the .dsc. Their licences
are in the folder licences. The licences of the page and of the engine of HTML exports are in licences.txt and in each export.

Some of the libraries (GnuTLS, GMP, Nettle, libmicrohttpd, libtasn1, libunistring) are under the GNU Lesser General Public
License: you may use the program with changed versions of them. The source of perfshelf has all that this needs. Change
packaging/pins.txt or packaging/libraries.sh, then run `./dev package`.

"""


def main(root, folder, architecture):
    licences = os.path.join(folder, "licences")
    shutil.rmtree(licences, ignore_errors=True)
    shutil.copytree(os.path.join(root, "licences"), licences)
    with open(os.path.join(folder, "SOURCES"), "w", encoding="utf-8") as file:
        file.write(SOURCES)
        file.writelines(" ".join(row) + "\n" for row in debian.pins_for(architecture))


if __name__ == "__main__":
    main(*sys.argv[1:])
