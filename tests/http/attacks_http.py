# SPDX-License-Identifier: MIT
"""What somebody who means harm sends to a shelf, and with what it is refused; all of it is printed as a table."""
import gzip
import io
import json
import os
import re
import socket
import sys
import tarfile
import tempfile
import time
import unittest
import urllib.parse
import zipfile

from access_http import AccessTest, NOBODYS
from hostile import SCRIPT, profiles
from server import RUNS, Server, ServerTest, dump, file_part, form, import_log

HELD = []
POLICY = "default-src 'none'; frame-ancestors 'none'"
HOST = b"Host: localhost\r\n"


def held(attack, how):
    HELD.append((attack, str(how)))


def tearDownModule():
    wide = max(len(attack) for attack, _ in HELD) if HELD else 0
    print(f"\n{'attack':{wide}} | refused with", *(f"{attack:{wide}} | {how}" for attack, how in HELD), sep="\n", file=sys.stderr)


def talk(server, data, seconds=20):
    """What the server answers to these bytes until it closes, though it may close before it has read them all."""
    answer = b""
    with server.socket() as link:
        link.settimeout(seconds)
        try:
            link.sendall(data)
        except OSError:
            pass
        try:
            while more := link.recv(65536):
                answer += more
        except OSError:
            pass
    return answer


def statuses(answer):
    return [int(code) for code in re.findall(rb"HTTP/1\.1 (\d{3}) ", answer)]


class Attack(ServerTest):
    def refused(self, attack, answer, status):
        self.assertEqual(answer.status, status, (attack, answer.body[:300]))
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff", attack)
        held(attack, f"{status} {answer.error['code']}")

    def cut(self, attack, data, *allowed):
        """The bytes are answered with one of these, once, and the connection ends."""
        answer = talk(self.server, data)
        got = statuses(answer)
        self.assertTrue(got and set(got) <= set(allowed), (attack, answer[:500]))
        held(attack, f"{got[0]}, connection closed")
        return answer


class Pages(Attack):
    """Pages of other sites in the browser of somebody who may use the shelf."""

    def test_rebinding(self):
        for host in ("evil.example", "evil.example:7700", "localhost.evil.example", "127.0.0.1.evil.example", "127.0.0.1@evil.example",
                     "localhost:80:80", "[::1]evil", "[::1", "", "0x7f.1", "2130706433", "localhost.", "localhost#evil", "localhost/evil"):
            self.refused(f"rebinding: Host {host!r}", self.get("/api/v1/shelf", Host=host), 403)
            self.assertEqual(self.get("/", Host=host).status, 403)

    def test_writes_of_other_sites(self):
        run, host = self.add(dump()), f"localhost:{self.server.port}"
        writes = (("POST", RUNS), ("PUT", RUNS + "/x"), ("PATCH", f"{RUNS}/{run['id']}"), ("DELETE", f"{RUNS}/{run['id']}"),
                  ("PUT", f"{RUNS}/{run['id']}/baseline"), ("POST", "/api/v1/login"), ("POST", "/api/v1/merge?runs=a,b"), ("DELETE", "/api/v1/jobs/j1"))
        for origin in ("http://evil.example", "null", f"http://{host}.evil.example", "http://localhost:1", f"http://{host}@evil.example",
                       f"file://{host}", ""):
            for method, path in writes:
                answer = self.request(method, path, b"{}", Host=host, Origin=origin, Content_Type="text/plain")
                self.refused(f"{method} {path.replace(run['id'], 'RUN')} by Origin {origin.replace(host, 'OURS')!r}", answer, 403)
        self.assertEqual(self.get(f"{RUNS}/{run['id']}").status, 200)

    def test_reads_of_other_sites(self):
        for method in ("GET", "HEAD", "OPTIONS"):
            headers = self.request(method, RUNS, Origin="http://evil.example", Access_Control_Request_Method="DELETE").headers
            self.assertFalse([name for name in headers if name.lower().startswith("access-control")])
            self.assertEqual((headers["Cross-Origin-Resource-Policy"], headers["Content-Security-Policy"]), ("same-origin", POLICY))
            held(f"{method} by another site", "no CORS header, Cross-Origin-Resource-Policy: same-origin")

    def test_pages_of_other_sites_get_no_answer(self):
        for site in ("cross-site", "same-site"):
            for dest in ("empty", "image", "script", "iframe"):
                for path in ("/", RUNS, "/api/v1/health", "/api/v1/events"):
                    answer = self.request("GET", path, Sec_Fetch_Site=site, Sec_Fetch_Dest=dest)
                    self.refused(f"GET {path} by a {site} {dest}", answer, 403)
            self.refused(f"a form of a {site} page", self.request("POST", RUNS, b"x", Sec_Fetch_Site=site, Sec_Fetch_Dest="document"), 403)
            self.assertEqual(self.request("GET", "/", Sec_Fetch_Site=site, Sec_Fetch_Dest="document").status, 200)  # a link to the shelf
        for site in ("same-origin", "none"):
            self.assertEqual(self.request("GET", RUNS, Sec_Fetch_Site=site, Sec_Fetch_Dest="empty").status, 200)

    def test_framing_and_inline_script(self):
        for path in ("/", "/api/v1/shelf", "/nothing"):
            policy = self.get(path).headers["Content-Security-Policy"]
            self.assertNotIn("unsafe-inline", policy)
            self.assertNotRegex(policy, r"unsafe-eval(?<!wasm-unsafe-eval)|\*|https?:")
            self.assertRegex(policy, "frame-ancestors '(none|self)'")
        held("a page frames the shelf; inline script in a page of ours", "Content-Security-Policy: frame-ancestors, script-src 'self'")

    def test_method_override(self):
        run = self.add(dump())
        for path, headers in (("", {"X_HTTP_Method_Override": "DELETE"}), ("", {"X_Method_Override": "DELETE"}), ("?_method=DELETE", {})):
            self.request("POST", f"{RUNS}/{run['id']}{path}", b"", **headers)
            self.assertEqual(self.get(f"{RUNS}/{run['id']}{path}", **headers).status, 200)
        held("method override by header or parameter", "ignored: 405 for POST, GET reads")


class Cookies(AccessTest):
    def test_writes_of_other_sites_with_the_cookie(self):
        cookie = self.log_in(self.tokens["admin"]).headers["Set-Cookie"].split(";")[0]
        mine = self.ask("POST", "/runs?wait=1", "admin", dump()).json["id"]
        for origin in ("http://evil.example", "null", "http://localhost"):
            for method, path in (("POST", "/runs"), ("PATCH", f"/runs/{mine}"), ("DELETE", f"/runs/{mine}"), ("POST", "/logout")):
                answer = self.ask(method, path, body=b"{}", Cookie=cookie, Origin=origin)
                self.assertEqual((answer.status, answer.error["code"]), (403, "forbidden"))
                held(f"{method} {path.replace(mine, 'RUN')} with the cookie, by Origin {origin!r}", "403 forbidden")

    def test_bad_tokens(self):
        good = self.tokens["viewer"]
        tries = {"another secret": good[:17] + "A" * 43, "cut": good[:-1], "longer": good + "A", "upper case": good.upper(), "quotes": "' OR 1=1 --",
                 "a NUL": good[:20] + "%00" + good[23:], "the id alone": good[:17], "of nobody": NOBODYS}
        for what, text in tries.items():
            self.assertEqual(self.ask("GET", "/runs", text).status, 401, what)
            held(f"token: {what}", "401 unauthorized")
        for scheme in ("Basic", "Bearer", "Token"):
            answer = self.ask("GET", "/runs", Authorization=f"{scheme} {good if scheme != 'Bearer' else ''}")
            self.assertEqual(answer.status, 401, scheme)
        for place in (f"/runs?token={good}", f"/runs?access_token={good}"):
            self.assertEqual(self.ask("GET", place).status, 401)
        held("a token in the URL, or another scheme", "401 unauthorized")

    def test_guessing(self):
        seen = [self.log_in(f"psf_{i:012x}_" + "A" * 43).status for i in range(12)]
        self.assertEqual(seen, [401] * 10 + [429] * 2)
        seen = [self.ask("GET", "/runs", NOBODYS, **{"X-Forwarded-For": f"10.0.0.{i}"}).status for i in range(3)]
        self.assertEqual(seen, [429] * 3)
        held("guessing tokens, also behind made-up X-Forwarded-For", "429 too_often after ten a minute")

    def test_session_fixation(self):
        name = f"perfshelf_{self.server.port}"
        cookie = self.log_in(self.tokens["viewer"], Cookie=f"{name}=psf_000000000000_" + "A" * 43).headers["Set-Cookie"]
        self.assertNotIn("A" * 43, cookie)
        self.assertRegex(cookie, "HttpOnly; SameSite=Strict")
        held("a session that the attacker chose", "a new one is made at the log-in")


class Paths(Attack):
    """Ways out of the store."""
    CLIMBS = ["../../../../etc/passwd", "..%2f..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/%2e%2e/etc/passwd", "..%252f..%252fetc%252fpasswd",
              "..\\..\\etc\\passwd", "..%5c..%5cetc%5cpasswd", "....//....//etc/passwd", "%c0%ae%c0%ae/etc/passwd", "/etc/passwd", "%2fetc%2fpasswd",
              "file:///etc/passwd", "catalog.db", "..%2fcatalog.db", "..;/catalog.db", "C:%5cboot.ini", "%7e/.ssh/id_rsa"]

    def test_paths(self):
        run = self.add(dump())["id"]
        places = ["/", "/assets/", RUNS + "/", f"{RUNS}/{run}/", f"{RUNS}/{run}/source/", "/api/v1/jobs/", "/api/v1/compare/", "/api/v1/compare/twin/"]
        for climb in self.CLIMBS:
            for place in places:
                answer = self.get(place + climb)
                self.assertIn(answer.status, (400, 404), (place, climb, answer.body[:200]))
                self.assertNotIn(b"root:", answer.body)
                self.assertNotIn(b"SQLite format", answer.body)
            held(f"path {climb}", "404 not_found (or 400) wherever a path has a name")
        for place in places:
            self.refused(f"NUL in {place.replace(run, 'RUN')}", self.get(place + "x%00.html"), 400)

    def test_parameters(self):
        run = self.add(dump())["id"]
        for climb in self.CLIMBS:
            text = urllib.parse.quote(urllib.parse.unquote(climb))
            for query in (f"{RUNS}/{run}/source?file={text}", f"{RUNS}/{text}/original", f"/api/v1/lines?file={text}&runs={text}",
                          f"/api/v1/compare?base={text}&new={text}", f"/api/v1/trend?runs={text}"):
                answer = self.get(query)
                self.assertIn(answer.status, (400, 404), (query, answer.body[:200]))
                self.assertNotIn(b"root:", answer.body)
        held("the same in file=, base=, new=, runs= and as a RUN", "404 not_found or 400 bad_request")

    def test_names_of_files(self):
        before = self.places()
        for climb in ["../../evil", "/etc/evil", "..\\evil", "C:\\evil", "x\0/../evil", "..", "con", "a" * 5000, "\r\nX-Evil: 1", "evil\n", "~/evil"]:
            content = import_log() + os.urandom(8).hex().encode() + b"\n"
            body, kind = form(file_part(content, climb.replace("\r\n", "%0D%0A").replace("\n", "%0A")))
            answer = self.request("POST", RUNS + "?wait=1", body, Content_Type=kind)
            self.assertEqual(answer.status, 201, answer.body)
            self.assertNotRegex(answer.json["name"], r"[/\\\n\r]")
            self.assertNotIn("X-Evil", answer.headers)
        self.assertEqual(self.places(), before)
        held("file names of a form that climb, are absolute, hold NUL, CR LF", "only the last part is a name, no file is called so")

    def places(self):
        outside = [os.path.join(self.folder, name) for name in os.listdir(self.folder)]
        return sorted(outside + [name for name in os.listdir(self.data) if not name.startswith("catalog.db-")])

    def test_members_of_archives(self):
        before, names = self.places(), ["../../evil.log", "/tmp/perfshelf-evil.log", "..\\evil.log", "a/../../evil.log", "C:\\evil.log"]
        packed, tape = io.BytesIO(), io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for i, name in enumerate(names):
                archive.writestr(name, import_log() + b"%d\n" % i)
            link = zipfile.ZipInfo("link.log")
            link.external_attr = 0o120777 << 16
            archive.writestr(link, "/etc/passwd")
        with tarfile.open(fileobj=tape, mode="w") as archive:
            for i, name in enumerate(names):
                entry = tarfile.TarInfo(name)
                content = import_log("import csv") + b"%d\n" % i
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
            for kind, to in ((tarfile.SYMTYPE, "/etc/passwd"), (tarfile.LNKTYPE, "/etc/passwd"), (tarfile.CHRTYPE, ""), (tarfile.FIFOTYPE, "")):
                entry = tarfile.TarInfo(f"special{kind!r}.log")
                entry.type, entry.linkname = kind, to
                archive.addfile(entry)
        for what, content in (("zip", packed.getvalue()), ("tar", tape.getvalue())):
            answer = self.request("POST", RUNS + "?wait=1", content)
            self.assertEqual(answer.status, 201, answer.body)
            self.assertEqual(len([run for run in answer.json["runs"] if "id" in run]), len(names), answer.body)
            for run in answer.json["runs"]:
                if "id" in run:
                    self.assertNotIn(b"root:", self.get(f"{RUNS}/{run['id']}/original").body)
            held(f"members of a {what} that climb, are absolute, links, devices", "their names are names only; links are no profiles")
        self.assertEqual(self.places(), before)
        self.assertFalse(os.path.exists("/tmp/perfshelf-evil.log"))


class Names(Attack):
    """Script, formulas and line breaks in whatever has a name."""
    VIEWS = ["", "/notes", "/imports", "/packages", "/functions", "/files", "/calltree", "/graph", "/lines", "/operators", "/kernels", "/flame",
             "/stack_flame", "/stack_functions", "/tracks", "/timeline", "/find?q=img", "/memory", "/measurements", "/findings", "/overview", "/spans",
             "/categories", "/sources", "/source?file=1", "/workers", "/ranks", "/ranks/calls", "/ranks/step", "/summary", "/processes"]

    def test_script_in_every_name(self):
        for kind, content in profiles(SCRIPT).items():
            query = urllib.parse.urlencode({"wait": 1, "name": SCRIPT, "series": SCRIPT, "tag": f"{SCRIPT.replace('=', '')}={SCRIPT}", "who": SCRIPT,
                                            "filename": SCRIPT})
            run = self.request("POST", f"{RUNS}?{query}", content)
            self.assertEqual((run.status, run.json["kind"]), (201, kind), run.body)
            shown = 0
            for view in self.VIEWS:
                answer = self.get(f"{RUNS}/{run.json['id']}{view}")
                self.assertEqual((answer.headers["Content-Type"], answer.headers["X-Content-Type-Options"], answer.headers["Content-Security-Policy"]),
                                 ("application/json", "nosniff", POLICY), (kind, view))
                shown += answer.status == 200 and "onerror" in json.dumps(answer.json)
            self.assertGreater(shown, 0, kind)
            original = self.get(f"{RUNS}/{run.json['id']}/original")
            self.assertEqual((original.headers["Content-Type"], original.headers["Content-Disposition"][:11], original.headers["Content-Security-Policy"]),
                             ("application/octet-stream", "attachment;", POLICY))
            self.assertEqual(original.body, content)
            held(f"script in every name of {kind}", "JSON with nosniff and CSP; the original is a download")

    def test_formulas(self):
        for first in ("=", "+", "-", "@", "\t="):
            name = first + "HYPERLINK(\"http://evil.example\",1)"
            shown = 0
            for kind, view in (("importtime", "/imports"), ("pstats", "/functions"), ("hyperfine", "/measurements"), ("trace", "/operators"),
                               ("folded", "/stack_functions")):
                run = self.add(profiles(name)[kind], name=name.strip())
                answer = self.get(f"{RUNS}/{run['id']}{view}?format=csv")
                if answer.status != 200:
                    continue
                self.assertEqual((answer.headers["Content-Disposition"][:11], answer.headers["X-Content-Type-Options"]), ("attachment;", "nosniff"))
                cells = re.findall(r'(?:^|,|\n)("?)([=+@\t-][A-Z=])', answer.body.decode())
                self.assertEqual(cells, [], (kind, answer.body))
                shown += b"HYPERLINK" in answer.body
            self.assertGreater(shown, 1, first)
            held(f"a formula in CSV: a name that begins with {first!r}", "an apostrophe before it")

    def test_line_breaks(self):
        evil = "a\r\nSet-Cookie: evil=1\r\n\r\n<script>"
        for field in ("name", "series", "who", "tag", "filename"):
            answer = self.request("POST", f"{RUNS}?wait=1&{urllib.parse.urlencode({field: evil})}", dump())
            self.refused(f"CR LF in {field}", answer, 400)
            self.assertNotIn("Set-Cookie", answer.headers)
        self.refused("CR LF in the name of a path", self.request("PUT", f"{RUNS}/{urllib.parse.quote(evil, safe='')}?wait=1", dump()), 400)
        run = self.add(import_log("import bisect"))
        self.refused("CR LF in a name that is changed",
                     self.request("PATCH", f"{RUNS}/{run['id']}", json.dumps({"name": evil})), 400)
        for path in (f"/{urllib.parse.quote(evil)}", f"{RUNS}/{urllib.parse.quote(evil, safe='')}", f"/api/v1/jobs/{urllib.parse.quote(evil)}"):
            answer = self.get(path)
            self.assertIn(answer.status, (400, 404))
            self.assertNotIn("Set-Cookie", answer.headers)
        held("CR LF in a path", "404 not_found, in no header of the answer")
        odd = self.add(import_log("import heapq"), name='q"; filename="evil.exe')
        told = self.get(f"{RUNS}/{odd['id']}/original").headers["Content-Disposition"]
        self.assertEqual(told.count('"'), 2, told)
        held("quotes in a name, for Content-Disposition", "escaped: filename*=UTF-8''...")


class Wire(Attack):
    """What is no HTTP, or HTTP that two servers in a row read differently."""

    def post(self, *headers, body=b""):
        return b"POST %s?wait=1 HTTP/1.1\r\n%s%s\r\n\r\n%s" % (RUNS.encode(), HOST, b"\r\n".join(headers), body)

    def test_smuggling(self):
        second = b"DELETE %s/x HTTP/1.1\r\n%s\r\n" % (RUNS.encode(), HOST)
        length = b"Content-Length: "
        chunked = b"Transfer-Encoding: chunked"
        for attack, data in {
                "Content-Length and Transfer-Encoding": self.post(length + b"4", chunked, body=b"0\r\n\r\n" + second),
                "the same, the other way round": self.post(chunked, length + b"%d" % (len(second) + 5), body=b"0\r\n\r\n" + second),
                "two lengths": self.post(length + b"0", length + b"%d" % len(second), body=second),
                "two equal lengths": self.post(length + b"3", length + b"3", body=b"abc" + second),
                "a list of lengths": self.post(length + b"3, 3", body=b"abc" + second),
                "a signed length": self.post(length + b"+3", body=b"abc" + second),
                "a length in hexadecimal": self.post(length + b"0x3", body=b"abc" + second),
                "a length below zero": self.post(length + b"-3", body=second),
                "two codings": self.post(chunked, b"Transfer-Encoding: identity", body=b"0\r\n\r\n" + second),
                "an unknown coding": self.post(b"Transfer-Encoding: xchunked", body=b"0\r\n\r\n" + second),
                "a list of codings": self.post(b"Transfer-Encoding: gzip, chunked", body=b"0\r\n\r\n" + second),
                "a space before the colon": self.post(b"Transfer-Encoding : chunked", length + b"0", body=b"0\r\n\r\n" + second),
                "a folded Host": b"GET / HTTP/1.1\r\nHost: localhost\r\n evil.example\r\n\r\n",
                "a bare CR": self.post(b"X: y\rContent-Length: 9", body=second),
                "two Hosts": b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
                "two Hosts, the other way round": b"GET / HTTP/1.1\r\nHost: evil.example\r\nHost: localhost\r\n\r\n",
                "no Host": b"GET / HTTP/1.1\r\n\r\n",
                "a bad size of a chunk": self.post(chunked, body=b"-1\r\nabc\r\n0\r\n\r\n" + second),
                "words behind the size of a chunk": self.post(chunked, body=b"3 x\r\nabc\r\n0\r\n\r\n" + second)}.items():
            answer = self.cut(f"smuggling: {attack}", data, 400)
            self.assertNotIn(b"DELETE", answer)
        self.cut("a NUL in the name of a header", b"GET / HTTP/1.1\r\n" + HOST + b"X\0Y: z\r\n\r\n", 400)
        self.cut("a folded line before all headers", b"GET / HTTP/1.1\r\n X: y\r\n" + HOST + b"\r\n", 400)
        self.cut("a chunk beyond 64 bits", self.post(chunked, body=b"f" * 20 + b"\r\nabc"), 413)
        self.cut("a length beyond 64 bits", self.post(length + b"9" * 30), 413)

    def test_no_http(self):
        for attack, data, *allowed in (
                ("HTTP/0.9", b"GET /api/v1/shelf\r\n\r\n", 400), ("HTTP/2 prior knowledge", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
                ("HTTP/9.9", b"GET / HTTP/9.9\r\n" + HOST + b"\r\n", 505, 400)):
            self.cut(attack, data, *allowed)
        for attack, data in (("TLS to a plain port", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200) + b"\r\n\r\n"),
                             ("a request line of one word", b"GET\r\n\r\n")):
            self.assertLessEqual(set(statuses(talk(self.server, data, 5))), {400})
            held(attack, "400 or closed")

    def test_targets(self):
        end = b"Connection: close\r\n\r\n"
        for attack, target, host, allowed in (("absolute form of another site", b"http://evil.example/api/v1/shelf", b"localhost", (404,)),
                                              ("absolute form of ours", b"http://localhost/api/v1/shelf", b"localhost", (404,)),
                                              ("no slash", b"api/v1/shelf", b"localhost", (400, 404)), ("*", b"*", b"localhost", (404,)),
                                              ("a proxy's CONNECT", b"evil.example:443", b"localhost", (404,))):
            method = b"CONNECT" if b":443" in target else b"OPTIONS" if target == b"*" else b"GET"
            self.cut(f"target: {attack}", b"%s %s HTTP/1.1\r\nHost: %s\r\n%s" % (method, target, host, end), *allowed)
        answer = self.cut("TRACE", b"TRACE / HTTP/1.1\r\n" + HOST + b"Cookie: secret=1\r\n" + end, 405)
        self.assertNotIn(b"secret", answer)
        answer = talk(self.server, b"GET /api/v1/shelf HTTP/1.1\r\n" + HOST + b"Upgrade: h2c\r\nHTTP2-Settings: AAAA\r\nConnection: Upgrade, HTTP2-Settings, close\r\n\r\n")
        self.assertEqual(statuses(answer), [200])
        held("upgrade to HTTP/2", "ignored")

    def test_too_much(self):
        self.cut("a URL of 4 MB: 1,000,000 parameters", b"GET /?" + b"a=1&" * 1_000_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", 414, 413, 431)
        self.cut("100,000 headers", b"GET / HTTP/1.1\r\n" + HOST + b"X-A: b\r\n" * 100_000 + b"\r\n", 431, 413)
        self.cut("a header of 1 MB", b"GET / HTTP/1.1\r\n" + HOST + b"X-A: " + b"b" * 1_000_000 + b"\r\n\r\n", 431, 413)
        self.cut("a method of 1 MB", b"G" * 1_000_000 + b" / HTTP/1.1\r\n" + HOST + b"\r\n", 414, 413, 431, 400)
        for count in (257, 500, 5000):
            self.refused(f"{count} parameters", self.get("/api/v1/shelf?" + "&".join("a=1" for _ in range(count))), 400)
        self.refused("a Content-Length of 9 GB", self.server.request("POST", RUNS, headers={"Content-Length": "9000000000", "Expect": "100-continue"}), 413)
        self.refused("a JSON body of 64 KiB + 1", self.request("PATCH", RUNS + "/x", b" " * 65537), 413)
        fields, kind = form(*[('Content-Disposition: form-data; name="tag"', b"x=y")] * 1000)
        self.refused("a form of 1,000 fields", self.request("POST", RUNS + "?wait=1", fields, Content_Type=kind), 400)
        for path in (RUNS, f"{RUNS}?q={'(a%2B)%2B' * 20}", f"{RUNS}?limit=9223372036854775807&offset=9223372036854775807", f"{RUNS}?limit=-1", f"{RUNS}?limit=1e9"):
            self.assertIn(self.get(path).status, (200, 400))

    def test_ranges(self):
        run = self.add(dump())["id"]
        whole = self.get(f"{RUNS}/{run}/original").body
        for ranges in ("bytes=0-0," + ",".join(f"{i}-{i}" for i in range(500)), "bytes=-1", "bytes=9-1", "bytes=0-18446744073709551616", "lines=1-2"):
            answer = self.get(f"{RUNS}/{run}/original", Range=ranges)
            self.assertEqual((answer.status, answer.body), (200, whole))
        held("many, overlapping, senseless ranges", "no ranges are served: the whole, once")

    def test_head_and_options(self):
        run = self.add(dump())["id"]
        for path in ("/", RUNS, f"{RUNS}/{run}", f"{RUNS}/{run}/functions", "/api/v1/jobs"):
            head = self.request("HEAD", path)
            self.assertEqual((head.status, head.body), (200, b""))
            options = self.request("OPTIONS", path)
            self.assertEqual((options.status, "Access-Control-Allow-Origin" in options.headers), (405, False))
        held("OPTIONS", "405 method")
        self.assertEqual(self.request("HEAD", f"{RUNS}/{run}/nothing").status, 404)


class Content(Attack):
    """Bodies that are small until somebody reads them."""

    def test_bombs(self):
        head = import_log()
        bomb = gzip.compress(head + bytes(300 << 20), 9)
        self.refused(f"gzip bomb: {len(bomb)} bytes that become 300 MB", self.request("POST", RUNS + "?wait=1", bomb), 413)
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.log", head + bytes(300 << 20))
            archive.writestr("b.log", head + bytes(300 << 20))
        answer = self.request("POST", RUNS + "?wait=1", packed.getvalue())
        codes = [answer.json.get("error", {}).get("code")] + [run.get("error", {}).get("code") for run in answer.json.get("runs", [])]
        self.assertIn("too_large", codes, answer.body[:500])
        held(f"zip bomb: {len(packed.getvalue())} bytes that become 600 MB", "413 too_large")
        nested = head
        for _ in range(20):
            nested = gzip.compress(nested)
        self.assertIn(self.request("POST", RUNS + "?wait=1", nested).status, (413, 415, 422))
        held("gzip in gzip, 20 times", "415: only the outermost is opened")
        many = io.BytesIO()
        with zipfile.ZipFile(many, "w") as archive:
            for i in range(10_001):
                archive.writestr(f"{i}.log", b"")
        self.refused("a zip of 10,001 files", self.request("POST", RUNS + "?wait=1", many.getvalue()), 413)
        self.assertSpoolEmpties()

    def test_depth(self):
        deep = b"[" * 30_000 + b"]" * 30_000
        run = self.add(import_log("import queue"))
        for path, method in ((f"{RUNS}/{run['id']}", "PATCH"), ("/api/v1/login", "POST")):
            self.refused(f"{method} with JSON 30,000 deep", self.request(method, path, deep), 400)
        for what, content in {"a trace": b'{"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":1,"pid":1,"tid":1,"args":' + b'{"a":' * 500_000 + b"1" + b"}" * 500_000 + b"}]}",
                              "nothing but [": b"[" * 5_000_000, "speedscope": b'{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":' + b"[" * 1_000_000}.items():
            answer = self.request("POST", RUNS + "?wait=1", content)
            self.assertLess(answer.status, 500, answer.body)
            told = answer.error["code"] if answer.status >= 400 else f"taken, {answer.json['ledger']['rejected']} rejected"
            held(f"JSON of a profile, {what}, a million deep", f"{answer.status} {told}")

    def test_sql_words(self):
        words = "x'; DROP TABLE run; --"
        text = urllib.parse.quote(words)
        run = self.add(dump(), name=words)
        for path in (f"{RUNS}?q={text}&sort={text}&kind={text}", f"{RUNS}/{run['id']}/functions?q={text}&sort={text}", f"{RUNS}/{text}"):
            self.assertIn(self.get(path).status, (200, 400, 404))
        self.assertEqual(self.get_json(f"{RUNS}/{run['id']}")["name"], words)
        held("SQL in names, searches, sort keys", "bound as text; 400 for an unknown sort key")


class Slow(unittest.TestCase):
    """Clients that hold connections by being slow; all at once, for each takes its minute."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="perfshelf-slow-")
        self.server = Server(os.path.join(self.folder.name, "shelf"))

    def tearDown(self):
        code, said = self.server.end()
        self.server.process.stdout.close()
        self.folder.cleanup()
        self.assertEqual(code, 0, said)

    def reader(self, run):
        link = socket.socket()
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        link.settimeout(30)
        link.connect((self.server.host, self.server.port))
        link.sendall(b"GET %s/%s/original HTTP/1.1\r\n%s\r\n" % (RUNS.encode(), run.encode(), HOST))
        return link

    def test_slow_clients_are_dropped(self):
        content = import_log() + b"".join(os.urandom(50).hex().encode() + b"\n" for _ in range(160_000))
        run = self.server.request("POST", RUNS + "?wait=1", content).json["id"]
        links = {"nothing at all": self.server.socket(), "headers a byte at a time": self.server.socket(),
                 "a body a byte at a time": self.server.socket(), "an answer a byte a second": self.reader(run),
                 "an answer at 100 bytes a second": self.reader(run)}
        links["headers a byte at a time"].sendall(b"GET / HTTP/1.1\r\n" + HOST + b"X: ")
        links["a body a byte at a time"].sendall(b"POST %s HTTP/1.1\r\n%sContent-Length: 100000\r\n\r\n" % (RUNS.encode(), HOST))
        began, ended = time.monotonic(), {}
        while len(ended) < len(links) and time.monotonic() - began < 150:
            for what, link in links.items():
                if what not in ended and self.dropped(what, link):
                    ended[what] = time.monotonic() - began
            time.sleep(1)  # the pace of these clients
        for link in links.values():
            link.close()
        self.assertEqual(set(ended), set(links))
        for what, seconds in ended.items():
            self.assertGreater(seconds, 15, what)
            held(f"slow-loris: {what}", f"dropped after {seconds:.0f} s")
        self.assertEqual(self.server.request("GET", "/api/v1/health").status, 200)

    def is_held(self, port):
        """Whether a process has the server's end of a connection."""
        with open("/proc/net/tcp", encoding="ascii") as file:
            rows = [row.split() for row in file]
        ends = f":{self.server.port:04X}", f":{port:04X}"
        return any((row[1][-5:], row[2][-5:]) == ends and row[9] != "0" for row in rows)

    def dropped(self, what, link):
        try:
            if what.startswith("an answer"):
                link.recv(100 if "100" in what else 1)
                return not self.is_held(link.getsockname()[1]) # what kernels hold is there to be read after the end, too
            if what != "nothing at all":
                link.send(b"a")
            link.setblocking(False)
            return link.recv(4096) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True
        finally:
            link.settimeout(5)


if __name__ == "__main__":
    unittest.main()
