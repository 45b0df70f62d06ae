#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The first process of the machine that machine.py starts. It prepares the system, then answers at port 7000, one request a connection:

    {"run": TEXT}                  runs a line of shell; answers [exit status, output]
    {"write": PATH, "bytes": N}    writes the N bytes that follow; answers [0, ""]

A program of the machine listens on its loopback, which nobody outside reaches. So that the two have the same addresses, connections
from outside to the port named in the command line of the kernel are passed on to that port of the loopback.
"""
import contextlib
import glob
import json
import os
import re
import shutil
import socket
import socketserver
import subprocess
import threading

ADDRESS, PORT = "10.0.2.15", 7000  # those that QEMU expects
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8",
               "DEBIAN_FRONTEND": "noninteractive"}
MOUNTS = [("proc", "/proc"), ("sysfs", "/sys"), ("devtmpfs", "/dev"), ("devpts", "/dev/pts"), ("securityfs", "/sys/kernel/security")]


def busybox(*words):
    subprocess.run(["/bin/busybox", *words], check=True)


def prepare():
    for kind, folder in MOUNTS:
        os.makedirs(folder, exist_ok=True)
        busybox("mount", "-t", kind, kind, folder)
    with open("/modules/order", encoding="ascii") as file:
        for name in file.read().split():
            busybox("insmod", f"/modules/{name}")
    busybox("ip", "link", "set", "lo", "up")
    busybox("ip", "address", "add", f"{ADDRESS}/24", "dev", "eth0")
    busybox("ip", "link", "set", "eth0", "up")
    # What the scripts of packages do, which have not run
    os.makedirs("/usr/local/bin", exist_ok=True)
    for name in ("passwd", "group"):
        shutil.copy(f"/usr/share/base-passwd/{name}.master", f"/etc/{name}")
    with open("/etc/ssl/certs/ca-certificates.crt", "wb") as file:
        for path in glob.glob("/usr/share/ca-certificates/*/*.crt"):
            with open(path, "rb") as certificate:
                file.write(certificate.read())
    with open("/etc/hosts", "w", encoding="ascii") as file:
        file.write("127.0.0.1 localhost\n")


class Requests(socketserver.StreamRequestHandler):
    def handle(self):
        request = json.loads(self.rfile.readline())
        self.wfile.write(json.dumps(self.answer(request)).encode())

    def answer(self, request):
        if "write" in request:
            with open(request["write"], "wb") as file:
                file.write(self.rfile.read(request["bytes"]))
            return 0, ""
        done = subprocess.run(["/bin/sh", "-ec", request["run"]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              cwd="/root", env=ENVIRONMENT)
        return done.returncode, done.stdout.decode(errors="replace")


class Passed(socketserver.BaseRequestHandler):
    def handle(self):
        with socket.create_connection(("127.0.0.1", self.server.server_address[1])) as inner:
            back = threading.Thread(target=copy, args=(inner, self.request))
            back.start()
            copy(self.request, inner)
            back.join()


def copy(source, target):
    """Until the source ends; then so does what is sent to the target."""
    with contextlib.suppress(OSError):  # either side may reset the connection
        while data := source.recv(65536):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True


def main():
    prepare()
    child = os.fork()
    if child:
        while os.wait()[0] != child:
            pass  # a process whose parent has ended
        return  # the kernel halts the machine
    with open("/proc/cmdline", encoding="ascii") as file:
        passed = int(re.search(r"\bpassed=(\d+)", file.read())[1])
    threading.Thread(target=Server((ADDRESS, passed), Passed).serve_forever, daemon=True).start()
    server = Server((ADDRESS, PORT), Requests)
    print("machine ready", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
