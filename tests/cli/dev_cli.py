# SPDX-License-Identifier: MIT
"""./dev: wrong words are refused before anything is installed, built or changed; what `mutants` changes."""
import os
import subprocess
import sys
import tempfile
import unittest

from program import ROOT

sys.path.insert(0, os.path.join(ROOT, "tests"))
import mutants  # noqa: E402


class Dev(unittest.TestCase):
    def dev(self, *words):
        # No program but those of a bare system: what installs or builds would fail in another way.
        return subprocess.run(["bash", os.path.join(ROOT, "dev"), *words], capture_output=True, text=True, timeout=60,
                              env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"})

    def test_wrong_words(self):
        for words, said in ((["serve", "--prot", "80"], "dev: unknown option --prot; the options of serve are: --listen"), (["serve", "-x"], "unknown option -x"),
                            (["build", "test"], "build knows engine tests sanitized, not 'test'"), (["fmt", "--chek"], "fmt knows --check, not '--chek'"),
                            (["setup", "x"], "setup knows build, not 'x'"), (["docs", "all"], "docs knows no words, not 'all'"), (["fuzz", "soon"], "fuzz takes a number of seconds"),
                            (["try"], "try needs a file"), (["try", "nowhere.c"], "nowhere.c: no such file"), (["test", "nonsense"], "nonsense"), (["package", "x"], "package knows")):
            done = self.dev(*words)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertEqual(done.stdout, "", words)
            self.assertIn(said, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_help(self):
        for words in ([], ["help"], ["build", "--help"], ["serve", "-h"]):
            done = self.dev(*words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("./dev serve [OPTION...]", done.stdout)

    def test_changes(self):
        """Of code: no text, no comment, no size of memory, and a comparator or a maximum is turned around."""
        text = """int f(int a, int b)
{
    int *p = ps_alloc_array(a + 1, sizeof *p); /* 5 < 6 */
    log("1 < 2");
    if (a < 7 && g[2])
        return x->a < y->a ? -1 : 1;
    return a >= b ? a : b;
}
"""
        with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
            file.write(text)
            file.flush()
            changes = [(old, new) for _, _, old, new in mutants.mutations(file.name)]
        self.assertEqual(changes, [(" + ", " - "), (" < ", " <= "), ("7", "8"), (" && ", " || "), (" < ", " <= "), ("? -1 : 1", "? 1 : -1"), (" >= ", " < ")])


if __name__ == "__main__":
    unittest.main()
