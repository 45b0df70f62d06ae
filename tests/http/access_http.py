# SPDX-License-Identifier: MIT
"""Tokens, roles, sessions and TLS of a shelf that others reach."""
import http.client
import json
import os
import re
import shutil
import socket
import sqlite3
import ssl
import subprocess
import tempfile
import time
import unittest

from server import PROGRAM, RUNS, Server, dump, import_log
from wait import wait_until  # where server.py looks

API = "/api/v1"
NOBODYS = "psf_000000000000_" + "A" * 43


def token(data, verb, *words):
    done = subprocess.run([PROGRAM, "token", verb, *words, "--data", data], capture_output=True, text=True, timeout=30)
    return done.returncode, (done.stdout + done.stderr).strip()


class AccessTest(unittest.TestCase):
    args = ("--tokens",)

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="perfshelf-access-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.data = os.path.join(self.folder, "shelf")
        Server(self.data).end()  # a shelf
        self.tokens = {role: token(self.data, "add", f"a {role}", "--role", role)[1] for role in ("viewer", "uploader", "admin")}
        self.server = Server(self.data, *self.args)
        self.addCleanup(self.end)

    def end(self):
        code, said = self.server.end()
        self.server.process.stdout.close()
        self.assertEqual(code, 0, said)

    def ask(self, method, path, who=None, body=None, **headers):
        if who:
            headers["Authorization"] = "Bearer " + self.tokens.get(who, who)
        return self.server.request(method, API + path, body, headers)

    def log_in(self, text, **headers):
        return self.ask("POST", "/login", body=json.dumps({"token": text}), **headers)


class Streams(AccessTest):
    def stream(self, **headers):
        link = http.client.HTTPConnection(self.server.host, self.server.port, timeout=60)
        self.addCleanup(link.close)
        link.request("GET", API + "/events", headers=headers)
        reply = link.getresponse()
        self.assertEqual(reply.status, 200)
        return reply

    def test_streams_end_with_their_token_and_the_sessions_of_it(self):
        cookie = self.log_in(self.tokens["viewer"]).headers["Set-Cookie"].split(";")[0]
        ending = [self.stream(Authorization="Bearer " + self.tokens["viewer"]), self.stream(Cookie=cookie)]
        lasting = self.stream(Authorization="Bearer " + self.tokens["admin"])
        self.assertEqual(token(self.data, "revoke", "a viewer")[0], 0)
        for reply in ending:
            reply.read()  # to the end of the stream, at the next ping
        self.assertTrue(lasting.readline())
        self.assertFalse(lasting.isclosed())


class Roles(AccessTest):
    def test_each_may_what_the_one_before_may(self):
        tries = [("GET", "/shelf", None), ("GET", "/runs", None), ("GET", "/events", None), ("GET", "/activity", None), ("GET", "/jobs", None),
                 ("POST", "/runs?wait=1", dump()), ("PATCH", "/runs/none", b"{}"), ("DELETE", "/jobs/j9", None),
                 ("GET", "/runs/none/original", None)]
        allowed = {None: 0, "viewer": 5, "uploader": 8, "admin": 9}
        for who, n in allowed.items():
            for i, (method, path, body) in enumerate(tries):
                if path == "/events" and i < n:
                    continue # a stream has no end
                status = self.ask(method, path, who, body).status
                self.assertEqual(status in (401, 403), i >= n, (who, method, path, status))

    def test_without_a_token_only_the_page_and_the_way_in(self):
        self.assertEqual(self.server.request("GET", "/").status, 200)
        self.assertEqual(self.ask("GET", "/health").json, {"ok": True})
        self.assertEqual(self.ask("GET", "/me").json, {"name": None, "role": "nobody", "tokens": True})
        refused = self.ask("GET", "/runs")
        self.assertEqual((refused.status, refused.error["code"], refused.headers["WWW-Authenticate"]),
                         (401, "unauthorized", 'Bearer realm="perfshelf"'))

    def test_every_route_wants_something(self):
        """A route that forgets its role is closed: all of docs/api.md's paths but the open four refuse a stranger."""
        with open(os.path.join(os.path.dirname(__file__), "../../server/api/routes.c"), encoding="utf-8") as file:
            rows = re.findall(r'\{"([A-Z]+)",\s+API "([^"]+)"', file.read())
        self.assertGreater(len(rows), 25)
        for method, path in rows:
            status = self.ask(method, "/" + re.sub(r"\{[^}]*\}", "x", path)).status
            self.assertEqual(status != 401, path in ("health", "me", "login", "logout"), (method, path, status))

    def test_an_uploader_removes_own_runs_only(self):
        mine = self.ask("POST", "/runs?wait=1&who=somebody+else", "uploader", dump()).json
        theirs = self.ask("POST", "/runs?wait=1", "admin", import_log()).json
        self.assertEqual((mine["who"], theirs["who"]), ("a uploader", "a admin"))
        refused = self.ask("DELETE", f"/runs/{theirs['id']}", "uploader")
        self.assertEqual((refused.status, refused.error["code"]), (403, "forbidden"))
        self.assertIn("added by a admin", refused.error["text"])
        self.assertEqual(self.ask("DELETE", f"/runs/{mine['id']}", "uploader").status, 204)
        self.assertEqual(self.ask("DELETE", f"/runs/{theirs['id']}", "admin").status, 204)
        rows = self.ask("GET", "/activity", "viewer").json["rows"]
        self.assertEqual([(row["what"], row["who"], row["run"]) for row in rows],
                         [("removed", "a admin", theirs["id"]), ("removed", "a uploader", mine["id"]),
                          ("added", "a admin", theirs["id"]), ("added", "a uploader", mine["id"])])


    def test_saved_queries(self):
        """A viewer uses them, an uploader saves and removes own ones, an admin those of others too."""
        other = token(self.data, "add", "another", "--role", "uploader")[1]

        def save(who, sql):
            return self.ask("POST", "/queries", who, json.dumps({"name": "q", "sql": sql, "kind": "pstats"})).status

        def rows(who):
            return self.ask("GET", "/queries?kind=pstats", who).json["rows"]

        self.assertEqual((save(None, "SELECT 0"), save("viewer", "SELECT 0"), rows("viewer")), (401, 403, []))
        self.assertEqual((save("uploader", "SELECT 1"), save(other, "SELECT 2")), (204, 403))
        [row] = rows("viewer")
        self.assertEqual((row["sql"], row["who"]), ("SELECT 1", "a uploader"))
        self.assertEqual(self.ask("POST", "/sql", "viewer", json.dumps({"sql": row["sql"], "runs": []})).json["rows"], [[1]])
        remove = [self.ask("DELETE", f"/queries/{row['id']}", who).status for who in (None, "viewer", other, "uploader")]
        self.assertEqual(remove, [401, 403, 404, 204])
        self.assertEqual((save(other, "SELECT 2"), save("admin", "SELECT 3")), (204, 204))
        self.assertEqual([row["sql"] for row in rows(other)], ["SELECT 3"])


class Connections(AccessTest):
    """Beyond the loopback no address may hold more than 128, so that it cannot keep the others out."""
    args = ("--listen", "0.0.0.0:0")
    most = 128

    def connect(self, source):
        link = socket.create_connection(("127.0.0.1", self.server.port), timeout=30, source_address=(source, 0))
        self.addCleanup(link.close)
        return link

    def is_served(self, link):
        """Whether the server speaks with it; else it has closed."""
        try:
            link.sendall(b"GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            return link.recv(4096).startswith(b"HTTP/1.1 200 ")
        except ConnectionError:
            return False

    def test_of_one_address(self):
        held = []
        for _ in range(self.most):
            held.append(self.connect("127.0.0.1"))
            self.assertTrue(self.is_served(held[-1]), len(held))
        refused = [self.is_served(self.connect("127.0.0.1")) for _ in range(5)]
        self.assertEqual(refused, [False] * 5)
        self.assertTrue(self.is_served(self.connect("127.0.0.2")), "another address")
        for link in held[:5]:
            link.close()
        wait_until(lambda: self.is_served(self.connect("127.0.0.1")), 20, "there is room again")


class BehindAProxy(Connections):
    """All come from the proxy's address: there it does not hold."""
    args = ("--listen", "0.0.0.0:0", "--proxy")

    def test_of_one_address(self):
        held = [self.connect("127.0.0.1") for _ in range(self.most + 20)]
        self.assertTrue(all(self.is_served(link) for link in held))


class Secrets(AccessTest):
    def test_what_is_no_token(self):
        good = self.tokens["viewer"]
        for text in ("", "x", good[:-1], good + "A", good.upper(), good[:17] + "A" * 43, "psf_" + "0" * 56, good.replace("psf", "pst")):
            self.server.request("GET", API + "/health") # the throttle counts failures only
            self.assertIn(self.ask("GET", "/runs", text or " ").status, (401, 429), text)

    def test_ten_failures_a_minute(self):
        seen = [self.ask("GET", "/runs", NOBODYS).status for _ in range(12)]
        self.assertEqual(seen, [401] * 10 + [429] * 2)
        self.assertEqual(self.log_in(self.tokens["admin"]).status, 429)
        time.sleep(2)  # of the minute that began with the first failure
        refused = self.ask("GET", "/runs", NOBODYS)
        self.assertIn(int(refused.headers["Retry-After"]), range(30, 59))
        self.assertEqual(refused.json["error"]["hint"], f"try again in {refused.headers['Retry-After']} s")

    def test_revoked_at_once_with_its_sessions(self):
        cookie = self.log_in(self.tokens["viewer"]).headers["Set-Cookie"].split(";")[0]
        self.assertEqual(self.ask("GET", "/runs", Cookie=cookie).status, 200)
        self.assertEqual(token(self.data, "revoke", "a viewer"), (0, "revoked"))
        self.assertEqual(self.ask("GET", "/runs", Cookie=cookie).status, 401)
        self.assertEqual(self.ask("GET", "/runs", "viewer").status, 401)
        self.assertEqual(token(self.data, "revoke", "a viewer")[0], 1)

    def test_nothing_secret_is_kept(self):
        session = self.log_in(self.tokens["admin"]).headers["Set-Cookie"]
        secrets = [text.split("_", 2)[2] for text in self.tokens.values()] + [re.search(r"psf_[0-9a-f]+_([\w-]+)", session)[1]]
        stored = "\n".join(sqlite3.connect(os.path.join(self.data, "catalog.db")).iterdump())
        self.assertEqual(stored.count("INSERT INTO \"token\""), 3)
        for secret in secrets:
            self.assertEqual(len(secret), 43)
            self.assertNotIn(secret, stored)

    def test_names(self):
        code, said = token(self.data, "add", "a viewer")
        self.assertEqual((code, "has a token already" in said), (1, True), said)
        for name in ("", "a\tb", "x" * 101, "\udcff"):
            self.assertEqual(token(self.data, "add", name)[0], 1, name)
        self.assertEqual(token(self.data, "add", "x", "--role", "king")[0], 2)
        self.assertEqual(token(self.data, "make", "x")[0], 2)
        rows = json.loads(token(self.data, "list", "--json")[1])
        self.assertEqual([(row["name"], row["role"]) for row in rows],
                         [("a admin", "admin"), ("a uploader", "uploader"), ("a viewer", "viewer")])


class Sessions(AccessTest):
    def test_a_browser_logs_in_and_out(self):
        reply = self.log_in(self.tokens["uploader"])
        cookie = reply.headers["Set-Cookie"]
        self.assertEqual(reply.json, {"name": "a uploader", "role": "uploader", "tokens": True})
        self.assertRegex(cookie, rf"^perfshelf_{self.server.port}=psf_[0-9a-f]{{12}}_[\w-]{{43}}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict$")
        cookie = cookie.split(";")[0]
        self.assertEqual(self.ask("POST", "/runs?wait=1", body=dump(), Cookie=cookie).json["who"], "a uploader")
        out = self.ask("POST", "/logout", Cookie=cookie)
        self.assertEqual((out.status, "Max-Age=0" in out.headers["Set-Cookie"]), (204, True))
        self.assertEqual(self.ask("GET", "/runs", Cookie=cookie).status, 401)

    def test_a_foreign_page_cannot_use_it(self):
        cookie = self.log_in(self.tokens["admin"]).headers["Set-Cookie"].split(";")[0]
        for origin in ("http://evil.example", "null", f"http://127.0.0.1:{self.server.port + 1}"):
            self.assertEqual(self.ask("DELETE", "/runs/x", Cookie=cookie, Origin=origin).status, 403)
            self.assertEqual(self.log_in(self.tokens["admin"], Origin=origin).status, 403)

    def test_bad_bodies(self):
        for body in ("", "{", "[]", '{"token":1}', "null"):
            self.assertEqual(self.ask("POST", "/login", body=body).status, 400, body)


class Proxied(AccessTest):
    args = ("--proxy", "--host", "shelf.example.com")

    def test_the_address_is_the_one_the_proxy_saw(self):
        seen = [self.ask("GET", "/runs", NOBODYS, **{"X-Forwarded-For": f"10.0.0.{i}, 192.0.2.7"}).status for i in range(12)]
        self.assertEqual(seen, [401] * 10 + [429] * 2) # what a client writes itself does not help it
        self.assertEqual(self.ask("GET", "/runs", "viewer", **{"X-Forwarded-For": "192.0.2.8"}).status, 200)

    def test_cookies_are_for_https_alone(self):
        reply = self.log_in(self.tokens["admin"], Host="shelf.example.com", Origin="https://shelf.example.com")
        self.assertIn("; Secure", reply.headers["Set-Cookie"])


class Named(AccessTest):
    args = ("--tokens", *(word for n in range(1, 31) for word in ("--host", f"shelf{n}.example.com")))

    def test_all_names_are_accepted(self):
        for n in range(1, 31):
            self.assertEqual(self.ask("GET", "/runs", "viewer", Host=f"shelf{n}.example.com").status, 200, n)
        self.assertEqual(self.ask("GET", "/runs", "viewer", Host="shelf31.example.com").status, 403)


class OpenShelf(unittest.TestCase):
    def test_on_the_loopback_nobody_is_asked(self):
        with tempfile.TemporaryDirectory() as data:
            Server(data).end()  # a shelf
            text = token(data, "add", "mei")[1]
            server = Server(data)
            try:
                self.assertEqual(server.request("GET", API + "/me").json, {"name": None, "role": "admin", "tokens": False})
                named = server.request("POST", RUNS + "?wait=1", dump(), {"Authorization": "Bearer " + text})
                self.assertEqual(named.json["who"], "mei")
                self.assertEqual(server.request("GET", RUNS, headers={"Authorization": "Bearer " + NOBODYS}).status, 401)
            finally:
                server.end()
                server.process.stdout.close()

    def test_elsewhere_everybody_is(self):
        with tempfile.TemporaryDirectory() as data:
            process = subprocess.Popen([PROGRAM, "serve", "--data", data, "--listen", "0.0.0.0:0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            port = int(re.search(r":(\d+)/$", process.stdout.readline().strip())[1])
            link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            link.request("GET", RUNS)
            self.assertEqual(link.getresponse().status, 401)
            link.close()
            process.terminate()
            _, said = process.communicate(timeout=30)
            self.assertIn("no access token exists yet; create one: perfshelf token add", said)
            self.assertIn("unencrypted", said)


@unittest.skipUnless(shutil.which("openssl"), "openssl makes the certificate")
class Tls(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="perfshelf-tls-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.cert, self.key = os.path.join(self.folder, "cert.pem"), os.path.join(self.folder, "key.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", self.key, "-out", self.cert, "-days", "2",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)

    def serve(self, *args):
        return subprocess.Popen([PROGRAM, "serve", "--data", os.path.join(self.folder, "shelf"), "--listen", "127.0.0.1:0", *args],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_https(self):
        process = self.serve("--tls-cert", self.cert, "--tls-key", self.key)
        line = process.stdout.readline()
        port = int(re.search(r" at https://127\.0\.0\.1:(\d+)/$", line.strip())[1])
        link = http.client.HTTPSConnection("localhost", port, timeout=30, context=ssl.create_default_context(cafile=self.cert))
        link.request("POST", RUNS + "?wait=1", dump())
        reply = link.getresponse()
        self.assertEqual((reply.status, json.loads(reply.read())["kind"]), (201, "pstats"))
        link.close()
        process.terminate()
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0)

    def test_what_is_no_certificate(self):
        for args, word in ((("--tls-cert", self.cert), "given together"), (("--tls-cert", self.cert, "--tls-key", "/nowhere"), "/nowhere"),
                           (("--tls-cert", self.key, "--tls-key", self.cert), "PEM")):
            process = self.serve(*args)
            _, said = process.communicate(timeout=30)
            self.assertEqual(process.returncode, 2 if word == "given together" else 1)
            self.assertIn(word, said.splitlines()[-1])
            self.assertTrue(all(line.startswith("perfshelf:") for line in said.splitlines()), said)


if __name__ == "__main__":
    unittest.main()
