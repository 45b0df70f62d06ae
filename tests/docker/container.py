# SPDX-License-Identifier: MIT
"""Becomes a container's first process: run by clean_root.py under unshare(1), it arranges the mounts of a root, goes into
it and starts the command there, as an engine would. Its one argument is JSON:

    root, argv, env, workdir          what runs where
    user                              name in the image; None: root
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
import socket
import struct
import subprocess
import sys

DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LANDLOCK_CREATE_RULESET = 444
IFF_UP, SIOCSIFFLAGS = 1, 0x8914


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
    filters = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filters, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def setpriv(given):
    """The image's own setpriv knows the image's users. To change them makes the kernel forget that this ends with unshare(1)."""
    words = []
    if given["user"]:
        words += [f"--reuid={given['user']}", f"--regid={given['user']}", "--init-groups", "--pdeathsig=KILL"]
    if given["drop"]:
        words += ["--bounding-set=-all", "--inh-caps=-all"]
    if given["no_new_privileges"]:
        words += ["--no-new-privs"]
    return ["setpriv", *words, "--", *given["argv"]] if words else given["argv"]


def main():
    given = json.loads(sys.argv[1])
    if given["network"] == "own":
        loopback_up()
    arrange(given)
    os.chroot(given["root"])
    os.chdir(given["workdir"])
    if given["without_landlock"]:
        forget_landlock()
    command = setpriv(given)
    os.environ["PATH"] = given["env"]["PATH"]
    os.execvpe(command[0], command, given["env"])


if __name__ == "__main__":
    main()
