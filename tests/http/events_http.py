# SPDX-License-Identifier: MIT
"""Event streams."""
import os
import subprocess
import time

from server import RUNS, Events, Server, ServerTest, big_log, cpu_ticks, dump, import_log
from wait import wait_until  # where server.py looks


class Streams(ServerTest):
    def setUp(self):
        self.events = Events(self.server)
        self.addCleanup(self.events.close)
        self.assertEqual((self.events.reply.status, self.events.reply.headers["Content-Type"]), (200, "text/event-stream"))

    def test_a_run_from_upload_to_removal(self):
        run = self.add(import_log("import shelve"), name="seen")
        job = self.events.wait(lambda name, data: name == "job" and data["state"] == "done" and data["run"] == run["id"])
        states = [data["state"] for name, data in self.events.seen if name == "job" and data["id"] == job["id"]]
        self.assertEqual([states[0], states[-1]], ["queued", "done"])
        shown = self.events.wait(lambda name, data: name == "run" and data["id"] == run["id"])
        self.assertEqual(dict(shown, already=False), run)
        self.request("PATCH", f"{RUNS}/{run['id']}", '{"name":"renamed"}')
        self.events.wait(lambda name, data: name == "run" and data["name"] == "renamed")
        self.request("DELETE", f"{RUNS}/{run['id']}")
        self.events.wait(lambda name, data: name == "gone" and data == {"id": run["id"]})

    def test_another_process_adds(self):
        path = os.path.join(self.folder, "x.prof")
        with open(path, "wb") as file:
            file.write(dump())
        subprocess.run([self.server.process.args[0], "add", "--data", self.data, path], check=True, capture_output=True)
        self.events.wait(lambda name, data: name == "shelf")

    def test_one_job(self):
        job = self.request("POST", RUNS, big_log(50000, seed=3)).json["job"]["id"]
        stream = Events(self.server, f"/api/v1/jobs/{job}/events")
        self.assertTrue(stream.wait_end(60))
        self.assertEqual({data["id"] for _, data in stream.seen}, {job})
        self.assertEqual(stream.seen[-1][1]["state"], "done")
        stream.close()
        late = Events(self.server, f"/api/v1/jobs/{job}/events")
        self.assertTrue(late.wait_end())
        self.assertEqual([data["state"] for _, data in late.seen], ["done"])
        late.close()

    def test_progress_at_most_ten_a_second(self):
        began = time.monotonic()
        job = self.request("POST", RUNS, big_log(600000, seed=4)).json["job"]["id"]
        self.events.wait(lambda name, data: name == "job" and data["id"] == job and data["state"] == "done", 120)
        took = time.monotonic() - began
        told = [data for name, data in self.events.seen if name == "job" and data["id"] == job]
        self.assertLessEqual(len(told), 4 + took * 10)
        done = [data["bytes_done"] for data in told]
        self.assertEqual(done, sorted(done))

    def test_many_idle_streams_cost_no_cpu(self):
        streams = [Events(self.server) for _ in range(20)]
        time.sleep(0.3)  # the server has come to rest
        before = cpu_ticks(self.server.process.pid)
        time.sleep(1.5)  # it stays idle
        self.assertLessEqual(cpu_ticks(self.server.process.pid) - before, 5)
        for stream in streams:
            stream.close()
        self.assertEqual(self.get("/api/v1/shelf").status, 200)

    def test_streams_of_one_address_leave_connections_to_others(self):
        server = Server(os.path.join(self.folder, "own"))  # on which no other test had streams
        self.addCleanup(server.end)
        streams = [Events(server) for _ in range(64)]
        refused = server.request("GET", "/api/v1/events")
        self.assertRefused(refused, 503, "unavailable")
        self.assertEqual(refused.headers["Connection"], "close")
        self.assertIn("64 event streams of 127.0.0.1 are open already", refused.error["text"])
        self.assertEqual({stream.reply.status for stream in streams}, {200})
        self.assertEqual(server.request("GET", "/api/v1/health").status, 200)
        for stream in streams:
            stream.close()
        wait_until(lambda: self.try_stream(server), 60, "the server has noticed, with its next ping")

    def try_stream(self, server):
        with server.socket() as link:
            link.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return link.recv(64).startswith(b"HTTP/1.1 200")

    def test_a_client_that_does_not_read_is_dropped(self):
        with self.server.socket() as link:
            link.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            for _ in range(300):
                self.request("POST", RUNS + "?wait=1", b"x")
        self.assertEqual(self.get("/api/v1/shelf").status, 200)
