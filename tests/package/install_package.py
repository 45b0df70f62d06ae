# SPDX-License-Identifier: MIT
"""What `./dev package` writes is installed, used and removed in bare systems of Debian 11, 12, 13 and sid."""
import glob
import json
import os
import re
import ssl
import subprocess
import tempfile
import unittest
import urllib.request

from roots import DIST, ROOT, InEachRelease

PROFILE = os.path.join(ROOT, "demo", "profiles", "bookshop-slow.prof")


def artifact(pattern):
    found = glob.glob(os.path.join(DIST, pattern))
    if len(found) != 1:
        raise AssertionError(f"dist/ has {len(found)} files {pattern}. Run ./dev package in an empty dist/.")
    return found[0]


class Packages(InEachRelease):
    def use(self, program="perfshelf"):
        """Version, recording, adding, an export, and a server over HTTPS that is asked from outside and by the program itself."""
        run, data = self.root.run, "--data /root/shelf"
        self.assertRegex(run(f"{program} --version"), r"^perfshelf \d+\.\d+\.\d+\n$")
        run(f"{program} record importtime {data} -- python3 -c 'import json'")
        run(f"{program} add {data} {self.root.copy_in(PROFILE)}")
        self.assertEqual(len(json.loads(run(f"{program} list {data} --json"))), 2)
        run(f"{program} export @1 {data} --html -o /root/report.html && grep -q WebAssembly /root/report.html")
        self.serve(program, data)

    def serve(self, program, data):
        root = os.path.join(self.root.path, "root")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", f"{root}/key.pem", "-out",
                        f"{root}/cert.pem", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)
        command = self.root.command(f"exec {program} serve {data} --listen 127.0.0.1:0 --tls-cert cert.pem --tls-key key.pem")
        with tempfile.TemporaryFile("w+") as errors, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as server:
            try:
                started = re.search(r"https://127\.0\.0\.1:(\d+)/", server.stdout.readline())
                self.assertTrue(started, errors.seek(0) or errors.read())
                url = f"https://localhost:{started[1]}"
                trusted = ssl.create_default_context(cafile=f"{root}/cert.pem")
                with urllib.request.urlopen(f"{url}/", context=trusted) as page:
                    self.assertIn("<script", page.read().decode())
                with urllib.request.urlopen(f"{url}/api/v1/runs", context=trusted) as answer:
                    self.assertEqual(json.load(answer)["total"], 2)
                self.assertEqual(len(json.loads(self.root.run(f"{program} list --server {url} --ca cert.pem --json"))), 2)
            finally:
                server.kill()


class Tarball(Packages):
    def check(self):
        self.root.run(f"tar -xzf {self.root.copy_in(artifact('perfshelf-*-linux-x86_64.tar.gz'))} -C /usr/local --strip-components=1")
        self.use()
        self.root.run("test -s /usr/local/share/man/man1/perfshelf.1 && test -s /usr/local/share/doc/perfshelf/SOURCES")

    def test_unpack_use(self):
        self.each_release()


class DebianPackage(Packages):
    def check(self):
        run, deb = self.root.run, self.root.copy_in(artifact("perfshelf_*_amd64.deb"))
        run(f"dpkg -i {deb}")
        self.use()
        run("test -s /etc/perfshelf/serve.conf && test -s /lib/systemd/system/perfshelf.service")
        self.assertIn("perfshelf-serve.1.gz", run("ls /usr/share/man/man1"))
        run("mkdir -p /var/lib/perfshelf && perfshelf add --data /var/lib/perfshelf/shelf bookshop-slow.prof")
        run("dpkg -r perfshelf")
        self.assertEqual(self.root.files("/perfshelf/serve.conf"), ["/etc/perfshelf/serve.conf"])
        run("dpkg -P perfshelf")
        self.assertEqual([path for path in self.root.files("perfshelf") if not path.startswith("/var/lib/perfshelf/shelf/")],
                         ["/var/lib/perfshelf", "/var/lib/perfshelf/shelf"])
        run("ls /var/lib/perfshelf/shelf/catalog.db")

    def test_install_use_remove(self):
        self.each_release()

    def test_lintian_finds_nothing(self):
        done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", artifact("perfshelf_*_amd64.deb")], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)


class Wheel(Packages):
    def check(self):
        run = self.root.run
        run(f"python3 -m venv /opt/env && /opt/env/bin/pip install --no-index {self.root.copy_in(artifact('perfshelf-*.whl'))}")
        self.use("/opt/env/bin/perfshelf")
        run("test -s /opt/env/share/man/man1/perfshelf.1 && /opt/env/bin/pip show -f perfshelf")
        run("/opt/env/bin/pip uninstall -y perfshelf")
        self.assertEqual(self.root.files("/opt/env/*perfshelf"), [])

    def test_install_use_uninstall(self):
        self.each_release()


if __name__ == "__main__":
    unittest.main()
