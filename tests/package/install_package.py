# SPDX-License-Identifier: MIT
"""What `./dev package` writes is installed, used and removed in bare systems of Debian and Ubuntu.

build/package/installed.md gets a row for each system and file: how long installing took, how much it is, what it needs, and
whether recording and viewing worked.
"""
import glob
import json
import os
import ssl
import subprocess
import tempfile
import time
import unittest
import urllib.request

from roots import DIST, ROOT, InEachRelease

PROFILE = os.path.join(ROOT, "demo", "profiles", "bookshop-slow.prof")
VIEW = os.path.join(ROOT, "tests", "package", "view.mjs")
HEAD = ("system", "file", "installed in", "takes", "shared libraries", "recorded", "viewed in Chromium")
table = []


def artifact(pattern):
    found = glob.glob(os.path.join(DIST, pattern))
    if len(found) != 1:
        raise AssertionError(f"dist/ has {len(found)} files {pattern}. Run ./dev package in an empty dist/.")
    return found[0]


def setUpModule():
    table.clear()


def write_table(name):
    rows = [HEAD, ["---"] * len(HEAD), *table]
    text = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    with open(os.path.join(ROOT, "build", "package", name), "w", encoding="utf-8") as file:
        file.write(text)
    return text


def tearDownModule():
    print(f"\n{write_table(Packages.table_name)}", flush=True)


class Packages(InEachRelease):
    architecture, debian, table_name = "x86_64", "amd64", "installed.md"

    def install(self, file, command):
        """Begins the row of the table."""
        before, began = self.root.bytes_changed(), time.monotonic()
        self.root.run(command)
        seconds = time.monotonic() - began
        self.row = [self.release.title, file, f"{seconds:.1f} s", f"{(self.root.bytes_changed() - before) / 1e6:.1f} MB"]

    def use(self, program="perfshelf"):
        """Version, recording, adding, an export, and a server that is asked from outside, by a browser and by the program itself."""
        run, data = self.root.run, "--data /root/shelf"
        self.assertRegex(run(f"{program} --version"), r"^perfshelf \d+\.\d+\.\d+\n$")
        libraries = [line.split()[0] for line in run(f"ldd $(command -v {program})").splitlines()]
        run(f"{program} add {data} {self.root.copy_in(PROFILE)}")
        run(f"{program} record importtime {data} -- python3 -c 'import json'")
        self.assertEqual(len(json.loads(run(f"{program} list {data} --json"))), 2)
        run(f"{program} export @1 {data} --html -o /root/report.html && grep -q WebAssembly /root/report.html")
        rows = self.view(program, data)
        self.serve_https(program, data)
        self.row += [" ".join(os.path.basename(name) for name in libraries if "vdso" not in name), "yes", rows]
        table.append(self.row)
        write_table(self.table_name)

    def files(self, pattern):
        """Files of the system whose path contains the pattern, but those of /root, /proc, /sys and /dev."""
        return self.root.run(f"find / -xdev -path '*{pattern}*' -not -path '/root/*' -not -path '/proc/*' -not -path '/sys/*' -not -path '/dev/*'").split()

    def view(self, program, data):
        """What Chromium of this machine shows of both runs."""
        with self.root.server(program, data) as port:
            done = subprocess.run(["node", VIEW, f"http://127.0.0.1:{port}/"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout.strip()

    def serve_https(self, program, data):
        with tempfile.TemporaryDirectory() as folder:
            key, certificate = (os.path.join(folder, name) for name in ("key.pem", "cert.pem"))
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", certificate,
                            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)
            options = f"{data} --tls-key {self.root.copy_in(key)} --tls-cert {self.root.copy_in(certificate)}"
            trusted = ssl.create_default_context(cafile=certificate)
        with self.root.server(program, options) as port:
            url = f"https://localhost:{port}"
            with urllib.request.urlopen(f"{url}/api/v1/runs", context=trusted) as answer:
                self.assertEqual(json.load(answer)["total"], 2)
            self.assertEqual(len(json.loads(self.root.run(f"{program} list --server {url} --ca cert.pem --json"))), 2)


class Tarball(Packages):
    def three_commands(self, archive):
        """What the README shows to a new user: unpack, record, look. The recording already says what takes the time."""
        self.root.run(f"tar -xzf {archive}")
        folder = self.root.run("ls -d perfshelf-*/").strip("/\n")
        said = self.root.run_on_terminal(f"cd {folder} && bin/perfshelf record importtime -- python3 -c 'import asyncio'").replace("\n", " ")
        self.assertRegex(said, r"\S+ takes [\d.]+ % of the import time\. ")
        with self.root.server(f"{folder}/bin/perfshelf", "") as port, urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/runs") as answer:
            self.assertEqual(json.load(answer)["total"], 1)
        self.root.run(f"rm -r {folder}")

    def check(self):
        archive = self.root.copy_in(artifact(f"perfshelf-*-linux-{self.architecture}.tar.gz"))
        self.three_commands(archive)
        self.install("tar.gz", f"tar -xzf {archive} -C /usr/local --strip-components=1")
        self.use()
        self.root.run("test -s /usr/local/share/man/man1/perfshelf.1 && test -s /usr/local/share/doc/perfshelf/SOURCES")

    def test_unpack_use(self):
        self.each_release()


class DebianPackage(Packages):
    def check(self):
        run, deb = self.root.run, self.root.copy_in(artifact(f"perfshelf_*_{self.debian}.deb"))
        self.install("deb", f"dpkg -i {deb}")
        self.use()
        run("test -s /etc/perfshelf/serve.conf && test -s /lib/systemd/system/perfshelf.service")
        self.assertIn("perfshelf-serve.1.gz", run("ls /usr/share/man/man1"))
        run("mkdir -p /var/lib/perfshelf && perfshelf add --data /var/lib/perfshelf/shelf bookshop-slow.prof")
        run("dpkg -r perfshelf")
        self.assertEqual(self.files("/perfshelf/serve.conf"), ["/etc/perfshelf/serve.conf"])
        run("dpkg -P perfshelf")
        self.assertEqual([path for path in self.files("perfshelf") if not path.startswith("/var/lib/perfshelf/shelf/")],
                         ["/var/lib/perfshelf", "/var/lib/perfshelf/shelf"])
        run("ls /var/lib/perfshelf/shelf/catalog.db")

    def test_install_use_remove(self):
        self.each_release()

    def test_lintian_finds_nothing(self):
        done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", artifact(f"perfshelf_*_{self.debian}.deb")], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)


class Wheel(Packages):
    def check(self):
        if not self.release.wheel:
            self.skipTest("its pip is older than 20.3 and knows no manylinux_2_31")
        run, wheel = self.root.run, self.root.copy_in(artifact(f"perfshelf-*_{self.architecture}.whl"))
        run("python3 -m venv /opt/env")
        self.install("wheel", f"/opt/env/bin/pip install --no-index {wheel}")
        self.use("/opt/env/bin/perfshelf")
        run("test -s /opt/env/share/man/man1/perfshelf.1 && /opt/env/bin/pip show -f perfshelf")
        run("/opt/env/bin/pip uninstall -y perfshelf")
        self.assertEqual(self.files("/opt/env/*perfshelf"), [])
        if self.release.pipx:
            self.with_pipx(wheel)

    def with_pipx(self, wheel):
        """pipx upgrades pip in an environment of its own; without a network it gets the wheel of pip that venv uses."""
        pipx = "PIP_NO_INDEX=1 PIP_FIND_LINKS=/usr/share/python-wheels PIPX_DEFAULT_PYTHON=python3 pipx"
        self.root.run("rm -r /root/shelf /root/report.html")
        self.install("wheel, pipx", f"{pipx} install {wheel}")
        self.use("/root/.local/bin/perfshelf")
        self.root.run(f"{pipx} uninstall perfshelf")
        self.assertEqual(self.files("/root/.local/bin/perfshelf"), [])

    def test_install_use_uninstall(self):
        self.each_release()


if __name__ == "__main__":
    unittest.main()
