# SPDX-License-Identifier: MIT
"""docker/haproxy.cfg on this machine: the same balancer, with the addresses of servers that run here."""
import http.client
import os
import re
import shutil
import signal
import subprocess

from ports import free_port
from wait import wait_until

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CONFIG = os.path.join(ROOT, "docker", "haproxy.cfg")
SERVER = re.compile(r"^( *server \S+ )(\S+)$", re.M)
BIND = re.compile(r"^( *bind )(\S+)$", re.M)


def program():
    """haproxy of Debian's package; None where there is none."""
    return shutil.which("haproxy", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")


def config():
    with open(CONFIG, encoding="utf-8") as file:
        return file.read()


def configured(listen, servers):
    """The configuration with these addresses in place of those of the containers, of which there must be as many."""
    addresses = iter(servers)
    text, n = SERVER.subn(lambda match: match[1] + next(addresses), config())
    text, binds = BIND.subn(lambda match: match[1] + listen, text)
    if (n, binds) != (len(servers), 1):
        raise ValueError(f"{CONFIG} has {n} servers and {binds} addresses of its own")
    return text


class Balancer:
    """It runs, in front of these addresses, and answers at `host`:`port`."""

    def __init__(self, folder, servers):
        self.host, self.port = "127.0.0.1", free_port()
        path, log = os.path.join(folder, "haproxy.cfg"), os.path.join(folder, "haproxy.log")
        with open(path, "w", encoding="utf-8") as file:
            file.write(configured(f"{self.host}:{self.port}", servers))
        with open(log, "ab") as file:
            self.process = subprocess.Popen([program(), "-db", "-f", path], stdin=subprocess.DEVNULL, stdout=file, stderr=file)
        self.log = log
        try:
            wait_until(lambda: self.answers() or self.process.poll() is not None, 30, "haproxy answers")
            if self.process.poll() is not None:
                raise AssertionError("haproxy has ended")
        except AssertionError as error:
            self.close()
            with open(log, encoding="utf-8") as said:
                raise AssertionError(f"{error}: {said.read()[-2000:]}") from None

    def connect(self, timeout=60):
        return http.client.HTTPConnection(self.host, self.port, timeout=timeout)

    def answers(self):
        link = self.connect()
        try:
            link.request("GET", "/api/v1/health")
            return link.getresponse().status == 200
        except OSError:
            return False
        finally:
            link.close()

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
