# SPDX-License-Identifier: MIT
"""`perfshelf add --server`: what it puts on a shelf over a line that drops, and what it says when it cannot."""
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from access_http import token
from archives_http import mixed, zipped
from server import PROGRAM, RUNS, Server, big_log, dump, import_log, slow_log
from wait import wait_until  # where server.py looks
from sources_http import SOURCE, make_lprof


class Line:
    """A proxy that passes so many bytes of a connection, in both directions together, and then cuts it."""

    def __init__(self, to, lengths, delay=0.0):
        self.to, self.lengths, self.delay, self.cuts, self.heard = to, lengths, delay, 0, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self.to))
            except OSError:
                client.close()  # it is being started anew
                continue
            left = [next(self.lengths, None)]
            for here, there in ((client, server), (server, client)):
                threading.Thread(target=self.pass_on, args=(here, there, left), daemon=True).start()

    def pass_on(self, here, there, left):
        try:
            while data := here.recv(16384):
                self.heard.append(data[:64])
                time.sleep(self.delay)
                if left[0] is not None and len(data) >= left[0]:
                    there.sendall(data[:left[0]])
                    self.cuts += 1
                    break
                left[0] = None if left[0] is None else left[0] - len(data)
                there.sendall(data)
        except OSError:
            pass
        for link in (here, there):
            try:
                link.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            link.close()

    def close(self):
        self.listener.close()


class Remote(unittest.TestCase):
    args = ()

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="perfshelf-remote-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.data = os.path.join(self.folder, "shelf")
        self.server = self.start()

    def start(self, *args):
        server = Server(self.data, *(args or self.args))
        self.addCleanup(server.process.stdout.close)
        self.addCleanup(server.process.stderr.close)
        self.addCleanup(server.process.wait)
        self.addCleanup(server.process.kill)
        return server

    def file(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def add(self, *words, port=None, url=None, secret=None, stdin=None):
        env = dict(os.environ)
        env.pop("PERFSHELF_TOKEN", None)
        if secret:
            env["PERFSHELF_TOKEN"] = secret
        url = url or f"http://127.0.0.1:{port or self.server.port}"
        return subprocess.run([PROGRAM, "add", "--server", url, *words], capture_output=True, timeout=200, env=env, input=stdin)

    def added(self, *words, **how):
        done = self.add(*words, "--json", **how)
        self.assertEqual((done.returncode, done.stderr), (0, b""), done.stdout)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def same(self, there, here):
        """What a command says about a shelf that is served is what it says about a folder, and the address of the run."""
        said = re.sub(rb',"url":"[^"]*"', b"", there.stdout)
        warned = re.sub(rb"(?m)^perfshelf: .*: note: created a new shelf\n", b"", here.stderr)
        self.assertEqual((there.returncode, said, there.stderr), (here.returncode, here.stdout, warned))

    def original(self, run):
        return self.server.request("GET", f"{RUNS}/{run['id']}/original").body


class Sources(Remote):
    """Of line profiles they go along, from where they are found locally, and with the same words."""

    def states(self, server, run):
        return {row["path"]: (row["state"], row["sha256"]) for row in server.request("GET", f"{RUNS}/{run}/sources").json["rows"]}

    def both(self, *words):
        """What is said and attached by both ways, which is the same."""
        local = os.path.join(self.folder, "local")
        here = subprocess.run([PROGRAM, "add", "--data", local, "--json", *words], capture_output=True, timeout=60)
        there = self.add("--json", *words)
        self.same(there, here)
        self.assertEqual(there.returncode, 0)
        run = json.loads(there.stdout)["id"]
        shelf = Server(local)
        states = self.states(shelf, run)
        self.assertEqual(shelf.end()[0], 0)
        self.assertEqual(self.states(self.server, run), states)
        return [state for state, _ in states.values()], there.stderr

    def source(self, name, content, age):
        os.makedirs(os.path.dirname(os.path.join(self.folder, name)), exist_ok=True)
        path = self.file(name, content)
        os.utime(path, (1_000_000_000 + age, 1_000_000_000 + age))
        return path

    def profile(self, *paths, ticks=100):
        content = make_lprof.dump({(path, 1, "work"): [(2, 1, ticks)] for path in paths})
        return self.source("app.lprof", content, 500)

    def test_from_where_it_was(self):
        here, later = self.source("src/here.py", SOURCE, 0), self.source("src/later.py", SOURCE + b"#\n", 900)
        states, said = self.both(self.profile(here, later, "/nowhere/gone.py", "src/here.py"))
        self.assertEqual(states, ["attached", "changed", "missing", "attached"])
        self.assertRegex(said, b"^perfshelf: [^\n]*app.lprof: note: changed after the profile was written[^\n]*later.py\n$")

    def test_below_a_root(self):
        self.source("tree/pkg/mod.py", SOURCE, 0)
        self.source("secret.py", SOURCE, 0)
        profile = self.profile("/build/pkg/mod.py", "/build/../secret.py", "/build/gone.py")
        states, said = self.both(profile, "--source-root", os.path.join(self.folder, "tree"))
        self.assertEqual(states, ["attached", "missing", "missing"])
        self.assertIn(b"sources not found below --source-root", said)
        self.source("tree/pkg/mod.py", SOURCE + b"# another\n", 0)  # in place of the first, of a run that is there
        self.assertEqual(self.both(profile, "--source-root", os.path.join(self.folder, "tree"))[0], ["attached", "missing", "missing"])

    def test_of_an_archive(self):
        path = self.source("src/here.py", SOURCE, 0)
        packed = zipped([("a.lprof", make_lprof.dump({(path, 1, "work"): [(2, 1, 7)]})), ("b.log", import_log())])
        runs = self.added(self.source("both.zip", packed, 500))
        self.assertEqual([state for state, _ in self.states(self.server, runs[0]["id"]).values()], ["attached"])


class Busy(Remote):
    args = ("--queue", "1")

    def test_a_full_queue_is_waited_for(self):
        slow = self.server.request("POST", RUNS, slow_log()).json["job"]["id"]
        line = Line(self.server.port, iter(()))
        self.addCleanup(line.close)
        path = self.file("later.log", import_log())
        adding = subprocess.Popen([PROGRAM, "add", "--server", f"http://127.0.0.1:{line.port}", path, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_until(lambda: any(b"HTTP/1.1 503" in data for data in line.heard), 30, lambda: f"503 among {line.heard}")
        self.server.request("DELETE", f"/api/v1/jobs/{slow}")
        said, wrong = adding.communicate(timeout=60)
        self.assertEqual((adding.returncode, wrong), (0, b""))
        self.assertEqual(self.original(json.loads(said)), import_log())
        self.assertEqual(sum(data.startswith(b"POST /api/v1/uploads HTTP") for data in line.heard), 1, "its bytes went once")


NOTE = "two\nlines & <b>\u2603</b>" + "\U0001f642" * 3900  # longer than a URL may be


class Plain(Remote):
    def test_the_same_as_locally(self):
        files = [self.file("a.log", import_log()), self.file("b.prof", dump()), self.file("c.zip", zipped(mixed(b"r\n")))]
        labels = ["--series", "späte & so", "--note", NOTE, "--tag", "branch=main", "--tag", "empty="]
        local = os.path.join(self.folder, "local")
        here = subprocess.run([PROGRAM, "add", "--data", local, *files, *labels, "--json"], capture_output=True, timeout=60)
        there = self.add(*files, *labels, "--json")
        self.same(there, here)
        runs = [json.loads(line) for line in there.stdout.splitlines()]
        self.assertEqual(len(runs), 4)
        shown = self.server.request("GET", f"{RUNS}/{runs[0]['id']}").json
        self.assertEqual((shown["series"], shown["note"], shown["tags"]), ("späte & so", NOTE, {"branch": "main", "empty": ""}))
        again = self.add(*files, *labels, "--json")
        self.assertEqual([json.loads(line)["already"] for line in again.stdout.splitlines()], [True] * 4)

    def test_pipes_folders_names(self):
        run, = self.added("-", "--name", "a/b ?&=%", stdin=dump())
        self.assertEqual((run["name"], run["kind"]), ("a/b ?&=%", "pstats"))
        self.file("x.log", import_log("import csv"))
        self.file("notes.txt", b"nothing\n")
        done = self.add(self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"x.log", done.stdout)
        self.assertIn(b"notes.txt: skipped", done.stderr)

    def test_failures(self):
        damaged, odd = self.file("d.prof", dump()[:-30]), self.file("odd", b"\xff\x00" * 99)
        done = self.add("--json", damaged, odd)
        self.assertEqual((done.returncode, len(done.stdout.splitlines()), len(done.stderr.splitlines())), (1, 0, 2), done.stderr)
        self.same(done, subprocess.run([PROGRAM, "add", "--json", "--data", os.path.join(self.folder, "l"), damaged, odd], capture_output=True, timeout=60))
        done = self.add("--json", damaged, odd, self.file("ok.log", import_log("import cmd")))
        self.assertEqual((done.returncode, len(done.stdout.splitlines()), len(done.stderr.splitlines())), (1, 1, 2), done.stderr)

    def test_nobody_there(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        done = self.add(self.file("a", dump()), port=port)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"Could", done.stderr)
        for url in ("localhost:7700", "ftp://localhost", "file:///etc/passwd", "http://localhost/?x=1"):
            done = self.add(self.file("a", dump()), url=url)
            self.assertEqual((done.returncode, b"http://HOST:PORT or https://HOST" in done.stderr), (2, True), done.stderr)

    def test_something_else_there(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            def answer():
                link, _ = other.accept()
                link.recv(65536)
                link.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
            threading.Thread(target=answer, daemon=True).start()
            done = self.add(self.file("a", dump()), port=other.getsockname()[1])
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"the answer is not that of a perfshelf server", done.stderr)


class Dropped(Remote):
    def test_resumes_wherever_it_is_cut(self):
        content = big_log(60000, seed=5)
        path, rng = self.file("big.log", content), random.Random(11)
        lengths = (rng.choice((rng.randrange(1, 2000), rng.randrange(1, 700_000))) for _ in range(25))
        line = Line(self.server.port, lengths, 0.0005)
        run, = self.added(path, port=line.port)
        line.close()
        self.assertGreater(line.cuts, 4)
        self.assertEqual((run["bytes"], run["rows"]), (len(content), 60000))
        self.assertEqual(self.original(run), content)
        self.assertEqual(self.server.request("GET", RUNS).json["total"], 1)

    def test_goes_on_with_a_server_that_was_killed(self):
        content = os.urandom(1).hex().encode().join([import_log(), b"\n"]) + big_log(200000, seed=6)
        path = self.file("big.log", content)
        line = Line(self.server.port, iter(()), 0.01)
        adding = subprocess.Popen([PROGRAM, "add", "--server", f"http://127.0.0.1:{line.port}", path, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_until(self.partials, 30, "the server has begun to receive it")
        self.server.process.send_signal(signal.SIGKILL)
        self.server.process.wait(30)
        self.assertEqual(self.partials(), 1)
        self.server = self.start()
        line.to = self.server.port
        out, said = adding.communicate(timeout=120)
        line.close()
        self.assertEqual((adding.returncode, said), (0, b""))
        self.assertEqual(self.original(json.loads(out)), content)

    def partials(self):
        """Files of the spool that have grown by a piece."""
        spool = os.path.join(self.data, "spool")
        return sum(os.path.getsize(os.path.join(spool, name)) >= 1 << 20 for name in os.listdir(spool)) and 1


class Pieces(Remote):
    args = ("--tokens",)

    def setUp(self):
        super().setUp()
        self.tokens = {name: token(self.data, "add", name, "--role", role)[1]
                       for name, role in (("mei", "uploader"), ("bo", "uploader"), ("vi", "viewer"))}

    def ask(self, method, path, who="mei", body=None):
        return self.server.request(method, "/api/v1/" + path, body, {"Authorization": "Bearer " + self.tokens[who]})

    def test_tokens(self):
        path = self.file("a.prof", dump())
        self.assertEqual(self.added(path, secret=self.tokens["mei"])[0]["kind"], "pstats")
        self.assertTrue(self.added(path, "--token", self.tokens["mei"])[0]["already"])
        self.assertEqual(self.server.request("GET", RUNS, headers={"Authorization": "Bearer " + self.tokens["vi"]}).json["rows"][0]["who"], "mei")
        for secret, word in ((None, b"needs a token"), ("psf_000000000000_" + "A" * 43, b"does not have this token"),
                             (self.tokens["vi"], b"role uploader is needed")):
            done = self.add(path, secret=secret)
            self.assertEqual((done.returncode, word in done.stderr), (1, True), done.stderr)
            self.assertNotIn((secret or "A" * 43).encode(), done.stdout + done.stderr)
        self.assertEqual(self.add(path, "--token", "a\r\nX: y").returncode, 1)

    def test_they_belong_to_who_began(self):
        begun = self.ask("POST", "uploads")
        self.assertEqual((begun.status, begun.json["bytes"], begun.headers["Location"]), (201, 0, "/api/v1/uploads/" + begun.json["id"]))
        where = "uploads/" + begun.json["id"]
        for method, path in (("GET", where), ("PUT", where + "?offset=0"), ("POST", where + "/end?bytes=0")):
            self.assertEqual(self.ask(method, path, "bo", b"x" if method == "PUT" else None).status, 404)
            self.assertEqual(self.ask(method, path, "vi", b"x" if method == "PUT" else None).status, 403)
        content = dump()
        self.assertEqual(self.ask("PUT", where + "?offset=0", body=content[:100]).json["bytes"], 100)
        for offset in (0, 99, 101, 10 ** 18):
            self.assertEqual(self.ask("PUT", f"{where}?offset={offset}", body=b"x").status, 409)
        for query in ("", "?offset=-1", "?offset=x", "?offset=99999999999999999999"):
            self.assertEqual(self.ask("PUT", where + query, body=b"x").status, 400)
        self.assertEqual(self.ask("PUT", where + "?offset=100", body=b"").status, 400)
        self.assertEqual(self.ask("PUT", where + "?offset=100", body=bytes((16 << 20) + 1)).status, 413)
        self.assertEqual(self.ask("POST", where + "/end?bytes=99").status, 409)
        self.assertEqual(self.ask("PUT", where + "?offset=100", body=content[100:]).json["bytes"], len(content))
        self.assertEqual(self.ask("POST", f"{where}/end?bytes={len(content)}&name=a%0ab").status, 400)
        run = self.ask("POST", f"{where}/end?bytes={len(content)}&name=n&wait=1")
        self.assertEqual((run.status, run.json["name"], run.json["who"]), (201, "n", "mei"), run.body)
        self.assertEqual(self.ask("GET", where).status, 404)
        self.assertEqual(os.listdir(os.path.join(self.data, "spool")), [])

    def test_nobody_has_too_many(self):
        seen = [self.ask("POST", "uploads").status for _ in range(34)]
        self.assertEqual(seen, [201] * 32 + [409] * 2)
        self.assertEqual(self.ask("POST", "uploads", "bo").status, 201)
        self.assertEqual(len(os.listdir(os.path.join(self.data, "spool"))), 33)


@unittest.skipUnless(shutil.which("openssl"), "openssl makes the certificate")
class Tls(unittest.TestCase):
    def test_own_authority(self):
        with tempfile.TemporaryDirectory() as folder:
            cert, key, path = (os.path.join(folder, name) for name in ("cert.pem", "key.pem", "a.prof"))
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "2",
                            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)
            with open(path, "wb") as file:
                file.write(dump())
            process = subprocess.Popen([PROGRAM, "serve", "--data", os.path.join(folder, "shelf"), "--listen", "127.0.0.1:0", "--tls-cert", cert,
                                        "--tls-key", key], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            port = int(process.stdout.readline().strip().rstrip("/").rsplit(":", 1)[1])
            command = [PROGRAM, "add", path, "--json", "--server"]
            good = subprocess.run([*command, f"https://localhost:{port}", "--ca", cert], capture_output=True, timeout=60)
            stranger = subprocess.run([*command, f"https://localhost:{port}"], capture_output=True, timeout=60)
            plain = subprocess.run([*command, f"http://localhost:{port}"], capture_output=True, timeout=60)
            other_name = subprocess.run([*command, f"https://127.0.0.1:{port}", "--ca", cert], capture_output=True, timeout=60)
            process.terminate()
            process.communicate(timeout=30)
            self.assertEqual((good.returncode, json.loads(good.stdout)["kind"]), (0, "pstats"), good.stderr)
            self.assertEqual((stranger.returncode, other_name.returncode, plain.returncode), (1, 1, 1))
            for done, hint in ((stranger, b"--ca FILE"), (other_name, b"--ca FILE"), (plain, b"https://")):
                self.assertIn(hint, done.stderr)


if __name__ == "__main__":
    unittest.main()
