# SPDX-License-Identifier: MIT
"""docker/compose.scale.yml and haproxy.cfg: what they rely on, and the same commands on this machine, with a real balancer and database."""
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

import clean_root
import dockerfile
import yaml
from compose_docker import DOCKER, IMPORTS_AT_STOP_S, seconds

for folder in ("", "http"):
    sys.path.insert(0, os.path.join(clean_root.ROOT, "tests", folder))
import balancer  # noqa: E402
from ports import free_port  # noqa: E402
from postgres import Postgres, needs_postgresql  # noqa: E402
from server import PROGRAM, RUNS, import_log  # noqa: E402

SERVERS = ("perfshelf-1", "perfshelf-2", "perfshelf-3")
SAID = {"SHELF_DB_PASSWORD": "hidden"}
VARIABLE = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")
STRANGER = "127.0.0.9"  # an address of this machine from which nobody else asks


def filled_in(text, said):
    """What compose makes of ${NAME}, ${NAME:-else} and ${NAME:?complaint}."""
    def value(match):
        if match[1] in said or match[2] == "-":
            return said.get(match[1], match[3])
        raise KeyError(match[1])

    return VARIABLE.sub(value, text)


def compose(said):
    with open(os.path.join(DOCKER, "compose.scale.yml"), encoding="utf-8") as file:
        return yaml.safe_load(filled_in(file.read(), said))


class Files(unittest.TestCase):
    def setUp(self):
        self.whole = compose(SAID)
        self.services = self.whole["services"]
        self.stage = dockerfile.stages(os.path.join(DOCKER, "Dockerfile"))[-1]
        self.servers = [self.services[name] for name in SERVERS]

    def test_services(self):
        self.assertEqual(set(self.services), {"balancer", "postgresql", *SERVERS})
        for name in ("balancer", "postgresql"):
            self.assertRegex(self.services[name]["image"], r"^(haproxy|postgres):\d+(\.\d+)*-bookworm$")
        self.assertRaises(KeyError, compose, {})  # no password, no shelf

    def test_servers_differ_in_their_volumes_alone(self):
        volumes = [server.pop("volumes") for server in self.servers]
        self.assertEqual(self.servers[1:], self.servers[:1] * 2)
        names, targets = zip(*(volume.split(":") for [volume] in volumes))
        self.assertEqual((len(set(names)), list(targets)), (3, self.stage.volumes * 3))
        self.assertEqual(set(self.whole["volumes"]), {*names, self.services["postgresql"]["volumes"][0].split(":")[0]})

    def test_servers_are_of_this_checkout(self):
        build = self.servers[0]["build"]
        context = os.path.normpath(os.path.join(DOCKER, build["context"]))
        self.assertEqual((context, build["dockerfile"]), (clean_root.ROOT, "docker/Dockerfile"))

    def test_every_option_is_one_of_serve(self):
        command = self.servers[0]["command"]
        known = subprocess.run([PROGRAM, "serve", "--help"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(self.stage.entrypoint + command[:1], ["perfshelf", "serve"])
        for word in command:
            if word.startswith("--"):
                self.assertRegex(known, rf"(?m)^ +{word}\b")
        self.assertIn("PERFSHELF_STORE", known)
        self.assertEqual(command[command.index("--data") + 1], self.stage.volumes[0])
        self.assertEqual(command[command.index("--listen") + 1], self.stage.command[self.stage.command.index("--listen") + 1])
        self.assertIn("--proxy", command)

    def test_database(self):
        database, environment = self.services["postgresql"], self.servers[0]["environment"]
        url = urllib.parse.urlsplit(environment["PERFSHELF_STORE"])
        said = database["environment"]
        self.assertEqual((url.hostname, url.username, url.path), ("postgresql", said["POSTGRES_USER"], "/" + said["POSTGRES_DB"]))
        self.assertIsNone(url.password)
        self.assertEqual(environment["PGPASSWORD"], said["POSTGRES_PASSWORD"])
        self.assertEqual(self.servers[0]["depends_on"], {"postgresql": {"condition": "service_healthy"}})
        self.assertNotIn("ports", database)
        test = database["healthcheck"]["test"]
        self.assertEqual((test[1], test[test.index("-U") + 1], test[test.index("-d") + 1]),
                         ("pg_isready", said["POSTGRES_USER"], said["POSTGRES_DB"]))

    def test_balancer(self):
        service = self.services["balancer"]
        [ports], [mounted] = service["ports"], service["volumes"]
        address, _, inside = ports.split(":")
        self.assertEqual(address, "127.0.0.1")
        self.assertEqual(balancer.BIND.search(balancer.config())[2], f":{inside}")
        self.assertEqual([match[2] for match in balancer.SERVER.finditer(balancer.config())],
                         [f"{name}:{self.stage.ports[0]}" for name in SERVERS])
        self.assertEqual(mounted, "./haproxy.cfg:/usr/local/etc/haproxy/haproxy.cfg:ro")
        self.assertEqual(sorted(service["depends_on"]), sorted(SERVERS))

    def test_held_tight(self):
        for service in [*self.servers, self.services["balancer"]]:
            self.assertEqual((service["read_only"], service["cap_drop"], service["security_opt"]),
                             (True, ["ALL"], ["no-new-privileges:true"]))
        self.assertGreater(seconds(self.servers[0]["stop_grace_period"]), IMPORTS_AT_STOP_S)
        for service in self.services.values():
            self.assertEqual(service["restart"], "unless-stopped")
            for word in ("privileged", "cap_add", "network_mode", "pid"):
                self.assertNotIn(word, service)

    @unittest.skipUnless(balancer.program(), "there is no haproxy on this machine (package haproxy)")
    def test_haproxy_understands_its_file(self):
        with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
            file.write(balancer.configured("127.0.0.1:7700", [f"127.0.0.1:{n}" for n in (7701, 7702, 7703)]))
            file.flush()
            said = subprocess.run([balancer.program(), "-c", "-f", file.name], capture_output=True, text=True)
        self.assertEqual((said.returncode, said.stderr), (0, ""), said.stdout)


class Shelf:
    """What compose.scale.yml would start, without containers: each server on an address of its own, all on one port."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="perfshelf-scale-")
        self.postgres = Postgres()
        self.environment = dict(os.environ, PERFSHELF_STORE=self.postgres.database())
        port = free_port()
        self.addresses = [f"127.0.1.{n + 1}:{port}" for n in range(len(SERVERS))]
        self.servers = [self.start(n) for n in range(len(SERVERS))]
        self.token = self.run("token", "add", "mei", "--role", "admin").split()[-1]
        self.balancer = balancer.Balancer(self.folder, self.addresses)

    def words(self, n):
        there = {"/data": os.path.join(self.folder, str(n)), "0.0.0.0:7700": self.addresses[n]}
        return [there.get(word, word) for word in compose(SAID)["services"][SERVERS[n]]["command"]]

    def start(self, n):
        with open(os.path.join(self.folder, f"{n}.log"), "ab") as log:
            process = subprocess.Popen([PROGRAM, *self.words(n)], env=self.environment, stdout=subprocess.PIPE, stderr=log, text=True)
        line = process.stdout.readline()
        if "serves" not in line:
            with open(os.path.join(self.folder, f"{n}.log"), encoding="utf-8") as log:
                raise AssertionError(f"{SERVERS[n]} does not start: {line}{log.read()}")
        return process

    def run(self, *words):
        """A command in the container of the first server."""
        done = subprocess.run([PROGRAM, *words, "--data", os.path.join(self.folder, "0")], env=self.environment,
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise AssertionError(f"{words}: {done.stderr}")
        return done.stdout

    def close(self):
        self.balancer.close()
        for server in self.servers:
            server.terminate()
        for server in self.servers:
            server.communicate(timeout=60)
        self.postgres.close()
        shutil.rmtree(self.folder)


@unittest.skipUnless(balancer.program(), "there is no haproxy on this machine (package haproxy)")
@needs_postgresql
class Running(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shelf = Shelf()
        cls.addClassCleanup(cls.shelf.close)

    def ask(self, method, path, body=None, source=None, **headers):
        link = http.client.HTTPConnection(self.shelf.balancer.host, self.shelf.balancer.port, timeout=60,
                                          source_address=source and (source, 0))
        try:
            link.request(method, path, body, {"Authorization": f"Bearer {self.shelf.token}",
                                              **{key.replace("_", "-"): value for key, value in headers.items()}})
            answer = link.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            link.close()

    def upload(self, name, content):
        status, _, body = self.ask("POST", f"{RUNS}?wait=1&name={name}", content)
        self.assertIn(status, (200, 201), body)
        return json.loads(body)["id"]

    def test_what_one_takes_all_show(self):
        run = self.upload("shared", import_log("import wave"))
        for address in self.shelf.addresses:
            host, port = address.split(":")
            link = http.client.HTTPConnection(host, int(port), timeout=60)
            link.request("GET", f"{RUNS}/{run}", headers={"Authorization": f"Bearer {self.shelf.token}"})
            answer = link.getresponse()
            self.assertEqual((answer.status, json.loads(answer.read())["name"]), (200, "shared"), address)
            link.close()

    def test_strangers_stay_outside(self):
        self.assertEqual(self.ask("GET", RUNS, Authorization="")[0], 401)
        self.assertEqual(self.ask("GET", RUNS, Host="elsewhere.example")[0], 403)

    def test_a_browser_that_logs_in_is_known_to_each_server(self):
        status, headers, body = self.ask("POST", "/api/v1/login", json.dumps({"token": self.shelf.token}), Authorization="",
                                         Content_Type="application/json")
        self.assertEqual(status, 200, body)
        cookie = headers["Set-Cookie"].split(";")[0]
        self.assertEqual({self.ask("GET", RUNS, Authorization="", Cookie=cookie)[0] for _ in range(9)}, {200})

    def test_the_address_of_a_client_is_not_what_the_client_says(self):
        seen = [self.ask("GET", RUNS, source=STRANGER, Authorization="Bearer wrong", X_Forwarded_For=f"10.0.0.{n}")[0] for n in range(45)]
        self.assertEqual((set(seen), seen[-1]), ({401, 429}, 429))
        self.assertEqual(self.ask("GET", RUNS)[0], 200)

    def test_live_updates_pass(self):
        link = self.shelf.balancer.connect()
        link.request("GET", "/api/v1/events", headers={"Authorization": f"Bearer {self.shelf.token}"})
        reply = link.getresponse()
        self.upload("live", import_log("import queue"))
        self.assertTrue(any(b"event: " in reply.readline() for _ in range(100)))  # among comments that keep the connection
        link.close()

    def test_large_uploads_pass(self):
        head = b"import time: self [us] | cumulative | imported package\n"
        log = head + b"".join(b"import time: %9d | %10d | big.m%d\n" % (i % 97, i % 97, i) for i in range(200000))
        run = self.upload("large", log)
        for _ in SERVERS:
            self.assertEqual(self.ask("GET", f"{RUNS}/{run}/original")[2], log)

    def test_readers_do_not_see_a_server_die(self):
        run, seen, stop = self.upload("kept", import_log("import csv")), [], threading.Event()

        def read():
            while not stop.is_set():
                for path in (f"{RUNS}/{run}/notes", RUNS):
                    try:
                        seen.append(self.ask("GET", path)[0])
                    except (OSError, http.client.HTTPException):
                        seen.append(None)

        readers = [threading.Thread(target=read) for _ in range(4)]
        for reader in readers:
            reader.start()
        for n in range(len(SERVERS)):
            self.shelf.servers[n].kill()
            self.shelf.servers[n].communicate(timeout=30)
            time.sleep(1)
            self.shelf.servers[n] = self.shelf.start(n)
            time.sleep(2)  # until the balancer sees it
        stop.set()
        for reader in readers:
            reader.join(60)
        self.assertGreater(len(seen), 100)
        self.assertLessEqual(sum(status != 200 for status in seen), len(seen) // 1000, {s: seen.count(s) for s in seen})
        print(f"\n{len(seen)} reads while each of three servers was killed: {sum(status != 200 for status in seen)} failed", flush=True)


if __name__ == "__main__":
    unittest.main()
