# SPDX-License-Identifier: MIT
"""What `cmake --install` installs: the program, a man page for each command, completions."""
import os
import re
import shutil
import subprocess
import unittest

from program import PROGRAM, ROOT, ShelfTest

BUILD = os.path.join(ROOT, "build")


@unittest.skipUnless(os.path.exists(os.path.join(BUILD, "cmake_install.cmake")), "no build folder of CMake here")
class Install(ShelfTest):
    def setUp(self):
        super().setUp()
        self.root = os.path.join(self.folder, "root")
        subprocess.run(["cmake", "--install", BUILD, "--prefix", "/usr"], check=True, stdout=subprocess.DEVNULL, env={**os.environ, "DESTDIR": self.root})

    def page(self, name):
        with open(os.path.join(self.root, "usr/share/man/man1", f"{name}.1"), encoding="utf-8") as file:
            return file.read()

    def test_program(self):
        said = subprocess.run([os.path.join(self.root, "usr/bin/perfshelf"), "--version"], capture_output=True, text=True, check=True).stdout
        self.assertRegex(said, r"^perfshelf \d+\.\d+\.\d+\n$")

    def test_completions_and_licences(self):
        for path in ("bash-completion/completions/perfshelf", "zsh/site-functions/_perfshelf", "fish/vendor_completions.d/perfshelf.fish", "doc/perfshelf/LICENSE"):
            self.assertTrue(os.path.getsize(os.path.join(self.root, "usr/share", path)), path)

    def test_a_man_page_for_each_command_with_all_its_options(self):
        commands = [line.split("\t")[0] for line in subprocess.run([PROGRAM, "--complete", ""], capture_output=True, text=True, check=True).stdout.splitlines()]
        commands.remove("help")
        self.assertEqual(sorted(os.listdir(os.path.join(self.root, "usr/share/man/man1"))), sorted(["perfshelf.1"] + [f"perfshelf-{command}.1" for command in commands]))
        for command in commands:
            page = self.page(f"perfshelf-{command}").replace("\\-", "-")
            self.assertIn(f"perfshelf-{command} (1)", self.page("perfshelf").replace("\\-", "-"))
            for option in set(re.findall(r"^  (-[-a-z]+)", subprocess.run([PROGRAM, "help", command], capture_output=True, text=True, check=True).stdout, re.M)):
                self.assertRegex(page, rf"(?m)^\.B {option}( [A-Z:=]+)?$", command)
            for part in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "SEE ALSO"):
                self.assertEqual(page.count(f".SH {part}\n"), 1, f"{command} {part}")

    @unittest.skipUnless(shutil.which("groff"), "no groff here")
    def test_pages_have_no_mistakes(self):
        for name in sorted(os.listdir(os.path.join(self.root, "usr/share/man/man1"))):
            done = subprocess.run(["groff", "-man", "-ww", "-z", "-Kutf8", os.path.join(self.root, "usr/share/man/man1", name)], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)


if __name__ == "__main__":
    unittest.main()
