# SPDX-License-Identifier: MIT
"""The program under measurement as a server, asked over one connection that stays open."""
import http.client
import re
import subprocess
import time


class Server:
    """`perfshelf serve` on a free port; .ready_ms: how long it took to say so, .address: HOST:PORT."""

    def __init__(self, program, data, *args):
        began = time.monotonic()
        self.process = subprocess.Popen([program, "serve", "--data", data, "--listen", "127.0.0.1:0", *args], stdout=subprocess.PIPE, text=True)
        said = self.process.stdout.readline()
        self.ready_ms = 1e3 * (time.monotonic() - began)
        match = re.search(r"http://([\d.]+:\d+)/", said)
        if not match:
            self.process.kill()
            self.process.wait()
            raise SystemExit(f"the server did not start: {said}")
        self.address = match[1]
        self.link = http.client.HTTPConnection(self.address, timeout=120)

    def get(self, path):
        return self.ask("GET", path)

    def ask(self, method, path, body=None):
        """Seconds, and the bytes of an answer."""
        began = time.perf_counter()
        self.link.request(method, path, body)
        answer = self.link.getresponse()
        body = answer.read()
        seconds = time.perf_counter() - began
        if answer.status != 200:
            raise SystemExit(f"{path}: {answer.status} {body[:300]}")
        return seconds, body

    def end(self):
        self.link.close()
        self.process.terminate()
        self.process.wait(30)
        self.process.stdout.close()
