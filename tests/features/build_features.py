# SPDX-License-Identifier: MIT
"""Builds without PostgreSQL, libcurl and offline pages: of all three, and of each. They do not load the library, say so when it is needed, and do
not offer its options. One folder is built again and again, so that most of it is compiled once."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build", "features")
DEMO = os.path.join(ROOT, "demo", "profiles")
FEATURES = {"POSTGRESQL": ("postgresql", "libpq.so"), "CURL": ("server", "libcurl"), "OFFLINE": ("offline-pages", None)}
# A level of _FORTIFY_SOURCE of their own, and optimisation when linking, as distributions have them.
HARDENED = "-O2 -g -flto=auto -ffat-lto-objects -fstack-protector-strong -fstack-clash-protection -Wformat -Werror=format-security -D_FORTIFY_SOURCE=3"


def build(folder, *options, targets=("perfshelf", "man"), environment=None):
    for command in (["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", *options], ["ninja", "-C", folder, *targets]):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **(environment or {})})
        if done.returncode:
            raise AssertionError(f"{' '.join(command)}:\n{done.stdout[-4000:]}")


class Features(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="perfshelf-features-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.data = os.path.join(self.folder, "shelf")

    def made(self, *missing, targets=(), tests="OFF"):
        """The program of a build that lacks these. It is linked with the libraries that `./dev build` loads when they are first used."""
        build(BUILD, "-DPS_WERROR=ON", f"-DPS_TESTS={tests}", "-DPERFSHELF_LOAD_AT_USE=OFF", *(f"-DPERFSHELF_{name}={'OFF' if name in missing else 'ON'}" for name in FEATURES), targets=("perfshelf", "man", *targets))
        return os.path.join(BUILD, "perfshelf")

    def call(self, program, *words, **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PERFSHELF_")}
        return subprocess.run([program, *words], capture_output=True, text=True, cwd=self.folder, timeout=60,
                              env={**environment, "PERFSHELF_CONFIG": "", "HOME": self.folder, "XDG_RUNTIME_DIR": self.folder, **variables})

    def says(self, text, program, *words, status=2, **variables):
        done = self.call(program, *words, **variables)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (status, "", 1), (words, done.stderr))
        self.assertIn(text, done.stderr)

    def works(self, program):
        """What needs none of them."""
        for words in (("add", os.path.join(DEMO, "bookshop-slow.prof"), "--name", "slow"), ("show", "@1"), ("verify",), ("export", "@1", "-o", f"{self.folder}/a.perfshelf"), ("config",)):
            done = self.call(program, *words, "--data", self.data)
            self.assertEqual(done.returncode, 0, (words, done.stderr))
        self.assertEqual(self.call(program, "copy", "--from", self.data, "--to", self.data + "2").returncode, 0)

    def lacks(self, program, missing):
        version = self.call(program, "--version", "--verbose").stdout.splitlines()
        built = [word for name, (word, _) in FEATURES.items() if name not in missing]
        if not os.path.exists(os.path.join(ROOT, "web", "dist", "offline-0.gz")) and "offline-pages" in built:
            built.remove("offline-pages")
        absent = [word for word, _ in FEATURES.values() if word not in built]
        self.assertEqual(version[1:], ([f"Features: {' '.join(built)}"] if built else []) + ([f"Not built: {' '.join(absent)}"] if absent else []))
        loaded = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
        for name, (_, library) in FEATURES.items():
            if library:
                self.assertEqual(library in loaded, name not in missing, (name, loaded))

    def offers(self, program, options, expected):
        """Whether help, man pages and completion have the options."""
        for command in ("list", "config"):
            text = self.call(program, "help", command).stdout
            completed = self.call(program, "--complete", command, "--").stdout
            with open(os.path.join(BUILD, "man", "man1", f"perfshelf-{command}.1"), encoding="utf-8") as file:
                page = re.sub(r"\\f[BIR]", "", file.read().replace("\\-", "-"))
            for option in options:
                self.assertEqual(bool(re.search(rf"(?m)^  {option} ", text)), expected, (command, option))
                self.assertEqual(bool(re.search(rf"(?m)^{option}\t", completed)), expected, (command, option))
                self.assertEqual(bool(re.search(rf"(?m)^\.TP\n{option} ", page)), expected, (command, option))

    def without_postgresql(self, program):
        said = "this perfshelf was built without PostgreSQL; use a shelf in a folder"
        self.says(said, program, "list", "--store", "postgresql://h/d")
        self.says(said, program, "list", PERFSHELF_STORE="postgresql://h/d")
        self.says(said, program, "copy", "--from", "a", "--to", "postgresql://mei:secret@h/d")
        self.offers(program, ["--store", "--cache-size"], False)

    def without_curl(self, program):
        said = "this perfshelf was built without libcurl, which requests to a server need; use --data"
        self.says(said, program, "list", "--server", "http://127.0.0.1:1", status=1)
        self.says(said, program, "add", os.path.join(DEMO, "threads.log"), status=1, PERFSHELF_SERVER="http://127.0.0.1:1")
        self.offers(program, ["--server", "--token", "--token-file", "--ca"], False)
        self.assertNotIn("--server", self.call(program, "help", "list").stdout)

    def without_offline(self, program):
        self.says("this perfshelf was built without the engine of offline pages", program, "export", "@1", "--html", "--data", self.data, status=1)

    def test_0_without_all(self):
        program = self.made(*FEATURES, tests="ON", targets=("jobs_test", "maintenance_test"))
        self.works(program)
        self.lacks(program, list(FEATURES))
        self.without_postgresql(program)
        self.without_curl(program)
        self.without_offline(program)
        self.assertNotIn("--html", self.call(program, "help", "export").stdout)
        for name in ("jobs", "maintenance"):
            done = subprocess.run([os.path.join(BUILD, "tests", f"{name}_test")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 0, done.stdout[-4000:])

    def test_1_install_without_all(self):
        self.made(*FEATURES)
        subprocess.run(["cmake", "--install", BUILD, "--prefix", "/opt/ps"], check=True, stdout=subprocess.DEVNULL, env={**os.environ, "DESTDIR": self.folder})
        top = os.path.join(self.folder, "opt", "ps")
        self.works(os.path.join(top, "bin", "perfshelf"))
        for path in ("share/man/man1/perfshelf-list.1", "share/bash-completion/completions/perfshelf", "share/zsh/site-functions/_perfshelf", "share/doc/perfshelf/LICENSE"):
            self.assertTrue(os.path.exists(os.path.join(top, path)), path)

    def test_2_without_each(self):
        for name, check in (("POSTGRESQL", self.without_postgresql), ("CURL", self.without_curl), ("OFFLINE", self.without_offline)):
            shutil.rmtree(self.data, ignore_errors=True)
            shutil.rmtree(self.data + "2", ignore_errors=True)
            for path in os.listdir(self.folder):
                if path.endswith(".perfshelf"):
                    os.remove(os.path.join(self.folder, path))
            with self.subTest(name):
                program = self.made(name)
                self.works(program)
                self.lacks(program, [name])
                check(program)
                if name != "POSTGRESQL":
                    self.offers(program, ["--store"], True)
                if name != "CURL":
                    self.offers(program, ["--server"], True)

    def test_3_with_the_flags_of_a_distribution(self):
        """No warning is an error, and flags of the environment are those of the compiler."""
        folder = os.path.join(ROOT, "build", "features-hardened")
        build(folder, "-DCMAKE_BUILD_TYPE=None", "-DPS_TESTS=OFF", "-DPERFSHELF_POSTGRESQL=OFF", "-DPERFSHELF_CURL=OFF", "-DPERFSHELF_OFFLINE=OFF",
              environment={"CFLAGS": f"{HARDENED} -Wunused-macros", "LDFLAGS": "-Wl,-z,relro,-z,now -flto=auto"})
        self.works(os.path.join(folder, "perfshelf"))
        with open(os.path.join(folder, "build.ninja"), encoding="utf-8") as file:
            flags = file.read()
        self.assertNotIn("-Werror ", flags)
        self.assertNotIn("_FORTIFY_SOURCE=2", flags)


if __name__ == "__main__":
    unittest.main()
