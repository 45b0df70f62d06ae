# SPDX-License-Identifier: MIT
"""Becomes a container's first process: run by clean_root.py under unshare(1), it arranges the mounts of a root, goes into
it and starts the command there, as an engine would. Its one argument is JSON:

    root, argv, env, workdir          what runs where
    user                              name in /etc/passwd of the image; None: root
    read_only, tmpfs, volumes         as in compose.yml; volumes are [folder of this machine, path in the root]
    binds                             [file or folder of this machine, path in the root], for builds
    network                           "host", or "own": a loopback and nothing else
    drop, no_new_privileges           cap_drop: ALL and security_opt
    without_landlock                  a seccomp profile that does not know Landlock, as engines before it had
"""
import ctypes
import errno
import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import sys

DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 1, 22, 24, 38, 2
CAPABILITY_VERSION_3 = 0x20080522
LANDLOCK_CREATE_RULESET = 444
IFF_UP, SIOCSIFFLAGS = 1, 0x8914


LIBC = ctypes.CDLL(None, use_errno=True)


def check(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def prctl(option, *values):
    check(LIBC.prctl(option, *values, *[0] * (4 - len(values))))


def mount(*words):
    subprocess.run(["mount", *words], check=True)


def within(root, path):
    return os.path.join(root, path.lstrip("/"))


def bind(source, target, *options):
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    elif not os.path.exists(target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "xb"):
            pass
    mount("--bind", source, target)
    if options:
        mount("-o", ",".join(("remount", "bind", *options)), target)


def arrange(given):
    root = given["root"]
    mount("--bind", root, root)
    for name in ("proc", "dev"):  # which an image may lack
        os.makedirs(within(root, name), exist_ok=True)
    mount("-t", "proc", "proc", within(root, "proc"))
    mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", within(root, "dev"))
    for name in DEVICES:
        bind(f"/dev/{name}", within(root, f"dev/{name}"))
    os.symlink("/proc/self/fd", within(root, "dev/fd"))
    for source, path in given["binds"]:
        bind(source, within(root, path))
    for source, path in given["volumes"]:
        bind(source, within(root, path))
    for path in given["tmpfs"]:
        mount("-t", "tmpfs", "-o", "mode=1777,nosuid,nodev", "tmpfs", within(root, path))
    if given["read_only"]:
        mount("-o", "remount,bind,ro", root)


def loopback_up():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        fcntl.ioctl(link, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP))


def forget_landlock():
    """Its calls fail with EPERM from here on."""
    def word(code, yes, no, value):
        return struct.pack("HBBI", code, yes, no, value)

    program = b"".join((
        word(0x20, 0, 0, 0),                             # load the number of the call
        word(0x35, 0, 1, LANDLOCK_CREATE_RULESET),       # those below are allowed
        word(0x25, 0, 1, LANDLOCK_CREATE_RULESET + 2),   # so are those above
        word(0x06, 0, 0, 0x7FFF0000),
        word(0x06, 0, 0, 0x00050000 | errno.EPERM)))
    memory = ctypes.create_string_buffer(program)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(memory)))


def drop_capabilities():
    """The bounding and the inheritable set; a change of user clears the others."""
    with open("/proc/sys/kernel/cap_last_cap", encoding="ascii") as file:
        last = int(file.read())
    for capability in range(last + 1):
        prctl(PR_CAPBSET_DROP, capability)
    header, sets = struct.pack("Ii", CAPABILITY_VERSION_3, 0), ctypes.create_string_buffer(24)
    check(LIBC.capget(header, sets))
    effective, permitted, _, effective_high, permitted_high, _ = struct.unpack("IIIIII", sets.raw)
    check(LIBC.capset(header, struct.pack("IIIIII", effective, permitted, 0, effective_high, permitted_high, 0)))


def user_in(root, name):
    with open(within(root, "etc/passwd"), encoding="ascii") as file:
        rows = {row[0]: row for row in (line.split(":") for line in file)}
    return int(rows[name][2]), int(rows[name][3])


def become(uid, gid):
    """The kernel forgets at a change of user that this ends with unshare(1)."""
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def main():
    given = json.loads(sys.argv[1])
    if given["network"] == "own":
        loopback_up()
    arrange(given)
    user = user_in(given["root"], given["user"]) if given["user"] else None
    os.chroot(given["root"])
    os.chdir(given["workdir"])
    if given["without_landlock"]:
        forget_landlock()
    if given["drop"]:
        drop_capabilities()
    if user:
        become(*user)
    if given["no_new_privileges"]:
        prctl(PR_SET_NO_NEW_PRIVS, 1)
    os.environ["PATH"] = given["env"]["PATH"]
    os.execvpe(given["argv"][0], given["argv"], given["env"])


if __name__ == "__main__":
    main()
