#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A PostgreSQL of Debian's package in a folder of its own, for tests: a socket in that folder, no port, no password.

As a program it serves test programs in C: it reads commands from stdin, a line each, answers each with a line, and ends, with all that it
started, when stdin ends. `database`: the URL of a new, empty one. `stop`, `start`, `kill`: the server, in good order or not.
"""
import glob
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from wait import wait_until

# Stops the server and deletes its folder once standard input ends: when the test closes it, and also when the test was killed.
CLEAN_UP = """
read -r _
server=$(sed -n 1p "$1/data/postmaster.pid" 2>/dev/null) && kill -CONT "$server" && kill -QUIT "$server"
while [ -n "$server" ] && [ "$(cat "/proc/$server/comm" 2>/dev/null)" = postgres ]; do sleep 0.05; done
rm -rf "$1"
"""

BUILD = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "build")
TUNING = {"listen_addresses": "''", "shared_buffers": "32MB", "max_connections": "60", "fsync": "off", "timezone": "UTC"}


def programs():
    """The folder of its programs, of the newest version; None where there is none."""
    found = glob.glob("/usr/lib/postgresql/*/bin/initdb")
    if found:
        return os.path.dirname(max(found, key=lambda path: int(path.split("/")[4])))
    path = shutil.which("initdb")
    return path and os.path.dirname(path)


needs_postgresql = unittest.skipUnless(programs(), "there is no PostgreSQL on this machine (package postgresql)")


class Postgres:
    def __init__(self, **tuning):
        self.bin, self.n, self.process = programs(), 0, None
        self.version = int(re.search(r"\d+", subprocess.run([os.path.join(self.bin, "postgres"), "--version"], capture_output=True, text=True,
                                                            check=True).stdout)[0])
        self.folder = tempfile.mkdtemp(prefix="ps-postgres-")
        self.data, self.log = os.path.join(self.folder, "data"), os.path.join(self.folder, "log")
        self.clean_up = subprocess.Popen(["sh", "-c", CLEAN_UP, "clean-up", self.folder], stdin=subprocess.PIPE, start_new_session=True)
        self.tuning = dict(TUNING, **tuning, unix_socket_directories=f"'{self.folder}'")
        if os.geteuid() == 0:  # which initdb refuses
            user = next(u for u in ("postgres", "nobody") if u in {p.pw_name for p in pwd.getpwall()})
            entry = pwd.getpwnam(user)
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
            os.chmod(self.folder, 0o755)
            self.as_user = ["setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups"]
        else:
            self.as_user = []
        self.make_data()
        self.start()

    def make_data(self):
        """A copy of what initdb made once, in build/: initdb takes longer than most tests."""
        made = os.path.join(BUILD, f"postgresql-{self.version}-{os.geteuid()}")
        if not os.path.isdir(made):
            self.run("initdb", "-D", self.data, "-U", "shelf", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--wal-segsize=4")
            if os.path.isdir(BUILD):
                part = tempfile.mkdtemp(prefix="postgresql-part-", dir=BUILD)
                subprocess.run(["cp", "-a", self.data, part], check=True)
                try:
                    os.rename(os.path.join(part, "data"), made)
                except OSError:  # another test was first
                    pass
                shutil.rmtree(part)
        else:
            subprocess.run(["cp", "-a", made, self.data], check=True)

    def run(self, program, *args):
        command = [*self.as_user, os.path.join(self.bin, program), *args]
        result = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if result.returncode:
            raise AssertionError(f"{program}: {result.stdout}")
        return result.stdout

    def start(self):
        settings = [f"-c{key}={value.strip(chr(39))}" for key, value in self.tuning.items()]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([*self.as_user, os.path.join(self.bin, "postgres"), "-D", self.data, *settings],
                                            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            start_new_session=True)
        wait_until(lambda: self.is_ready() or self.process.poll() is not None, 60, "PostgreSQL takes connections")
        if self.process.poll() is not None:
            with open(self.log, encoding="utf-8") as log:
                raise AssertionError(f"PostgreSQL does not start: {log.read()[-2000:]}")

    def is_ready(self):
        """Whether it takes connections: its state is a line of its file, which is of an earlier one until it has begun."""
        try:
            with open(os.path.join(self.data, "postmaster.pid"), encoding="utf-8") as file:
                lines = file.read().split("\n")
        except FileNotFoundError:
            return False
        return len(lines) > 7 and lines[0] == str(self.process.pid) and lines[7].strip() in ("ready", "standby")

    def stop(self, how=signal.SIGINT):
        """SIGINT: at once, in good order. SIGQUIT: as in a crash."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.wait(60)

    def freeze(self):
        """It says nothing more, and ends no connection, until what this returns, its processes, is thawed."""
        os.kill(self.process.pid, signal.SIGSTOP)  # it starts no more of them
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as children:
            pids = [int(pid) for pid in children.read().split()]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        return [self.process.pid, *pids]

    @staticmethod
    def thaw(pids):
        for pid in pids:
            os.kill(pid, signal.SIGCONT)

    def database(self):
        self.n += 1
        name = f"shelf{self.n}"
        strategy = ["-S", "file_copy"] if self.version >= 15 else []  # half the time of the other one
        self.run("createdb", "-h", self.folder, "-U", "shelf", *strategy, name)
        return f"postgresql:///{name}?host={self.folder}&user=shelf"

    def sql(self, url, statement):
        """What psql prints, a line a row, columns apart by |."""
        return self.run("psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-c", statement, url)

    def refusing(self, url, table, when):
        """For a while no row for which `when` holds can be written to the table; servers are told to try again."""
        return Refusal(self, url, table, when)

    def close(self):
        self.stop(signal.SIGQUIT)
        self.clean_up.stdin.close()
        self.clean_up.wait(300)  # deleting its files took more than a minute on a busy disk


class Refusal:
    def __init__(self, postgres, url, table, when):
        self.sql = lambda statement: postgres.sql(url, statement)
        self.table, self.when = table, when

    def __enter__(self):
        self.sql(f"""CREATE SEQUENCE refused;
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                PERFORM nextval('refused'); -- which no rollback takes back
                RAISE EXCEPTION 'not now' USING ERRCODE = 'lock_not_available';
            END $$;
            CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON {self.table} FOR EACH ROW WHEN ({self.when}) EXECUTE FUNCTION refuse()""")
        return self

    def wait(self, seconds=60):
        """Until a row was refused."""
        wait_until(lambda: self.sql("SELECT is_called FROM refused").strip() == "t", seconds, f"somebody writes to {self.table} where {self.when}")

    def __exit__(self, *_):
        self.sql("DROP FUNCTION refuse CASCADE; DROP SEQUENCE refused")


def main():
    if not programs():
        print("none", flush=True)
        return 0
    server = Postgres()
    try:
        print("ready", flush=True)
        for line in sys.stdin:
            word = line.strip()
            if word == "database":
                print(server.database(), flush=True)
                continue
            {"stop": server.stop, "start": server.start, "kill": lambda: server.stop(signal.SIGQUIT)}[word]()
            print("done", flush=True)
    finally:
        server.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
