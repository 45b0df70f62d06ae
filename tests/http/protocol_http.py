# SPDX-License-Identifier: MIT
"""What is refused before it reaches a handler, the headers everything carries, and the embedded page."""
import gzip
import json
import os
import re
import socket
import threading
import time

from server import RUNS, Server, ServerTest, import_log, read_all

CSP = ("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; "
       "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
       "frame-ancestors 'self'")


class Refusals(ServerTest):
    def test_nothing_there(self):
        for path in ("/api/v1/nothing", "/api/v1", "/nothing", "/api/v1/runs/", "//", "/../etc/passwd", "/%2e%2e/",
                     "/assets/", "/api/v2/runs"):
            self.assertRefused(self.get(path), 404, "not_found")

    def test_wrong_method_says_which_are_right(self):
        for method, path, allow in (("POST", "/api/v1/shelf", "GET, HEAD"), ("DELETE", RUNS, "GET, HEAD, POST, PUT"),
                                    ("POST", RUNS + "/abc", "PUT, GET, HEAD, PATCH, DELETE"), ("OPTIONS", RUNS, "GET, HEAD, POST, PUT"),
                                    ("POST", "/", "GET, HEAD"), ("BREW", "/api/v1/jobs", "GET, HEAD")):
            answer = self.request(method, path, b"x" if method == "POST" else None)
            self.assertRefused(answer, 405, "method")
            self.assertEqual(answer.headers["Allow"], allow)

    def test_bad_escapes(self):
        for path in ("/api/v1/runs?q=%", "/api/v1/runs?q=%0", "/api/v1/runs?q=%00", "/api/v1/runs/%00", "/api/v1/runs/a%zz"):
            self.assertRefused(self.get(path), 400, "bad_request")

    def test_too_large_before_the_body(self):
        head = b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000000000\r\n" % RUNS.encode()
        for extra in (b"", b"Expect: 100-continue\r\n"):
            with self.server.socket() as link:
                link.sendall(head + extra + b"\r\n")
                self.assertIn(b" 413 ", read_all(link).split(b"\r\n")[0])
        self.assertEqual(self.spool(), [])

    def test_expect_is_answered(self):
        content = import_log()
        with self.server.socket() as link:
            link.sendall(b"POST %s?wait=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: 100-continue\r\n"
                         b"Content-Length: %d\r\n\r\n" % (RUNS.encode(), len(content)))
            self.assertEqual(link.recv(100), b"HTTP/1.1 100 Continue\r\n\r\n")
            link.sendall(content)
            self.assertIn(b" 201 ", read_all(link).split(b"\r\n")[0])
        for path, headers, status in (("/api/v1/shelf", b"", b" 405 "), (RUNS, b"Origin: http://evil.example\r\n", b" 403 ")):
            with self.server.socket() as link:
                link.sendall(b"POST %s HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n%sContent-Length: 5000000\r\n\r\n"
                             % (path.encode(), headers))
                self.assertIn(status, read_all(link).split(b"\r\n")[0])

    def test_a_refusal_is_heard_though_the_body_was_sent(self):
        for _ in range(3):
            answer = self.request("POST", "/api/v1/shelf", b"x" * 3_000_000)
            self.assertRefused(answer, 405, "method")

    def test_connection_survives_a_refusal(self):
        connection = self.server.connect()
        for method, path, body, status in (("POST", "/api/v1/shelf", b"x" * 1000, 405), ("GET", "/x", None, 404),
                                           ("GET", "/api/v1/shelf", None, 200)):
            connection.request(method, path, body)
            reply = connection.getresponse()
            reply.read()
            self.assertEqual(reply.status, status)
            self.assertFalse(reply.will_close)
        connection.close()

    def test_hosts(self):
        port = self.server.port
        for host in (f"127.0.0.1:{port}", "localhost", f"LOCALHOST:{port}", f"[::1]:{port}", "localhost:1"):
            self.assertEqual(self.get("/api/v1/shelf", Host=host).status, 200, host)
        for host in ("evil.example", f"evil.example:{port}", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1",
                     "localhost:80:80", "[::1", "localhost:x", "", "127.0.0.1@evil.example"):
            self.assertRefused(self.get("/api/v1/shelf", Host=host), 403, "forbidden")

    def test_an_unknown_host_is_told_which_option_makes_it_known(self):
        for host, name in (("shelf.example:8080", "shelf.example"), ("[fe80::1]:80", "[fe80::1]"), ("`rm -r`", "NAME"), ("a b", "NAME")):
            answer = self.get("/api/v1/shelf", Host=host)
            self.assertIn(f"`perfshelf serve --host {name}`", answer.error["hint"], host)
        self.assertRefused(self.get("/", Host="evil.example"), 403, "forbidden")

    def test_origins(self):
        host = f"localhost:{self.server.port}"
        own = self.request("POST", RUNS + "?wait=1", import_log(), Host=host, Origin=f"http://{host}")
        self.assertEqual(own.status // 100, 2)
        for origin in ("http://evil.example", "null", "http://localhost", f"http://{host}.evil.example", f"ftp://{host}",
                       f"http://127.0.0.1:{self.server.port}", ""):
            for method, path in (("POST", RUNS), ("PATCH", RUNS + "/x"), ("DELETE", RUNS + "/" + own.json["id"]), ("PUT", RUNS),
                                 ("DELETE", "/api/v1/jobs/j1")):
                answer = self.request(method, path, b"x", Host=host, Origin=origin)
                self.assertRefused(answer, 403, "forbidden")
        self.assertEqual(self.get(f"{RUNS}/{own.json['id']}", Origin="http://evil.example").status, 200)
        self.assertSpoolEmpties()

    def test_no_cors(self):
        headers = self.get("/api/v1/shelf", Origin="http://evil.example").headers
        self.assertFalse([name for name in headers if name.lower().startswith("access-control")])

    def test_garbage_does_not_kill(self):
        for data in (b"\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", b"GET / HTTP/9.9\r\n\r\n", b"A" * 100000,
                     b"GET /" + b"a" * 50000 + b" HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 5000 + b"\r\n",
                     b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n" % RUNS.encode(),
                     b"POST %s HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n" % RUNS.encode(),
                     b"GET http://localhost/api/v1/shelf HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"):
            try:
                self.server.raw(data, shut=True)
            except OSError:
                pass
        self.assertEqual(self.get("/api/v1/shelf").status, 200)
        self.assertSpoolEmpties()

    def test_http_1_0(self):
        self.assertIn(b" 200 ", self.server.raw(b"GET /api/v1/shelf HTTP/1.0\r\n\r\n").split(b"\r\n")[0])

    def test_pipelined(self):
        request = b"GET /api/v1/formats HTTP/1.1\r\nHost: localhost\r\n"
        answer = self.server.raw((request + b"\r\n") * 5 + request + b"Connection: close\r\n\r\n")
        self.assertEqual(answer.count(b"HTTP/1.1 200"), 6)

    def test_silent_clients(self):
        """Before all connections are in use, the oldest of those without a request are closed; not after 30 s only."""
        links = [self.server.socket() for _ in range(500)]
        try:
            self.assertEqual(self.get("/api/v1/health").status, 200)
            links[0].settimeout(20)
            try:
                self.assertEqual(links[0].recv(1), b"")
            except ConnectionResetError:
                pass
            links[-1].sendall(b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            self.assertTrue(links[-1].recv(4096).startswith(b"HTTP/1.1 200"))
        finally:
            for link in links:
                link.close()

    def test_many_clients(self):
        failures = []

        def work():
            for _ in range(30):
                answer = self.get("/api/v1/shelf")
                if answer.status != 200:
                    failures.append(answer.body)

        threads = [threading.Thread(target=work) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


class Headers(ServerTest):
    def test_on_everything(self):
        for path in ("/", "/api/v1/shelf", "/nothing", RUNS):
            headers = self.get(path).headers
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            self.assertEqual(headers["Referrer-Policy"], "no-referrer")
            self.assertEqual(headers["Cross-Origin-Opener-Policy"], "same-origin")
            self.assertEqual(headers["Cross-Origin-Resource-Policy"], "same-origin")
            self.assertEqual(headers["Content-Security-Policy"],
                             CSP if path == "/" else "default-src 'none'; frame-ancestors 'none'")


class Page(ServerTest):
    def test_index(self):
        answer = self.get("/")
        self.assertEqual((answer.status, answer.headers["Content-Type"], answer.headers["Cache-Control"]),
                         (200, "text/html; charset=utf-8", "no-cache"))
        again = self.get("/", If_None_Match=answer.headers["ETag"])
        self.assertEqual((again.status, again.body), (304, b""))

    def test_assets(self):
        page = self.get("/").body.decode()
        self.assertNotIn("<style", page)
        self.assertNotRegex(page, r"<script(?![^>]*\bsrc=)")
        for path in re.findall(r'(?:src|href)="(/[^"]+)"', page):
            with self.subTest(path=path):
                plain, packed = self.get(path), self.get(path, Accept_Encoding="gzip")
                self.assertEqual((plain.status, packed.status), (200, 200))
                self.assertEqual(packed.headers["Content-Encoding"], "gzip")
                self.assertEqual(gzip.decompress(packed.body), plain.body)
                self.assertNotEqual(plain.headers["ETag"], packed.headers["ETag"])
                self.assertIn("Accept-Encoding", plain.headers["Vary"])
                if path.startswith("/assets/"):
                    self.assertEqual(plain.headers["Cache-Control"], "public, max-age=31536000, immutable")
                self.assertEqual(self.request("HEAD", path).headers["Content-Length"], str(len(plain.body)))
