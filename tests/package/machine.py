# SPDX-License-Identifier: MIT
"""A machine with an arm64 processor, emulated by QEMU, with the kernel of Debian 12, Python and little else.

Its system is made once, in build/package/roots: packages of Debian are unpacked, not configured, since their scripts do not run on
another processor. It is in memory, so what a machine changes is gone with it. machine_init.py is its first process.
"""
import contextlib
import glob
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import tempfile

from roots import ROOT, ROOTS  # which sets the path of modules
import clean_root
import debian
import ports
from wait import wait_until

SUITE = "bookworm"
PACKAGES = "busybox-static,ca-certificates,python3,python3-venv"
SYSTEM, KERNEL = os.path.join(ROOTS, "arm64.cpio"), os.path.join(ROOTS, "arm64.vmlinuz")
INIT = os.path.join(ROOT, "tests", "package", "machine_init.py")
# What the network card needs, in the order of loading. The rest is part of the kernel.
MODULES = ["drivers/virtio/virtio_pci_modern_dev", "drivers/virtio/virtio_pci_legacy_dev", "drivers/virtio/virtio_pci", "net/core/failover",
           "drivers/net/net_failover", "drivers/net/virtio_net"]
LEFT_OUT = ["./usr/share/doc/*/[!c]*", "./usr/share/doc/*/changelog*", "./usr/share/locale", "./usr/share/man", "./usr/share/zoneinfo"]
PROCESSOR = "cortex-a72"  # the first version of the architecture: a program that needs a later one fails
START_S, ANSWER_S = 300, 600


def lacking():
    """Why no machine can be started here, or None."""
    if not shutil.which("qemu-system-aarch64"):
        return "not installed: qemu-system-aarch64"
    return clean_root.lacking(SUITE)


def call(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command[0]} failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def unpack(deb, folder, *options):
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", deb], stdout=subprocess.PIPE) as contents:
        call("tar", "-x", "-C", folder, "--keep-directory-symlink", *options, stdin=contents.stdout)
    if contents.returncode != 0:
        raise AssertionError(f"{deb} cannot be unpacked")


def unpack_system(downloads, system):
    """The packages, and the list of them that dpkg keeps."""
    call("debootstrap", "--arch=arm64", "--download-only", "--variant=minbase", f"--include={PACKAGES}", SUITE, downloads, debian.mirrors()[0])
    for name in ("bin", "lib", "sbin"):
        os.makedirs(os.path.join(system, "usr", name))
        os.symlink(f"usr/{name}", os.path.join(system, name))
    status = []
    for deb in sorted(glob.glob(f"{downloads}/var/cache/apt/archives/*.deb")):
        unpack(deb, system, *(f"--exclude={pattern}" for pattern in LEFT_OUT))
        status.append(call("dpkg-deb", "--field", deb).replace("\n", "\nStatus: install ok installed\n", 1))
    with open(os.path.join(system, "var/lib/dpkg/status"), "w", encoding="utf-8") as file:
        file.write("\n".join(status))


def unpack_kernel(folder, system):
    """The kernel at KERNEL, its modules in /modules of the system."""
    with tempfile.TemporaryDirectory(dir=folder) as lists:
        apt = debian.Apt(SUITE, lists)
        name = re.search(r"Depends: (linux-image-\S+)", apt.run("apt-cache", "depends", "linux-image-arm64:arm64"))[1]
        deb = apt.download("deb", name, apt.versions("deb", name)[0], folder)
    unpack(deb, folder)
    modules = os.path.join(system, "modules")
    os.mkdir(modules)
    for module in MODULES:
        shutil.copy(glob.glob(f"{folder}/lib/modules/*/kernel/{module}.ko")[0], modules)
    with open(os.path.join(modules, "order"), "w", encoding="ascii") as file:
        file.writelines(f"{os.path.basename(module)}.ko\n" for module in MODULES)
    shutil.copy(glob.glob(f"{folder}/boot/vmlinuz-*")[0], KERNEL)


def pack(folder, out):
    """As the kernel unpacks it."""
    call("sh", "-c", 'find . | busybox cpio -o -H newc >"$0"', f"{out}.part", cwd=folder)
    os.rename(f"{out}.part", out)


def make_system():
    if os.path.exists(SYSTEM):
        return
    os.makedirs(ROOTS, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ROOTS) as part:
        downloads, system, kernel = (os.path.join(part, name) for name in ("downloads", "system", "kernel"))
        for folder in (downloads, system, kernel):
            os.mkdir(folder)
        unpack_system(downloads, system)
        unpack_kernel(kernel, system)
        pack(system, SYSTEM)


class Machine:
    """A running machine; has what BareRoot of roots.py has."""

    def __init__(self):
        make_system()
        self.stack = contextlib.ExitStack()
        self.folder = self.stack.enter_context(tempfile.TemporaryDirectory())
        self.requests, self.passed = ports.free_port(), ports.free_port()
        self.console = os.path.join(self.folder, "console")
        try:
            self.start()
        except BaseException:
            self.close()
            raise

    def start(self):
        forwarded = f"hostfwd=tcp:127.0.0.1:{self.requests}-:7000,hostfwd=tcp:127.0.0.1:{self.passed}-:{self.passed}"
        command = ["qemu-system-aarch64", "-machine", "virt", "-cpu", PROCESSOR, "-smp", "2", "-m", "2048", "-nodefaults", "-nographic", "-no-reboot",
                   "-serial", "stdio", "-kernel", KERNEL, "-initrd", self.files_of_start(),
                   "-append", f"console=ttyAMA0 panic=-1 quiet passed={self.passed}",
                   "-netdev", f"user,id=net,restrict=on,{forwarded}", "-device", "virtio-net-pci,netdev=net,romfile="]
        console = self.stack.enter_context(open(self.console, "w+b"))
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=console, stderr=console)
        self.stack.callback(self.end)
        wait_until(self.is_ready, START_S, "the machine")

    def files_of_start(self):
        """The system with the first process of this tree."""
        folder = os.path.join(self.folder, "init")
        os.mkdir(folder)
        shutil.copy(INIT, os.path.join(folder, "init"))
        os.chmod(os.path.join(folder, "init"), 0o755)
        pack(folder, os.path.join(self.folder, "init.cpio"))
        out = os.path.join(self.folder, "system.cpio")
        call("sh", "-c", 'cat "$0" "$1" >"$2"', SYSTEM, os.path.join(self.folder, "init.cpio"), out)
        return out

    def output(self):
        with open(self.console, encoding="utf-8", errors="replace") as file:
            return file.read()

    def is_ready(self):
        if self.process.poll() is not None:
            raise AssertionError(f"QEMU ended with {self.process.returncode}:\n{self.output()[-3000:]}")
        return "machine ready" in self.output()

    def end(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        self.stack.close()

    def ask(self, request, content=b""):
        with socket.create_connection(("127.0.0.1", self.requests), timeout=ANSWER_S) as connection:
            connection.sendall(json.dumps(request).encode() + b"\n" + content)
            with connection.makefile() as answer:
                text = answer.read()
        if not text:
            raise AssertionError(f"the machine did not answer:\n{self.output()[-3000:]}")
        return json.loads(text)

    def run(self, text):
        status, output = self.ask({"run": text})
        if status != 0:
            raise AssertionError(f"{text}\nended with {status}:\n{output[-6000:]}")
        return output

    def run_on_terminal(self, text):
        """As `run`, with a terminal as standard output."""
        return self.run(f"script -qec {shlex.quote(text)} /dev/null").replace("\r\n", "\n")

    def bytes_changed(self):
        """What all files take: what was written is the difference of two calls."""
        return 1024 * int(self.run("df -k / | tail -n 1").split()[2])

    def write(self, path, content):
        self.ask({"write": path, "bytes": len(content)}, content)

    def copy_in(self, path):
        target = os.path.join("/root", os.path.basename(path))
        with open(path, "rb") as file:
            self.write(target, file.read())
        return target

    @contextlib.contextmanager
    def server(self, program, options):
        """Yields the port, the same on the machine as here."""
        pid = self.run(f"{program} serve {options} --listen 127.0.0.1:{self.passed} >served 2>&1 & echo $!").strip()
        try:
            wait_until(lambda: self.run(f"if kill -0 {pid}; then cat served; else cat served; exit 1; fi").count("://"), START_S, "the server")
            yield self.passed
        finally:
            self.run(f"kill {pid}; while kill -0 {pid}; do sleep 0.1; done 2>/dev/null")
