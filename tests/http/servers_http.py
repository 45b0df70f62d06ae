# SPDX-License-Identifier: MIT
"""Three servers on one PostgreSQL: the jobs of one are followed, listed and cancelled at the others, and what one does all tell their pages."""
import functools
import http.server
import json
import os
import signal
import subprocess
import threading
import time

from server import PROGRAM, RUNS, Events, big_log, file_part, form, import_log, slow_log
from servers import ServersTest
from long import long_test  # where server.py looks
from wait import wait_until

JOBS = "/api/v1/jobs"


@functools.cache
def log_of(rows):
    return big_log(rows)


def large(which, part=1):
    """Takes seconds; `part` of the largest, another one for each `which`."""
    return log_of(int(1000000 * part)) + big_log(1, which).split(b"\n", 1)[1]


class Balancer(http.server.ThreadingHTTPServer):
    """Puts each request to the next server."""
    daemon_threads = True

    def __init__(self, servers):
        super().__init__(("127.0.0.1", 0), Passing)
        self.servers, self.asked = servers, []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def end(self):
        self.shutdown()
        self.server_close()


class Passing(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_any(self):
        balancer = self.server
        balancer.asked.append(f"{self.command} {self.path}")
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        server = balancer.servers[len(balancer.asked) % len(balancer.servers)]
        answer = server.request(self.command, self.path, body, {"Content-Type": self.headers.get("Content-Type", "")})
        self.send_response(answer.status)
        for name in ("Content-Type", "Retry-After"):
            if answer.headers[name]:
                self.send_header(name, answer.headers[name])
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    do_GET = do_POST = do_PUT = do_DELETE = do_any

    def log_message(self, *_):
        pass


class Servers(ServersTest):
    names = "abc"

    def setUp(self):
        self.a, self.b, self.c = self.servers

    def post(self, server, content, **params):
        query = "&".join(f"{key}={value}" for key, value in params.items())
        answer = server.request("POST", f"{RUNS}?{query}", content)
        self.assertIn(answer.status, (200, 201, 202), answer.body)
        return answer.json

    def listen(self, server, path="/api/v1/events"):
        events = Events(server, path)
        self.addCleanup(events.close)
        return events

    # --- jobs

    def test_a_job_is_followed_anywhere(self):
        first = self.post(self.a, large(1, 0.2), name="followed")["job"]
        stream = self.listen(self.b, f"{JOBS}/{first['id']}/events")
        seen = self.job(first["id"], ("queued", "running", "done"), server=self.c)
        self.assertEqual({key: seen[key] for key in ("id", "name", "created_at")},
                         {key: first[key] for key in ("id", "name", "created_at")})
        self.assertTrue(stream.wait_end(60))
        states = [data["state"] for _, data in stream.seen]
        self.assertEqual(({data["id"] for _, data in stream.seen}, states[-1]), ({first["id"]}, "done"))
        self.assertEqual(states, sorted(states, key=("queued", "running", "done").index))
        ended = [self.job(first["id"], ("done",), server=server) for server in self.servers]
        self.assertEqual(ended[1:], ended[:1] * 2)
        for server in self.servers:
            self.assertEqual(server.request("GET", f"{RUNS}/{ended[0]['run']}").status, 200)
        late = self.listen(self.c, f"{JOBS}/{first['id']}/events")
        self.assertTrue(late.wait_end())
        self.assertEqual([data for _, data in late.seen], ended[:1])

    def test_a_job_is_known_everywhere_before_its_upload_is_answered(self):
        for i in range(10):
            job = self.post(self.servers[i % 3], import_log("import json"))["job"]
            answer = self.servers[(i + 1) % 3].request("GET", f"{JOBS}/{job['id']}")
            self.assertEqual((answer.status, answer.json["id"]), (200, job["id"]))
            listed = self.servers[(i + 2) % 3].request("GET", JOBS).json["rows"]
            self.assertIn(job["id"], [row["id"] for row in listed])

    def test_all_are_listed_in_the_order_they_were_asked_for(self):
        content = form(file_part(import_log("import wave"), "wave.log"), file_part(b"nothing", "bad.log"))
        ids = []
        for server in (self.b, self.a, self.c):
            answer = server.request("POST", RUNS, content[0], {"Content-Type": content[1]})
            ids += [job["id"] for job in answer.json["jobs"]]
        self.assertEqual(len(set(ids)), 6)
        ended = [self.job(job, ("done", "failed"), server=self.a) for job in ids]
        self.assertEqual([job["state"] for job in ended], ["done", "failed"] * 3)
        for server in self.servers:
            self.assertEqual([self.job(job, ("done", "failed"), server=server) for job in ids], ended)
            rows = server.request("GET", JOBS).json["rows"]
            self.assertEqual([row["id"] for row in rows if row["id"] in ids], ids[::-1])
            numbers = [int(row["id"][1:]) for row in rows]
            self.assertEqual(numbers, sorted(numbers, reverse=True))

    def test_anybody_cancels(self):
        """Both workers of A are busy: one of three jobs waits."""
        contents = [slow_log(n) for n in (5, 6, 7)]
        jobs = [self.post(self.a, content)["job"]["id"] for content in contents]
        stream = self.listen(self.b, f"{JOBS}/{jobs[0]}/events")
        self.job(jobs[0], ("running",), server=self.b)
        for server, job in ((self.c, jobs[2]), (self.b, jobs[0]), (self.b, jobs[1])):
            answer = server.request("DELETE", f"{JOBS}/{job}")
            self.assertEqual((answer.status, answer.json["id"]), (200, job))
        self.assertTrue(stream.wait_end())
        self.assertEqual(stream.seen[-1][1]["state"], "cancelled")
        for server in self.servers:
            for job in jobs:
                ended = self.job(job, ("cancelled",), 20, server=server)
                self.assertEqual(ended["error"]["code"], "cancelled")
        for server in self.servers:
            self.assertEqual([server.request("DELETE", f"{JOBS}/{job}").status for job in jobs], [409] * 3)
            self.assertEqual(server.request("DELETE", f"{JOBS}/j999999").status, 404)
            self.assertEqual(server.request("GET", f"{JOBS}/j999999").status, 404)

    @long_test
    def test_progress_is_seen_elsewhere(self):
        job = self.post(self.a, large(8))["job"]["id"]
        stream = self.listen(self.c, f"{JOBS}/{job}/events")
        self.assertTrue(stream.wait_end(120))
        done = [data["bytes_done"] for _, data in stream.seen]
        self.assertEqual((done, stream.seen[-1][1]["state"]), (sorted(done), "done"))
        self.assertTrue([data for _, data in stream.seen if data["state"] == "running" and 0 < data["bytes_done"] < done[-1]], stream.seen)

    @long_test
    def test_what_becomes_of_a_job_is_told_when_the_database_is_back(self):
        job = self.post(self.a, large(9))["job"]["id"]
        self.job(job, ("running",), server=self.b)
        self.postgres.stop()
        wait_until(lambda: self.a.request("GET", "/api/v1/shelf").json["store"]["away"], 60, "it has noticed")
        self.postgres.start()
        ended = self.job(job, ("done", "failed"), 120, server=self.a)
        self.assertEqual((ended["state"], ended["error"]), ("done", None))
        self.assertEqual(self.job(job, ("done", "failed"), server=self.b), ended)

    def test_jobs_outlive_their_server(self):
        gone = self.start("d")
        job = self.post(gone, import_log("import csv"))["job"]["id"]
        ended = self.job(job, ("done",), server=gone)
        self.assertEqual(gone.end()[0], 0)
        self.assertEqual(self.job(job, ("done",), server=self.b), ended)
        again = self.start("d")
        self.assertEqual(self.job(job, ("done",), server=again), ended)
        self.assertNotEqual(self.post(again, import_log("import csv"))["job"]["id"], job)
        self.assertEqual(again.end()[0], 0)

    @long_test
    def test_jobs_of_a_server_that_dies_go_on_under_their_number(self):
        dies = self.start("e")
        first = [self.post(dies, slow_log(20 + i), name=f"left{i}")["job"] for i in range(3)]
        streams = [self.listen(self.b, f"{JOBS}/{job['id']}/events") for job in first]
        died = time.monotonic()
        dies.process.kill()
        dies.process.communicate()
        for job, stream in zip(first, streams):
            self.assertTrue(stream.wait_end(60))
            ended = stream.seen[-1][1]
            self.assertEqual([ended[key] for key in ("id", "state", "created_at")], [job["id"], "done", job["created_at"]])
            for server in self.servers:
                self.assertEqual(server.request("GET", f"{RUNS}/{ended['run']}/imports").status, 200)
        print(f"three jobs of a server that was killed are done after {time.monotonic() - died:.1f} s")

    def test_the_end_of_an_upload_is_the_end_of_its_job(self):
        """A server is killed while the database refuses to note that the job is done: the next one goes on with the upload."""
        dies = self.start("k")
        with self.postgres.refusing(self.url, "job", "NEW.state = 'done'") as refused:
            job = self.post(dies, import_log("import colorsys"), name="colorsys")["job"]["id"]
            refused.wait()
            dies.process.kill()
            dies.process.communicate()
        ended = self.job(job, ("done",), server=self.b)
        self.assertEqual(ended["error"], None)
        self.assertEqual(self.b.request("GET", f"{RUNS}/{ended['run']}").json["name"], "colorsys")

    @long_test
    def test_a_server_that_is_paused_leaves_its_jobs_to_others(self):
        """For longer than its lease lasts, in the middle of imports, and goes on with them when others have them in hand."""
        paused = self.start("f")
        self.addCleanup(paused.end)
        jobs = [self.post(paused, large(40 + i, 0.5), name=f"paused{i}")["job"]["id"] for i in range(3)]
        self.job(jobs[0], ("running", "done"), server=self.b)
        paused.process.send_signal(signal.SIGSTOP)
        self.addCleanup(paused.process.send_signal, signal.SIGCONT)  # before it is to end
        places = "SELECT count(*) FROM server"
        wait_until(lambda: int(self.postgres.sql(self.url, places)) == 3, 60, "its lease has expired")
        paused.process.send_signal(signal.SIGCONT)
        ended = [self.job(job, server=self.b) for job in jobs]
        self.assertEqual([job["state"] for job in ended], ["done"] * 3, ended)
        for server in (paused, *self.servers):
            self.assertEqual([self.job(job, ("done",), server=server)["run"] for job in jobs], [job["run"] for job in ended])
            for job in ended:
                self.assertEqual(server.request("GET", f"{RUNS}/{job['run']}/imports?nodes=2").status, 200)
        left = ("SELECT (SELECT count(*) FROM upload) + (SELECT count(*) FROM doomed) + "
                "(SELECT count(*) FROM kept WHERE folder = 'spool')")
        wait_until(lambda: int(self.postgres.sql(self.url, left)) == 0, 60, "nothing is left of the uploads")
        names = self.postgres.sql(self.url, "SELECT name FROM run WHERE name LIKE 'paused%' ORDER BY name").split()
        self.assertEqual(names, ["paused0", "paused1", "paused2"])

    @long_test
    def test_a_client_need_not_know_that_they_are_many(self):
        path = os.path.join(self.folder, "behind.log")
        with open(path, "wb") as file:
            file.write(large(30))
        balancer = Balancer(self.servers)
        self.addCleanup(balancer.end)
        added = subprocess.run([PROGRAM, "add", path, "--json", "--server", f"http://127.0.0.1:{balancer.server_port}"], capture_output=True,
                               timeout=200)
        self.assertEqual((added.returncode, added.stderr), (0, b""), balancer.asked)
        asked = [line.split("/")[0] + line.split("/")[3][:4] for line in balancer.asked]
        self.assertGreater(asked.count("PUT uplo"), 3, balancer.asked)
        self.assertGreater(asked.count("GET jobs"), 3, balancer.asked)
        said = json.loads(added.stdout)
        self.assertEqual((said["already"], said["rows"]), (False, self.a.request("GET", f"{RUNS}/{said['id']}").json["rows"]))

    # --- what pages hear

    def all_hear(self, wanted, since):
        """How long after `since` the last of them did."""
        for events in self.streams:
            events.wait(wanted)
        return time.monotonic() - since

    def test_what_one_does_all_hear(self):
        self.streams = [self.listen(server) for server in self.servers]
        delays = []
        for i in range(12):
            server = self.servers[i % 3]
            run = self.post(server, import_log(f"x = {i}\nimport json"), name=f"n{i}", series="heard", wait=1)["id"]
            path, since = f"{RUNS}/{run}", time.monotonic()
            delays.append(self.all_hear(lambda name, data, i=i: name == "run" and data["name"] == f"n{i}", since))
            since = time.monotonic()
            body = json.dumps({"name": f"m{i}", "tags": {"k": str(i)}})
            self.assertEqual(self.servers[(i + 1) % 3].request("PATCH", path, body).status, 200)
            delays.append(self.all_hear(lambda name, data, i=i: name == "run" and (data["name"], data["tags"]) == (f"m{i}", {"k": str(i)}), since))
            since = time.monotonic()
            self.assertEqual(server.request("PUT", f"{path}/baseline").status, 200)
            delays.append(self.all_hear(lambda name, data, i=i: name == "run" and data["name"] == f"m{i}" and data["baseline"], since))
            since = time.monotonic()
            self.assertEqual(self.servers[(i + 2) % 3].request("DELETE", path).status, 204)
            delays.append(self.all_hear(lambda name, data, run=run: (name, data) == ("gone", {"id": run}), since))
        delays.sort()
        print(f"{len(delays)} changes are heard at three servers: median {delays[len(delays) // 2] * 1000:.0f} ms, "
              f"longest {delays[-1] * 1000:.0f} ms")

    def test_jobs_of_all_are_heard(self):
        self.streams = [self.listen(server) for server in self.servers]
        job = self.post(self.b, big_log(50000, seed=11))["job"]["id"]
        self.all_hear(lambda name, data: name == "job" and (data["id"], data["state"]) == (job, "done"), 0)
        for events in self.streams:
            told = [data["state"] for name, data in events.seen if name == "job" and data["id"] == job]
            self.assertEqual(told.count("done"), 1, told)

    def test_what_one_does_itself_it_tells_once(self):
        events = self.listen(self.a)
        run = self.post(self.a, import_log("import shelve"), wait=1)["id"]
        events.wait(lambda name, data: name == "run" and data["id"] == run)
        later = self.post(self.a, import_log("import colorsys, shelve"), wait=1)["id"]
        events.wait(lambda name, data: name == "run" and data["id"] == later)
        self.assertEqual([data["id"] for name, data in events.seen if name == "run"], [run, later])
