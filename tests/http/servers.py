# SPDX-License-Identifier: MIT
"""Several servers that share one PostgreSQL."""
import os
import shutil
import subprocess
import tempfile

from server import PROGRAM, Server, ServerTest
from postgres import Postgres, needs_postgresql  # where server.py looks


@needs_postgresql
class ServersTest(ServerTest):
    """They, and their PostgreSQL, for all tests of a class. Each has the folder of its name."""
    names = "ab"
    tuning = {}

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="perfshelf-servers-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)  # not tearDownClass: also when one of the next fails
        cls.postgres = Postgres(**cls.tuning)
        cls.addClassCleanup(cls.postgres.close)
        cls.url = cls.postgres.database()
        cls.servers = []
        cls.addClassCleanup(cls.end_all)
        for name in cls.names:
            cls.servers.append(cls.start(name))
        cls.server, cls.other = cls.servers[:2]

    @classmethod
    def start(cls, name, *options):
        return Server(os.path.join(cls.folder, name), "--store", cls.url, *cls.args, *options)

    @classmethod
    def tearDownClass(cls):
        pass  # end_all does it

    @classmethod
    def end_all(cls):
        ends = [server.end() for server in cls.servers]
        if any(code != 0 for code, _ in ends):
            raise AssertionError(f"a server ended with {ends}")

    def verb(self, *args, data="a", **options):
        return subprocess.run([PROGRAM, *args, "--data", os.path.join(self.folder, data)], capture_output=True, timeout=60,
                              check=False, **options)
