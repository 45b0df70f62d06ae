# SPDX-License-Identifier: MIT
"""Libraries that are loaded when they are first used: a command that uses none of them does not need them, and a command that does says which one is missing."""
import os
import re
import unittest

from program import ROOT, ShelfTest, call

MADE_HERE = os.path.join(ROOT, "build", "CMakeCache.txt")


def loads_at_use():
    try:
        with open(MADE_HERE, encoding="utf-8") as file:
            return "PERFSHELF_LOAD_AT_USE:BOOL=ON" in file.read()
    except OSError:
        return False


@unittest.skipUnless(loads_at_use(), "the build here loads its libraries at each start")
class Libraries(ShelfTest):
    def setUp(self):
        super().setUp()
        for name in ("libpq.so.5", "libcurl.so.4", "libcurl-gnutls.so.4", "libmicrohttpd.so.12"):
            self.file(f"lib/{name}", b"")  # the loader takes these first, and they are no libraries
        self.environment = {**os.environ, "LD_LIBRARY_PATH": os.path.join(self.folder, "lib")}

    def lacks(self, library, package, *args):
        done = call(*args, env=self.environment)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr.decode(), rf"^perfshelf: .*cannot load a library: .*/{re.escape(library)}[^;]*: .*; on Debian, install the package {package}\n$")

    def test_most_commands_need_none(self):
        self.ok("add", self.dump, env=self.environment)
        self.ok("show", "@1", env=self.environment)
        self.ok("list", env=self.environment)

    def test_a_shelf_in_postgresql(self):
        self.lacks("libpq.so", "libpq5", "list", "--store", "postgresql://h/d")

    def test_a_shelf_of_a_server(self):
        self.lacks("libcurl", "libcurl3-gnutls", "list", "--server", "http://127.0.0.1:1")

    def test_a_server(self):
        self.lacks("libmicrohttpd.so", "libmicrohttpd12", "serve", "--data", self.data, "--listen", "127.0.0.1:0")


if __name__ == "__main__":
    unittest.main()
