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

    def page(self, name, section=1):
        """Without fonts and the marks of hyphens."""
        with open(os.path.join(self.root, f"usr/share/man/man{section}", f"{name}.{section}"), encoding="utf-8") as file:
            return re.sub(r"\\f[BIR]", "", file.read().replace("\\-", "-"))

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
            page = self.page(f"perfshelf-{command}")
            self.assertIn(f"perfshelf-{command} (1)", self.page("perfshelf"))
            for option in set(re.findall(r"^  (-[-a-z]+)", subprocess.run([PROGRAM, "help", command], capture_output=True, text=True, check=True).stdout, re.M)):
                self.assertRegex(page, rf"(?m)^\.TP\n{option}( [A-Z:=]+)?$", command)
            for part in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "SEE ALSO"):
                self.assertEqual(page.count(f".SH {part}\n"), 1, f"{command} {part}")

    def test_files_and_variables_are_in_the_pages_that_use_them(self):
        for page in (self.page("perfshelf"), self.page("perfshelf-config", 5)):
            for word in ("$XDG_CONFIG_HOME/perfshelf/config", "/etc/perfshelf/config", "$XDG_DATA_HOME/perfshelf", "PERFSHELF_SERVER", "PERFSHELF_TOKEN", "PERFSHELF_STORE", "PERFSHELF_CONFIG", "HOME"):
                self.assertIn(f".TP\n{word}\n", page)
        self.assertIn("perfshelf-config (5)", self.page("perfshelf"))
        for command, expected in (("list", True), ("serve", True), ("formats", False), ("copy", False)):
            page = self.page(f"perfshelf-{command}")
            self.assertEqual((".SH FILES\n" in page, "perfshelf-config (5)" in page, ".TP\nPERFSHELF_CONFIG\n" in page), (expected,) * 3, command)
        self.assertNotIn("PERFSHELF_SERVER", self.page("perfshelf-serve"))
        self.assertIn(".TP\nPERFSHELF_STORE\n", self.page("perfshelf-copy"))

    def checked(self, *command):
        for folder in ("man1", "man5"):
            for name in sorted(os.listdir(os.path.join(self.root, "usr/share/man", folder))):
                path = os.path.join(self.root, "usr/share/man", folder, name)
                done = subprocess.run([*command, path], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80"})
                said = [line for line in (done.stdout * (command[0] == "mandoc") + done.stderr).splitlines() if "missing date" not in line]
                self.assertEqual((done.returncode if command[0] != "mandoc" else 0, said), (0, []), name)

    @unittest.skipUnless(shutil.which("groff"), "no groff here")
    def test_pages_have_no_mistakes(self):
        self.checked("groff", "-man", "-ww", "-z", "-Kutf8")

    @unittest.skipUnless(shutil.which("mandoc"), "no mandoc here")
    def test_pages_have_no_mistakes_for_mandoc(self):
        self.checked("mandoc", "-Tlint", "-Wwarning")


if __name__ == "__main__":
    unittest.main()
