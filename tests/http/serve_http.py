# SPDX-License-Identifier: MIT
"""serve from start to end: what it prints, what it refuses, and that it cuts nobody off."""
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import threading
import unittest

from server import PROGRAM, RUNS, Events, ShelfTest, big_log, dump, import_log, read_all, sanitized, without_sandbox, kept
from wait import wait_until  # where server.py looks

CLIENTS = 5 if sanitized() else 20  # whose imports must have ended when a server is to stop
BEFORE_IDLE = 20  # seconds; after 30 idle connections are cut off anyway


class Start(ShelfTest):
    def fails(self, *args, status=1):
        done = subprocess.run([PROGRAM, "serve", "--data", self.data, *args], capture_output=True, text=True, timeout=30)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_one_line_when_ready(self):
        server = self.start()
        self.assertEqual(server.ready_line, f"perfshelf 0.2.0 serves {self.data} at http://127.0.0.1:{server.port}/\n")
        code, said = server.end()
        self.assertEqual((code, said), (0, ""))
        self.assertEqual(os.listdir(os.path.join(self.data, "spool")), [])

    def test_port_in_use(self):
        server = self.start()
        line = self.fails("--listen", f"127.0.0.1:{server.port}")
        self.assertIn(f"127.0.0.1:{server.port}: perfshelf (process {server.process.pid}), which serves the shelf {self.data} uses it", line)
        self.assertIn("--listen", line)
        self.assertEqual(server.end()[0], 0)

    def test_bad_addresses(self):
        for where in ("127.0.0.1", "localhost:99999", "nonsense", "::1:80", "127.0.0.1:http", "127.0.0.1:-1", "192.0.2.1:0"):
            self.fails("--listen", where, status=1 if where == "192.0.2.1:0" else 2)

    def test_data_folder_that_is_none(self):
        with open(self.data, "w", encoding="ascii") as file:
            file.write("a file")
        self.assertIn(self.data, self.fails("--listen", "127.0.0.1:0"))

    def test_beyond_the_loopback_is_warned_of(self):
        process = subprocess.Popen([PROGRAM, "serve", "--data", self.data, "--listen", "0.0.0.0:0"], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        first = process.stdout.readline()
        self.assertRegex(first, r" at http://127\.0\.0\.1:\d+/\n$")
        port = int(first.rstrip("/\n").rsplit(":", 1)[1])
        for host, status in (("192.168.1.5", 401), (socket.gethostname(), 401), ("evil.example", 403)):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("GET", "/api/v1/shelf", headers={"Host": host})
            self.assertEqual(connection.getresponse().status, status, host)
            connection.close()
        process.terminate()
        also, said = process.stdout.read(), process.stderr.read()
        process.wait(timeout=20)
        process.stdout.close()
        process.stderr.close()
        self.assertNotIn("0.0.0.0", also)
        self.assertIn(f"  also at http://{socket.gethostname()}:{port}/, if that name resolves to this machine\n", also)
        *addresses, created = also.splitlines()
        self.assertRegex(created, "^created a new shelf in /")
        for line in addresses:
            self.assertRegex(line, rf"^  also at http://[^ /]+:{port}/(, if that name resolves to this machine)?$")
        self.assertRegex(without_sandbox(said), r"^perfshelf: note: no access token exists yet; .*\nperfshelf: warning: .*\n$")
        self.assertEqual(process.returncode, 0)

    def test_files_are_imported(self):
        paths = [os.path.join(self.folder, name) for name in ("a.log", "b.prof", "c")]
        for path, content in zip(paths, (import_log(), dump(), b"neither")):
            with open(path, "wb") as file:
                file.write(content)
        server = self.start(*paths, os.path.join(self.folder, "missing"), self.folder)
        wait_until(lambda: server.request("GET", RUNS).json["total"] == 2, 20, "two runs")
        self.assertEqual({run["kind"] for run in server.request("GET", RUNS).json["rows"]}, {"importtime", "pstats"})
        code, said = server.end()
        self.assertEqual(code, 0)
        self.assertEqual(sorted(line.split(": ")[1] for line in said.splitlines()),
                         sorted([paths[2], os.path.join(self.folder, "missing"), self.folder]), said)
        self.assertTrue(all(os.path.exists(path) for path in paths))

    def open_browser(self, *args):
        """The address that xdg-open was given."""
        seen = os.path.join(self.folder, "seen")
        script = os.path.join(self.folder, "xdg-open")
        with open(script, "w", encoding="ascii") as file:
            file.write(f'#!/bin/sh\necho "$1" > {seen}.tmp && mv {seen}.tmp {seen}\n')
        os.chmod(script, 0o755)
        path = os.environ["PATH"]
        os.environ["PATH"] = f"{self.folder}:{path}"
        os.environ.setdefault("DISPLAY", ":9")
        try:
            server = self.start("--open", *args)
        finally:
            os.environ["PATH"] = path
        wait_until(lambda: os.path.exists(seen), 20, "xdg-open was started")
        with open(seen, encoding="ascii") as file:
            return server, file.read().strip()

    def test_open_shows_the_shelf(self):
        server, url = self.open_browser()
        self.assertEqual(url, f"http://127.0.0.1:{server.port}/")
        self.assertEqual(server.end(), (0, ""))

    def test_open_shows_the_run(self):
        path = os.path.join(self.folder, "a.log")
        with open(path, "wb") as file:
            file.write(import_log())
        server, url = self.open_browser(path)
        run = server.request("GET", RUNS).json["rows"][0]["id"]
        self.assertEqual(url, f"http://127.0.0.1:{server.port}/#/run/{run}")
        self.assertEqual(server.end(), (0, ""))


def listens(server):
    try:
        server.socket().close()
    except (ConnectionRefusedError, ConnectionResetError):  # reset: it waited in the queue when the server closed it
        return False
    return True


class Stop(ShelfTest):
    def test_a_slow_upload_is_finished(self):
        server = self.start()
        content = import_log()
        with server.socket() as link:
            link.sendall(b"POST %s?wait=1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"
                         % (RUNS.encode(), len(content), content[:100]))
            wait_until(lambda: os.listdir(os.path.join(self.data, "spool")), 20, "the request has arrived")
            server.process.send_signal(signal.SIGTERM)
            wait_until(lambda: not listens(server), 20, "the server takes no more connections")
            for at in range(100, len(content), 4000):
                self.assertIsNone(server.process.poll())
                link.sendall(content[at:at + 4000])
            answer = read_all(link)
            self.assertIn(b" 201 ", answer.split(b"\r\n")[0])
            self.assertIn(b"Connection: close", answer)
            with self.assertRaises(ConnectionRefusedError):
                server.connect().connect()
        self.assertEqual(server.end(), (0, ""))

    def test_a_slow_download_is_finished(self):
        server = self.start()
        content = os.urandom(8_000_000).hex().encode()
        content = b"import time: self [us] | cumulative | imported package\nimport time: 1 | 1 | a\n" + b"\n".join(
            content[i:i + 1000] for i in range(0, len(content), 1000))
        run = server.request("POST", RUNS + "?wait=1", content).json["id"]
        with server.socket() as link:
            link.sendall(f"GET {RUNS}/{run}/original HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            head = link.recv(1)
            server.process.send_signal(signal.SIGTERM)
            wait_until(lambda: not listens(server), 20, "the server takes no more connections")
            self.assertIsNone(server.process.poll())
            body = (head + read_all(link)).split(b"\r\n\r\n", 1)[1]
        self.assertEqual(body, content)
        self.assertEqual(server.end(), (0, ""))

    def test_who_waits_for_an_import_gets_it(self):
        server = self.start()
        answers = []
        threads = [threading.Thread(target=lambda n=n: answers.append(
            server.request("POST", RUNS + "?wait=1", big_log(60000, seed=n)))) for n in range(3)]
        for thread in threads:
            thread.start()
        wait_until(lambda: len(server.request("GET", "/api/v1/jobs").json["rows"]) == 3, 20, "three jobs")
        code, _ = server.end()
        for thread in threads:
            thread.join()
        self.assertEqual((code, [answer.status for answer in answers]), (0, [201] * 3))

    def test_clients_that_left_do_not_hold_it(self):
        server = self.start()
        run = server.request("POST", RUNS + "?wait=1", big_log(20000)).json["id"]
        for n in range(CLIENTS):
            with server.socket() as link:  # gone while the query runs
                link.sendall(f"GET {RUNS}/{run}/imports?limit=1000&q={n} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            content = big_log(5000, seed=n)
            with server.socket() as link:  # gone while the import runs
                link.sendall(b"POST %s?wait=1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"
                             % (RUNS.encode(), len(content), content))
            Events(server).close()
        code, said = server.end(BEFORE_IDLE)
        self.assertEqual(code, 0)
        # A slow machine leaves imports; no request may be left.
        self.assertRegex(said, r"\A(perfshelf: stopping: \d+ accepted uploads? will be imported at the next start\n)?\Z")

    def test_a_client_that_does_not_read_its_answer_does_not_hold_it(self):
        server = self.start()
        content = random.Random(1).randbytes(24 << 20)
        rows = b"".join(b"import time: %9d | %10d | %s\n" % (i, i, content[16 * i:16 * i + 16].hex().encode()) for i in range(400000))
        run = server.request("POST", RUNS + "?wait=1", b"import time: self [us] | cumulative | imported package\n" + rows).json["id"]
        with server.socket() as link:
            link.sendall(f"GET {RUNS}/{run}/original HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            self.assertTrue(link.recv(1).startswith(b"H"))
            self.assertEqual(server.end(60)[0], 1)
            self.assertTrue(read_all(link))  # it had not been read

    def test_streams_end(self):
        server = self.start()
        streams = [Events(server) for _ in range(3)]
        self.assertEqual(server.end(BEFORE_IDLE), (0, ""))
        for stream in streams:
            self.assertTrue(stream.wait_end())
            stream.close()

    def test_idle_connections_do_not_hold_it(self):
        server = self.start()
        idle = [server.connect() for _ in range(5)]
        for connection in idle:
            connection.request("GET", "/api/v1/shelf")
            connection.getresponse().read()
        silent = server.socket()
        self.assertEqual(server.end(BEFORE_IDLE), (0, ""))
        silent.close()
        for connection in idle:
            connection.close()

    def test_a_second_signal_hurries(self):
        server = self.start()
        with server.socket() as link:
            link.sendall(b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nabc" % RUNS.encode())
            wait_until(lambda: os.listdir(os.path.join(self.data, "spool")), 20, "the request has arrived")
            server.process.send_signal(signal.SIGINT)
            wait_until(lambda: not listens(server), 20, "the server takes no more connections")
            self.assertIsNone(server.process.poll())
            server.process.send_signal(signal.SIGINT)
            _, said = server.process.communicate(timeout=10)
        self.assertEqual(server.process.returncode, 1)
        self.assertIn("1 request not answered", said)

    def test_under_load_no_answer_is_cut(self):
        server = self.start()
        broken, served = [], [0]

        def work():
            while True:
                try:
                    link = server.socket()
                except OSError:
                    return
                with link:
                    try:
                        link.sendall(b"GET /api/v1/formats HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                        answer = read_all(link)
                    except OSError as error:
                        broken.append(repr(error))
                        return
                head, _, body = answer.partition(b"\r\n\r\n")
                length = [line for line in head.split(b"\r\n") if line.startswith(b"Content-Length")]
                if not length or int(length[0].split()[1]) != len(body):
                    broken.append(answer[:200])
                    return
                served[0] += 1

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        wait_until(lambda: served[0] > 100 or broken, 60, "load")
        self.assertEqual(server.end()[0], 0)
        for thread in threads:
            thread.join()
        # A connection the kernel took after the last accept is refused without an answer; no answer is cut short.
        self.assertEqual([answer for answer in broken if answer and "Reset" not in str(answer)], [])


@unittest.skipIf(sanitized(), "sanitizers take memory and time of their own")
class Figures(ShelfTest):
    def test_memory(self):
        server = self.start()
        for path in ("/", "/api/v1/shelf", RUNS):
            server.request("GET", path)
        fresh = self.resident(server)
        for content in (big_log(100000), dump(), import_log()):
            run = server.request("POST", RUNS + "?wait=1", content).json["id"]
            server.request("GET", f"{RUNS}/{run}/notes")
        print(f"\nidle at {fresh} kB, at {self.resident(server)} kB after imports", flush=True)
        self.assertLess(fresh, 20_000)
        self.assertEqual(server.end()[0], 0)

    def resident(self, server):
        with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
