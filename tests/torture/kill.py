#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kill -9 at random moments of imports, uploads, edits and deletions. After each, verify must find nothing, what was
told as done must be there whole, and what was told as removed must be gone.

    tests/torture/kill.py [KILLS] [SEED]       prints a line a failure, and "N passed, N failed"
"""
import hashlib
import http.client
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "http"))
sys.dont_write_bytecode = True
from server import PROGRAM, RUNS, Server  # noqa: E402

GONE = (OSError, http.client.HTTPException, ValueError)  # what a client of a killed server sees
CLIENTS = 3
MOST_RUNS = 60  # beyond, deletions come more often
VIEW = "imports?limit=3"


class Client(threading.Thread):
    """Asks the server for one thing after the other until it does not answer any more."""

    def __init__(self, torture, server, seed):
        super().__init__(daemon=True)
        self.torture, self.server, self.random = torture, server, random.Random(seed)
        self.fault = None

    def run(self):
        try:
            while True:
                action = self.random.choices((self.upload, self.accept, self.remove, self.rename, self.again),
                                             (5, 4, 5 if len(self.torture.there) > MOST_RUNS else 2, 2, 1))[0]
                action()
        except GONE:
            pass
        except Exception as error:  # pylint: disable=broad-except
            self.fault = repr(error)

    def ask(self, method, path, body=None):
        return self.server.request(method, path, body)

    def upload(self):
        content = self.torture.content(self.random)
        answer = self.ask("POST", f"{RUNS}?wait=1&name=n", content)
        assert answer.status == 201, answer.body
        self.torture.published(answer.json["id"], content, "n")

    def accept(self):
        content = self.torture.content(self.random)
        name = hashlib.sha256(content).hexdigest()[:16]
        answer = self.ask("POST", f"{RUNS}?filename={name}", content)
        assert answer.status == 202, answer.body
        self.torture.accepted(name, content)

    def again(self):
        run = self.torture.take(self.random)
        if run:
            answer = self.ask("POST", f"{RUNS}?wait=1", self.torture.bytes_of(run))
            assert answer.status == 200 and answer.json["already"], answer.body
            self.torture.give(run)

    def remove(self):
        run = self.torture.take(self.random)
        if run:
            self.torture.doubtful(run)
            answer = self.ask("DELETE", f"{RUNS}/{run}")
            assert answer.status == 204, answer.body
            self.torture.removed(run)

    def rename(self):
        run = self.torture.take(self.random)
        if run:
            name = f"name {self.random.random()}"
            self.torture.names[run].add(name)
            answer = self.ask("PATCH", f"{RUNS}/{run}", json.dumps({"name": name, "tags": {"t": name}}))
            assert answer.status == 200, answer.body
            self.torture.names[run] = {name}
            self.torture.give(run)


class Torture:
    def __init__(self, folder, seed):
        self.folder, self.data = folder, os.path.join(folder, "shelf")
        self.random = random.Random(seed)
        self.lock = threading.Lock()
        self.there = {}     # id: bytes of what was told as published and is not being changed
        self.busy = {}      # the same, in the hands of one client
        self.names = {}     # id: what it may be called now
        self.waiting = {}   # filename: bytes that were accepted
        self.gone = set()   # ids told as removed
        self.faults = []
        self.number = 0
        self.resumed = self.given_up = 0

    # --- what was told ---

    def content(self, rng):
        with self.lock:
            self.number += 1
            number = self.number
        rows = rng.choice((3, 30, 300, 3000, 30000))
        head = "import time: self [us] | cumulative | imported package\n"
        return (head + "".join(f"import time: {i % 97:9} | {i % 97:10} | p{number}.m{i}\n" for i in range(rows))).encode()

    def published(self, run, content, name):
        with self.lock:
            self.there[run] = content
            self.names[run] = {name}

    def accepted(self, name, content):
        with self.lock:
            self.waiting[name] = content

    def take(self, rng):
        """A run for one client alone, or None."""
        with self.lock:
            if not self.there:
                return None
            run = rng.choice(sorted(self.there))
            self.busy[run] = self.there.pop(run)
            return run

    def bytes_of(self, run):
        return self.busy[run]

    def give(self, run):
        with self.lock:
            if run in self.busy:
                self.there[run] = self.busy.pop(run)

    def doubtful(self, run):
        """It may be there or not from now on."""
        with self.lock:
            self.busy.pop(run)

    def removed(self, run):
        with self.lock:
            self.gone.add(run)

    # --- one round ---

    def fault(self, text):
        self.faults.append(text)

    def verify(self):
        done = subprocess.run([PROGRAM, "verify", "--data", self.data], capture_output=True, text=True, timeout=120)
        if done.returncode != 0 or done.stderr:
            self.fault(f"verify: {done.returncode} {done.stdout}{done.stderr}")

    def settle(self):
        """What clients held when the server died is as it was told before."""
        for run in list(self.busy):
            self.give(run)

    def logged(self):
        with sqlite3.connect(os.path.join(self.data, "catalog.db")) as db:
            rows = db.execute("SELECT name, run, code, text FROM import_log").fetchall()
        db.close()
        return rows

    def check(self, server):
        """What the shelf holds, against what was told."""
        rows, offset = {}, 0
        while True:
            page = server.request("GET", f"{RUNS}?limit=200&offset={offset}").json
            rows.update((row["id"], row) for row in page["rows"])
            offset += 200
            if offset >= page["total"]:
                break
        for run in self.there:
            if run not in rows:
                self.fault(f"run {run} was told as published and is not there")
            elif rows[run]["name"] not in self.names[run]:
                self.fault(f"run {run} is called {rows[run]['name']}, not one of {self.names[run]}")
        for run in self.gone & set(rows):
            self.fault(f"run {run} was told as removed and is there")
        for name, content in list(self.waiting.items()):
            if hashlib.sha256(content).hexdigest()[:16] in rows:
                del self.waiting[name]
                self.resumed += 1
                self.published(hashlib.sha256(content).hexdigest()[:16], content, name)
        sample = self.random.sample(sorted(self.there), min(6, len(self.there)))
        for run in sample:
            self.check_run(server, run)

    def check_run(self, server, run):
        original = server.request("GET", f"{RUNS}/{run}/original")
        if original.status != 200 or original.body != self.there[run]:
            self.fault(f"run {run}: its original is not what was sent: {original.status}, {len(original.body)} bytes")
        view = server.request("GET", f"{RUNS}/{run}/{VIEW}")
        if view.status != 200 or not view.json["rows"]:
            self.fault(f"run {run}: its report does not answer: {view.status} {view.body[:200]}")

    def create(self):
        with subprocess.Popen([PROGRAM, "serve", "--data", self.data, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            process.terminate()

    def kill_server(self):
        server = Server(self.data)
        try:
            if self.random.random() < 0.7:  # else the moments right after the start, when uploads are taken up
                self.check(server)
            clients = [Client(self, server, self.random.random()) for _ in range(CLIENTS)]
            for client in clients:
                client.start()
            time.sleep(self.random.choice((0.02, 0.1, 0.4)) * self.random.random())
        finally:
            server.process.kill()
            server.process.communicate(timeout=30)
        for client in clients:
            client.join(30)
            if client.fault:
                self.fault(client.fault)

    def kill_add(self):
        paths, contents = [], {}
        for _ in range(4):
            content = self.content(self.random)
            contents[hashlib.sha256(content).hexdigest()[:16]] = content
            paths.append(os.path.join(self.folder, f"{len(paths)}.log"))
            with open(paths[-1], "wb") as file:
                file.write(content)
        said = self.kill_command("add", "--name", "added", "--json", *paths)
        for line in said:
            self.published(line["id"], contents[line["id"]], "added")

    def kill_rm(self):
        runs = [run for run in (self.take(self.random) for _ in range(3)) if run]
        for run in runs:
            self.doubtful(run)
        if runs:
            for line in self.kill_command("rm", "--json", *runs):
                self.removed(line["id"])

    def kill_command(self, verb, *args):
        """Its whole lines of JSON until it was killed."""
        process = subprocess.Popen([PROGRAM, verb, "--data", self.data, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.15 * self.random.random() ** 2)
        process.kill()
        said, wrong = process.communicate(timeout=30)
        if wrong:
            self.fault(f"{verb}: {wrong.decode()}")
        return [json.loads(line) for line in said.decode().split("\n")[:-1]]

    def end(self):
        """A last start, at which everything that was accepted must come to its end."""
        server = Server(self.data)
        until = time.monotonic() + 120
        while any(job["state"] in ("queued", "running") for job in server.request("GET", "/api/v1/jobs").json["rows"]):
            if time.monotonic() > until:
                self.fault("jobs do not end")
                break
            time.sleep(0.05)
        self.check(server)
        for run in sorted(self.there):
            self.check_run(server, run)
        code, said = server.end()
        if code != 0 or said:
            self.fault(f"the server ended with {code}: {said}")
        given_up = {name for name, _, code, text in self.logged() if code == "interrupted" and "2 times" in text}
        self.given_up = len(given_up & set(self.waiting))
        for name in set(self.waiting) - given_up:
            self.fault(f"upload {name} was accepted; it is neither a run nor reported")
        self.verify()
        left = os.listdir(os.path.join(self.data, "spool")) + os.listdir(os.path.join(self.data, "open"))
        if left:
            self.fault(f"left behind: {left}")


def main():
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    folder = tempfile.mkdtemp(prefix="perfshelf-torture-")
    torture, failed = Torture(folder, seed), 0
    began = time.monotonic()
    torture.create()
    for kill in range(kills + 1):
        torture.faults.clear()
        if kill == kills:
            torture.end()
        else:
            torture.random.choices((torture.kill_server, torture.kill_add, torture.kill_rm), (7, 2, 1))[0]()
            torture.settle()
            torture.verify()
        for fault in torture.faults:
            print(f"kill {kill}: {fault}", flush=True)
        failed += bool(torture.faults)
    print(f"{kills} kills in {time.monotonic() - began:.0f} s, seed {seed}: {torture.number} profiles sent, {len(torture.there)} runs there, "
          f"{len(torture.gone)} removed, {torture.resumed} of the accepted seen later as runs, {torture.given_up} given up and reported")
    if failed:
        print(f"the shelf stays in {folder}")
    else:
        shutil.rmtree(folder)
    print(f"{kills + 1 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
