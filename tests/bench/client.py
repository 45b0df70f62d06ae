# SPDX-License-Identifier: MIT
"""tests/bench/http_client.c from Python, and what processes cost."""
import json
import os
import subprocess

TICK = os.sysconf("SC_CLK_TCK")
FAULTS = ("broken", "malformed", "refused")


def begin(build, port, targets, connections, seconds):
    """The client, asking for these targets: (label, path, header...). Its report is for `end`."""
    command = [os.path.join(build, "http_client"), "127.0.0.1", str(port), str(connections), str(seconds)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.stdin.write("".join("\t".join(target) + "\n" for target in targets))
    process.stdin.close()
    return process


def end(process):
    told = json.loads(process.stdout.read())
    if process.wait():
        raise SystemExit(f"bench: http_client ends with {process.returncode}")
    return told


def ask(build, port, targets, connections, seconds):
    """The same when it has ended, without a fault."""
    told = end(begin(build, port, targets, connections, seconds))
    if any(told[word] for word in FAULTS):
        raise SystemExit(f"bench: {targets}: {told}")
    return told


def cpu_s(pid):
    """User and system seconds of a process and what it waited for."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return sum(int(field) for field in fields[11:15]) / TICK
