#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Three servers of one shelf behind docker/haproxy.cfg, killed (kill -9) and started again at random, and their PostgreSQL restarted once, while
clients upload and read. What was told as taken must be on the shelf exactly once and answer as on a shelf of one folder; no row or
chunk may be left over; errors may only be seen around a kill or the restart, and each must go away when the request is repeated.

    tests/torture/scale.py [UPLOADS] [READS] [SEED]       prints what was seen, a line a failure, and "N passed, N failed"
"""
import collections
import hashlib
import http.client
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "http")]
sys.dont_write_bytecode = True
import balancer  # noqa: E402
from load import Profiles, report_paths  # noqa: E402
from ports import free_port  # noqa: E402
from postgres import Postgres, programs  # noqa: E402
from server import PROGRAM, RUNS, Server, big_log  # noqa: E402

UPLOADERS, READERS, SERVERS = 6, 4, 3
PATIENCE_S = 120    # of a client with one request
SETTLED_S = 1.5     # after a server or the database is there again, until the balancer has noticed
QUIET_S = (1, 3)    # with half of the work that is done until the next kill
BUSY_S = (0, 0.7)   # with the other half, then the kill
DOWN_S = (0.1, 1.5)
DEAD_S = 15         # after which one that died is known to be dead
PER_KILL = 10       # uploads
# What one says that starts meanwhile.
AWAY = "perfshelf: warning: cannot reach the store: cached files are served, and changes fail until it is back\n"
GONE = (OSError, http.client.HTTPException)


class Refused(Exception):
    """An answer that no repetition would better."""


# --- what clients see -------------------------------------------------------------------------------------------------


class Seen:
    """What was told to clients, and what went wrong for them and when."""

    def __init__(self):
        self.lock = threading.Condition()
        self.runs = {}       # id -> (name, bytes)
        self.begun = set()   # ids of uploads in pieces
        self.sent = self.uploaded = self.read = self.given_up = 0
        self.may_send = self.may_read = 0
        self.errors = []     # (time, kind)
        self.faults = []

    def fault(self, text):
        with self.lock:
            self.faults.append(text)

    def error(self, kind):
        with self.lock:
            self.errors.append((time.monotonic(), kind))

    def told(self, run, name, content):
        with self.lock:
            if self.runs.setdefault(run, (name, content))[1] != content:
                self.faults.append(f"{name} and {self.runs[run][0]} are both told to be {run}")
            self.uploaded += 1

    def let_go(self, uploads, reads):
        with self.lock:
            self.may_send, self.may_read = uploads, reads
            self.lock.notify_all()


class Client:
    """Asks the balancer, again and again where it is told to; a connection of its own."""

    def __init__(self, seen, front):
        self.seen, self.front, self.link = seen, front, front.connect(PATIENCE_S)

    def once(self, method, path, body, headers):
        """(status, body), or why there is none."""
        try:
            self.link.request(method, path, body, headers)
            answer = self.link.getresponse()
            return answer.status, answer.read()
        except GONE as fault:
            self.link.close()
            return type(fault).__name__, b""

    def ask(self, method, path, body=None, wanted=(200,), **headers):
        """The body of an answer with one of these statuses. Asks again as long as that is the thing to do."""
        until, pause = time.monotonic() + PATIENCE_S, 0.05
        while True:
            status, text = self.once(method, path, body, headers)
            if status in wanted:
                return status, text
            if isinstance(status, int) and status not in (502, 503, 504):
                raise Refused(f"{method} {path}: {status} {text[:300]!r}")
            if status == 503 and text.startswith(b"{"):
                status = f"503 {json.loads(text)['error']['code']}"
            elif isinstance(status, int):
                status = f"{status} of the balancer"
            self.seen.error(f"{method}: {status}")
            if time.monotonic() > until:
                raise Refused(f"{method} {path}: {status} for {PATIENCE_S} s")
            time.sleep(pause)
            pause = min(1, pause * 2)


class Uploader(threading.Thread):
    """Takes one profile after the other from a list, each with a way to send it."""

    def __init__(self, seen, front, work, seed):
        super().__init__(daemon=True)
        self.seen, self.client, self.work, self.random = seen, Client(seen, front), work, random.Random(seed)

    def next(self):
        with self.seen.lock:
            self.seen.lock.wait_for(lambda: not self.work or self.seen.sent < self.seen.may_send)
            if not self.work:
                self.seen.lock.notify_all()
                return None
            self.seen.sent += 1
            return self.work.pop()

    def run(self):
        while work := self.next():
            name, content, way = work
            try:
                self.seen.told(getattr(self, way)(name, content), name, content)
            except (Refused, KeyError, ValueError) as fault:
                self.seen.fault(f"{way} of {name}: {fault}")

    def waits(self, name, content):
        query = urllib.parse.urlencode({"name": name, "wait": 1})
        return json.loads(self.client.ask("POST", f"{RUNS}?{query}", content, (200, 201))[1])["id"]

    def polls(self, name, content):
        while True:
            query = urllib.parse.urlencode({"name": name})
            job = json.loads(self.client.ask("POST", f"{RUNS}?{query}", content, (202,))[1])["job"]
            until = time.monotonic() + PATIENCE_S
            while job["state"] in ("queued", "running") and time.monotonic() < until:
                time.sleep(0.05)
                job = json.loads(self.client.ask("GET", f"/api/v1/jobs/{job['id']}")[1])
            if job["state"] == "done":
                return job["run"]
            if job["state"] != "failed" or job["error"]["code"] != "interrupted":
                raise Refused(f"the job ends as {job}")
            with self.seen.lock:
                self.seen.given_up += 1

    def pieces(self, name, content):
        query = urllib.parse.urlencode({"name": name, "wait": 1, "bytes": len(content)})
        while True:
            upload = json.loads(self.client.ask("POST", "/api/v1/uploads", b"", (201,))[1])["id"]
            with self.seen.lock:
                self.seen.begun.add(upload)
            have = 0
            while have < len(content):
                piece = content[have:have + self.random.randrange(1, len(content))]
                status, text = self.client.ask("PUT", f"/api/v1/uploads/{upload}?offset={have}", piece, (200, 409))
                if status == 409:  # the answer to the last piece was lost, not the piece
                    text = self.client.ask("GET", f"/api/v1/uploads/{upload}")[1]
                have = json.loads(text)["bytes"]
            before = len(self.seen.errors)
            status, text = self.client.ask("POST", f"/api/v1/uploads/{upload}/end?{query}", b"", (200, 201, 404))
            if status != 404:
                return json.loads(text)["id"]
            if before == len(self.seen.errors):
                raise Refused(f"the upload in pieces is gone: {text[:300]!r}")


class Reader(threading.Thread):
    """Reads what is there."""

    def __init__(self, seen, front, reads, seed):
        super().__init__(daemon=True)
        self.seen, self.client, self.reads, self.random = seen, Client(seen, front), reads, random.Random(seed)

    def next(self):
        """Of the runs that were told one to read; None when enough was read."""
        with self.seen.lock:
            self.seen.lock.wait_for(lambda: self.seen.read < self.seen.may_read and self.seen.runs or self.seen.read >= self.reads)
            if self.seen.read >= self.reads:
                return None
            self.seen.read += 1
            return self.random.choice(list(self.seen.runs))

    def run(self):
        while run := self.next():
            try:
                self.random.choices((self.page, self.shelf, self.report, self.original), (1, 3, 5, 2))[0](run)
            except (Refused, KeyError, ValueError) as fault:
                self.seen.fault(str(fault))
            time.sleep(self.random.uniform(0, 0.05))

    def page(self, _run):
        self.client.ask("GET", "/")

    def shelf(self, _run):
        self.client.ask("GET", self.random.choice((f"{RUNS}?limit=50", "/api/v1/shelf", "/api/v1/jobs")))

    def report(self, run):
        shown = json.loads(self.client.ask("GET", f"{RUNS}/{run}")[1])
        self.client.ask("GET", self.random.choice(report_paths([shown]) + [f"{RUNS}/{run}/notes"]))

    def original(self, run):
        if self.client.ask("GET", f"{RUNS}/{run}/original")[1] != self.seen.runs[run][1]:
            self.seen.fault(f"the original of {run} is not what was sent")


# --- what goes wrong --------------------------------------------------------------------------------------------------


class Chaos(threading.Thread):
    """Kills servers and starts them again; restarts the database when half of the uploads are through."""

    def __init__(self, torture, seed):
        super().__init__(daemon=True)
        self.torture, self.random = torture, random.Random(seed)
        self.windows = []  # (from, to, "kill" or "restart")
        self.kills = 0
        self.restart_s = 0

    def run(self):
        torture = self.torture
        steps = max(3, torture.uploads // PER_KILL)
        try:
            for step in range(1, steps + 1):
                time.sleep(SETTLED_S)
                for done, least_most in ((2 * step - 1, QUIET_S), (2 * step, BUSY_S)):
                    torture.seen.let_go(torture.uploads * done // steps // 2, torture.reads * done // steps // 2)
                    time.sleep(self.random.uniform(*least_most))
                self.window(*(("restart", self.restart) if step == (steps + 1) // 2 else ("kill", self.kill)))
        except Exception as fault:  # pylint: disable=broad-except
            torture.seen.fault(f"cannot go on killing: {fault!r}")
            torture.seen.let_go(torture.uploads, torture.reads)

    def window(self, kind, act):
        began = time.monotonic()
        act()
        self.windows.append((began, time.monotonic() + SETTLED_S, kind))

    def kill(self):
        victims = self.random.sample(range(SERVERS), self.random.choice((1, 1, 1, 2)))
        for n in victims:
            self.torture.servers[n].process.kill()
            self.torture.servers[n].process.communicate(timeout=30)
            self.kills += 1
        for n in victims:
            time.sleep(self.random.uniform(*DOWN_S))
            self.torture.start(n)

    def restart(self):
        """A server dies meanwhile, too, and starts with what it has fetched by then."""
        began = time.monotonic()
        self.torture.postgres.stop(signal.SIGINT)
        self.kill()
        self.torture.postgres.start()
        self.restart_s = time.monotonic() - began

    def kind_at(self, moment):
        return next((kind for begin, end, kind in self.windows if begin <= moment <= end), None)


class Torture:
    def __init__(self, folder, uploads, reads, seed):
        self.folder, self.uploads, self.reads = folder, uploads, reads
        self.random, self.seen = random.Random(seed), Seen()
        self.postgres = Postgres(max_connections="100")
        self.url = self.postgres.database()
        self.ports = [free_port() for _ in range(SERVERS)]
        self.servers = [None] * SERVERS
        for n in range(SERVERS):
            self.start(n)
        self.front = balancer.Balancer(folder, [f"127.0.0.1:{port}" for port in self.ports])
        self.chaos = Chaos(self, self.random.random())

    def start(self, n):
        self.servers[n] = Server(os.path.join(self.folder, str(n)), "--store", self.url, listen=f"127.0.0.1:{self.ports[n]}")

    def work(self):
        """Profiles of all kinds and large ones, each tenth twice, and how each is sent."""
        profiles, work = Profiles(), []
        while len(work) < self.uploads:
            i, content = profiles.next()
            if self.random.random() < 0.3:
                content = big_log(self.random.choice((3000, 30000)), i)
            ways = [self.random.choices(("waits", "polls", "pieces"), (4, 4, 2))[0] for _ in range(2 if self.random.random() < 0.1 else 1)]
            work += [(f"profile {i}", content, way) for way in ways]
        return work[:self.uploads]

    def go(self):
        work = self.work()
        clients = [Uploader(self.seen, self.front, work, self.random.random()) for _ in range(UPLOADERS)]
        clients += [Reader(self.seen, self.front, self.reads, self.random.random()) for _ in range(READERS)]
        for thread in [*clients, self.chaos]:
            thread.start()
        for thread in [*clients, self.chaos]:
            thread.join()

    # --- what must hold ---

    def check_errors(self):
        """How many of which kind, when; those of a quiet moment are faults."""
        when = collections.Counter((kind, self.chaos.kind_at(moment)) for moment, kind in self.seen.errors)
        for (kind, window), n in sorted(when.items(), key=str):
            print(f"   {n:5} {kind}: {'while a server was away' if window == 'kill' else 'while the database was' if window else 'AT A QUIET MOMENT'}")
            if not window:
                self.seen.fault(f"{n} times {kind} while nothing was restarted")

    def uploads_in_pieces(self):
        """The ids in the store: those that clients know, and those that nobody knows. If a server is killed before it sends the id of
        a new upload, the client begins another one, and the first one stays empty. It is removed after a day: pieces_test.c tests this."""
        ids = set(self.sql("SELECT id FROM partial").split())
        return ids & self.seen.begun, ids - self.seen.begun

    def rest(self):
        """Waits until no server has anything in hand."""
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            if self.sql("SELECT count(*) FROM upload") == "0" and not self.uploads_in_pieces()[0] and not any(
                    job["state"] in ("queued", "running") for server in self.servers for job in server.request("GET", "/api/v1/jobs").json["rows"]):
                return
            time.sleep(0.2)
        self.seen.fault("uploads wait, and nobody imports them")

    def sql(self, statement):
        return self.postgres.sql(self.url, statement).strip()

    def check_runs(self):
        """Each server lists every run that was told once, and no other; they answer as those of a folder do."""
        for server in self.servers:
            rows, total = [], None
            while total is None or len(rows) < total:
                page = server.request("GET", f"{RUNS}?limit=500&offset={len(rows)}").json
                rows, total = rows + [row["id"] for row in page["rows"]], page["total"]
            if sorted(rows) != sorted(self.seen.runs):
                self.seen.fault(f"runs that were told and are not listed: {set(self.seen.runs) - set(rows)}; nobody was told of "
                                f"{set(rows) - set(self.seen.runs)}; twice: {len(rows) - len(set(rows))}")
        files = os.path.join(self.folder, "files")
        os.mkdir(files)
        for run, (name, content) in self.seen.runs.items():
            with open(os.path.join(files, run), "wb") as file:
                file.write(content)
        data = os.path.join(self.folder, "alone")
        subprocess.run([PROGRAM, "add", "--data", data, files], check=True, capture_output=True, timeout=600)
        alone = Server(data)
        for run in self.seen.runs:
            self.check_run(run, alone, self.random.choice(self.servers))
        alone.end()

    def check_run(self, run, alone, server):
        shown = alone.request("GET", f"{RUNS}/{run}").json
        for path in [*report_paths([shown]), f"{RUNS}/{run}/notes", f"{RUNS}/{run}/original"]:
            wanted, found = alone.request("GET", path), server.request("GET", path)
            if (found.status, found.body) != (200, wanted.body):
                self.seen.fault(f"{path}: {found.status} {found.body[:200]!r}, of a folder {wanted.body[:200]!r}")
        here = server.request("GET", f"{RUNS}/{run}").json
        for field in ("sha256", "kind", "rows", "bytes", "headline"):
            if here[field] != shown[field]:
                self.seen.fault(f"run {run}: {field} is {here[field]}, of a folder {shown[field]}")
        if here["name"] != self.seen.runs[run][0]:
            self.seen.fault(f"run {run} is called {here['name']}, not {self.seen.runs[run][0]}")

    NOTHING = {  # what no row may be, once all servers have ended
        "runs without their file": "SELECT id FROM run WHERE NOT EXISTS (SELECT 1 FROM kept WHERE folder = 'runs' AND key = id)",
        "runs without their original": "SELECT id FROM run WHERE NOT EXISTS (SELECT 1 FROM kept WHERE folder = 'originals' AND key = sha256)",
        "files of no run": "SELECT folder, key FROM kept WHERE NOT (folder = 'runs' AND key IN (SELECT id FROM run) "
                           "OR folder = 'originals' AND key IN (SELECT sha256 FROM run) OR folder = 'sources' AND key IN (SELECT sha256 FROM source))",
        "files without bytes": "SELECT folder, key FROM kept WHERE NOT EXISTS (SELECT 1 FROM blob WHERE blob.hash = kept.hash AND blob.bytes = kept.bytes)",
        "bytes of no file": "SELECT hash FROM blob WHERE hash NOT IN (SELECT hash FROM kept)",
        "chunks of no bytes": "SELECT DISTINCT place FROM chunk WHERE place NOT IN (SELECT place FROM blob)",
        "loose bytes": "SELECT place FROM loose",
        "doomed files": "SELECT owner, folder, key FROM doomed",
        "uploads": "SELECT id FROM upload",
        "uploads in pieces with bytes": "SELECT id FROM partial WHERE bytes > 0",
        "removals": "SELECT upload, run FROM removed_since",
        "servers": "SELECT session FROM server",
        "jobs that have not ended": "SELECT id FROM job WHERE state IN ('queued', 'running')",
    }

    def check_store(self):
        for what, statement in self.NOTHING.items():
            rows = self.sql(statement).split()
            if rows:
                self.seen.fault(f"left in the store: {len(rows)} {what}, such as {rows[:3]}")
        known, unknown = self.uploads_in_pieces()
        posts = sum(kind.startswith("POST") for _, kind in self.seen.errors)
        if known or len(unknown) > posts:
            self.seen.fault(f"left in the store: uploads in pieces {sorted(known)}, and {len(unknown)} whose id no client got, after {posts} POST requests that failed")
        for row in self.sql("SELECT hash, place FROM blob").split():
            wanted, place = row.split("|")
            chunks = self.sql(f"SELECT encode(data, 'hex') FROM chunk WHERE place = '{place}' ORDER BY n")
            if hashlib.blake2b(bytes.fromhex(chunks), digest_size=32).hexdigest() != wanted:
                self.seen.fault(f"the bytes of {wanted} in the store are others")

    def check(self):
        self.rest()
        self.check_runs()
        for server in self.servers:
            code, said = server.end()
            if code != 0 or said not in ("", AWAY):
                self.seen.fault(f"a server ended with {code}: {said}")
        self.start(0)  # sweeps what the dead ones left
        time.sleep(DEAD_S)
        self.servers[0].end()
        self.check_store()
        done = subprocess.run([PROGRAM, "verify", "--data", os.path.join(self.folder, "0"), "--store", self.url], capture_output=True, text=True, timeout=600)
        if done.returncode != 0 or done.stderr:
            self.seen.fault(f"verify: {done.returncode} {done.stdout}{done.stderr}")
        self.check_errors()

    def report(self, seconds):
        windows = sum(min(end, after) - begin for (begin, end, _), after in
                      zip(self.chaos.windows, [begin for begin, _, _ in self.chaos.windows[1:]] + [float("inf")]))
        taken_up = self.sql("SELECT count(*) FROM import_log WHERE code = 'interrupted'")
        print(f"{self.seen.uploaded} uploads ({len(self.seen.runs)} runs) and {min(self.seen.read, self.reads)} reads in {seconds:.0f} s; {self.chaos.kills} kills, a restart of "
              f"PostgreSQL ({self.chaos.restart_s:.1f} s); {taken_up} imports taken up by others, {self.seen.given_up} reported as interrupted and sent again; "
              f"{len(self.seen.errors)} errors, all within the {windows:.0f} s in which a server or the database was away")

    def close(self):
        self.front.close()
        for server in self.servers:
            if server and server.process.poll() is None:
                server.process.kill()
                server.process.communicate(timeout=30)
        self.postgres.close()


def main():
    uploads, reads, seed = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((1, 200), (2, 2000), (3, 1)))
    missing = [name for name, there in (("postgresql", programs()), ("haproxy", balancer.program())) if not there]
    if missing:
        print(f"SKIPPED: not on this machine: {', '.join(missing)}")
        return 0
    folder = tempfile.mkdtemp(prefix="perfshelf-scale-")
    torture = Torture(folder, uploads, reads, seed)
    try:
        began = time.monotonic()
        torture.go()
        seconds = time.monotonic() - began
        torture.check()
        torture.report(seconds)
    finally:
        torture.close()
    for fault in torture.seen.faults:
        print(f"FAULT: {fault}"[:1000])
    shutil.rmtree(folder)
    print(f"{0 if torture.seen.faults else 1} passed, {1 if torture.seen.faults else 0} failed")
    return 1 if torture.seen.faults else 0


if __name__ == "__main__":
    sys.exit(main())
