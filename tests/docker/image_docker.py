# SPDX-License-Identifier: MIT
"""The image, and its program as compose.yml would run it.

Here its files are those that docker/image.sh takes from an archive of build/perfshelf, with the libraries of this machine.
tests/package/image_package.py runs these tests with the image that docker/Dockerfile makes of a release.
"""
import ctypes
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time
import unittest

import clean_root
import dockerfile
from compose_docker import service
from container import user_in

DOCKERFILE = os.path.join(clean_root.ROOT, "docker", "Dockerfile")
DEMO = os.path.join(clean_root.ROOT, "demo", "profiles", "expressions.prof")
NO_LANDLOCK = "perfshelf: this kernel has no Landlock: only a system call filter confines importers\n"
API = "http://127.0.0.1:7700/api/v1"


def kernel_has_landlock():
    return ctypes.CDLL(None).syscall(444, None, 0, 1) > 0


def until(ask, what, seconds=60):
    """What `ask` answers once that is true."""
    end = time.monotonic() + seconds
    while not (answer := ask()):
        if time.monotonic() > end:
            raise AssertionError(f"never: {what}")
        time.sleep(0.05)
    return answer


def everything_in(folder):
    for path, folders, names in os.walk(folder):
        yield from (os.path.join(path, name) for name in [*folders, *names])


def may_write(of, uid, gid):
    return not stat.S_ISLNK(of.st_mode) and bool(of.st_mode & (0o200 if of.st_uid == uid else 0o020 if of.st_gid == gid else 0o002))


class Container:
    """A command in the image, under the restrictions of compose.yml; `volume` is a folder of this machine."""

    def __init__(self, stage, root, argv, volume, **more):
        _, compose = service()
        self.env = {"PATH": dockerfile.PATH, "HOME": stage.volumes[0]}
        self.user = stage.user
        self.argv = argv
        command = clean_root.entering(
            root, argv, env=self.env, user=stage.user, read_only=compose["read_only"], tmpfs=compose["tmpfs"],
            volumes=[[volume, stage.volumes[0]]], drop=compose["cap_drop"] == ["ALL"],
            no_new_privileges="no-new-privileges:true" in compose["security_opt"], **more)
        self.outer = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      text=True)
        try:
            self.pid = until(self.first_process, "a first process")
        except AssertionError:
            self.outer.kill()
            raise AssertionError(f"the container did not start: {self.outer.communicate(timeout=10)}") from None

    def first_process(self):
        """The program, as this machine counts processes, once it has taken the place of what arranged its mounts."""
        if self.outer.poll() is not None:
            raise AssertionError("ended at once")
        with open(f"/proc/{self.outer.pid}/task/{self.outer.pid}/children", encoding="ascii") as file:
            child = file.read().split()
        if not child:
            return None
        with open(f"/proc/{child[0]}/cmdline", "rb") as file:
            if file.read() != b"".join(word.encode() + b"\0" for word in self.argv):
                return None
        return int(child[0])

    def inside(self, *argv, as_user=True, **options):
        """What `docker exec` does."""
        uid, gid = user_in(f"/proc/{self.pid}/root", self.user) if as_user else (0, 0)
        return subprocess.run(["nsenter", f"--target={self.pid}", "--mount", "--uts", "--ipc", "--net", "--pid", "--root", "--wd",
                               f"--setuid={uid}", f"--setgid={gid}", *argv], capture_output=True, env=self.env, timeout=60, check=False, **options)

    def curl(self, *argv):
        """The answer to a request from the same network, with this machine's curl."""
        done = subprocess.run(["nsenter", f"--target={self.pid}", "--net", "curl", "-sS", *argv], capture_output=True,
                              timeout=60, check=False)
        if done.returncode:
            raise AssertionError(done.stderr)
        return done.stdout

    def status(self):
        with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
            return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)

    def stop(self):
        """SIGTERM to the first process: its exit status, stdout and stderr."""
        os.kill(self.pid, signal.SIGTERM)
        out, said = self.outer.communicate(timeout=30)
        return self.outer.returncode, out, said

    def kill(self):
        """Its first process; all others of the container end with it. unshare(1) then ends by itself."""
        if self.outer.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
        self.outer.communicate()


def image_of_build():
    """The last stage of the Dockerfile, and a root with the files of the image."""
    stage, root = dockerfile.stages(DOCKERFILE)[-1], clean_root.Root("image", "scratch")
    staged, archive = os.path.join(clean_root.CACHE, "stage"), os.path.join(clean_root.CACHE, "perfshelf.tar.gz")
    shutil.rmtree(staged, ignore_errors=True)
    subprocess.run(["cmake", "--install", os.path.join(clean_root.ROOT, "build"), "--prefix", staged], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([sys.executable, os.path.join(clean_root.ROOT, "packaging", "tarball.py"), staged, archive, "perfshelf"], check=True,
                   env={**os.environ, "SOURCE_DATE_EPOCH": "0"})
    subprocess.run([os.path.join(clean_root.ROOT, "docker", "image.sh"), archive, root.path], check=True)
    return stage, root


class Image(unittest.TestCase):
    lacking = staticmethod(clean_root.lacking_namespaces)
    build = staticmethod(image_of_build)

    @classmethod
    def setUpClass(cls):
        if why := cls.lacking():
            raise unittest.SkipTest(why)
        cls.stage, cls.root = cls.build()
        cls.addClassCleanup(shutil.rmtree, cls.root.path)
        cls.program = cls.stage.entrypoint + cls.stage.command

    def setUp(self):
        self.volume = os.path.join(clean_root.CACHE, "volume")
        shutil.rmtree(self.volume, ignore_errors=True)
        shutil.copytree(self.root.at(self.stage.volumes[0]), self.volume)  # a named volume begins as what the image has there
        of = os.stat(self.root.at(self.stage.volumes[0]))
        os.chown(self.volume, of.st_uid, of.st_gid)
        self.addCleanup(shutil.rmtree, self.volume)

    def start(self, *argv, **more):
        container = Container(self.stage, self.root, [*(argv or self.program)], self.volume, **more)
        self.addCleanup(container.kill)
        return container

    def healthy(self, container):
        return container.inside(*self.stage.health.command).returncode == 0

    def test_life(self):
        """Green, a token, a profile in and out, told to stop, and all of it there when it starts again."""
        container = self.start()
        until(lambda: self.healthy(container), "a green health check")
        token = container.inside("perfshelf", "token", "add", "mei", "--role", "admin", "--data", "/data").stdout.decode().split()[-1]
        bearer = ("-H", f"Authorization: Bearer {token}")
        self.assertEqual(json.loads(container.curl(f"{API}/runs"))["error"]["code"], "unauthorized")
        run = json.loads(container.curl(*bearer, "--data-binary", f"@{DEMO}", f"{API}/runs?wait=1&name=demo"))
        rows = json.loads(container.curl(*bearer, f"{API}/runs/{run['id']}/functions?limit=5"))["rows"]
        self.assertEqual((run["kind"], len(rows)), ("pstats", 5))
        with open(DEMO, "rb") as file:
            self.assertEqual(container.curl(*bearer, f"{API}/runs/{run['id']}/original"), file.read())
        self.assertIn(b"<script", container.curl("http://127.0.0.1:7700/"))
        code, out, said = container.stop()
        ready, *others = out.splitlines()
        self.assertEqual((code, ready.endswith(" at http://127.0.0.1:7700/")), (0, True), out + said)
        self.assertEqual([line for line in others if ":7700/" not in line], ["created a new shelf in /data"], out)  # else addresses
        again = self.start()
        until(lambda: self.healthy(again), "a green health check")
        self.assertEqual([row["name"] for row in json.loads(again.curl(*bearer, f"{API}/runs"))["rows"]], ["demo"])
        self.assertEqual(again.stop()[0], 0)

    def test_health_is_red_where_nothing_serves(self):
        container = self.start("sleep", "1000")
        self.assertEqual(container.inside(*self.stage.health.command).returncode, 1)

    def test_who_it_is(self):
        container = self.start()
        until(lambda: self.healthy(container), "a green health check")
        uid = int(container.inside("id", "-u", as_user=False, text=True).stdout) or int(
            container.inside("id", "-u", self.stage.user, text=True).stdout)
        status = container.status()
        self.assertNotEqual(uid, 0)
        self.assertEqual(status["Uid"].split(), [str(uid)] * 4)
        self.assertEqual(status["NSpid"].split()[-1], "1")
        for kind in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.assertEqual(int(status[kind], 16), 0, kind)
        self.assertEqual(status["NoNewPrivs"], "1")
        self.assertEqual({os.stat(os.path.join(folder, name)).st_uid for folder, _, names in os.walk(self.volume)
                          for name in names}, {uid})
        self.assertEqual(container.stop()[0], 0)

    def test_nothing_but_the_volume_is_writable(self):
        container = self.start("sleep", "1000")
        with open(f"/proc/{container.pid}/mounts", encoding="ascii") as file:
            mounts = [line.split() for line in file]
        written = {where for _, where, kind, options, *_ in mounts if kind != "proc" and not where.startswith("/dev") and "rw" in options.split(",")}
        self.assertEqual(written, {"/data", "/tmp"})
        uid, gid = user_in(self.root.path, self.stage.user)
        # Without read_only: no program and no library
        self.assertEqual({f"/{os.path.relpath(path, self.root.path)}" for path in everything_in(self.root.path) if may_write(os.lstat(path), uid, gid)},
                         {"/data", "/tmp"})

    def test_what_the_sandbox_lacks_is_said(self):
        for more, said in (({}, "" if kernel_has_landlock() else NO_LANDLOCK), ({"without_landlock": True}, NO_LANDLOCK)):
            with self.subTest(**more):
                container = self.start(**more)
                until(lambda: self.healthy(container), "a green health check")
                with open(DEMO, "rb") as file:
                    added = container.inside("perfshelf", "add", "-", "--data", "/data", "--json", stdin=file)
                self.assertEqual((added.returncode, added.stderr), (0, b""))
                code, _, words = container.stop()
                self.assertEqual(code, 0)
                lines = [line for line in words.splitlines(keepends=True) if "importers" in line]
                self.assertEqual("".join(lines), said)

    def test_holds_one_program(self):
        container = self.start("sleep", "1000")
        self.assertEqual(os.listdir(self.root.at("/usr/local/bin")), ["perfshelf"])
        commands = {os.path.basename(os.readlink(self.root.at(f"/bin/{name}"))) for name in set(os.listdir(self.root.at("/bin"))) - {"busybox"}}
        self.assertEqual(commands, {"busybox"})
        self.assertTrue(os.path.getsize(self.root.at("/usr/local/share/doc/perfshelf/LICENSE")))
        self.assertGreater(container.inside("cat", "/etc/ssl/certs/ca-certificates.crt").stdout.count(b"BEGIN CERTIFICATE"), 50)

    def test_finds_hosts(self):
        container = self.start()
        until(lambda: self.healthy(container), "a green health check")
        said = container.inside("perfshelf", "list", "--server", "http://localhost:7700").stderr.decode()
        self.assertIn("token", said)  # the name was found, and the server answered

    def test_labels(self):
        with open(os.path.join(clean_root.ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
            version = re.search(r"^project\(perfshelf VERSION (\S+)", file.read(), re.M)[1]
        self.assertEqual(self.stage.labels["org.opencontainers.image.version"], version)

    def test_size(self):
        whole, program = self.root.bytes(), os.path.getsize(self.root.at("/usr/local/bin/perfshelf"))
        print(f"\nthe image has {whole / 1e6:.1f} MB, its program {program / 1e6:.1f} MB", flush=True)


if __name__ == "__main__":
    unittest.main()
