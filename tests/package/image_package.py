# SPDX-License-Identifier: MIT
"""The image as docker/Dockerfile makes it of the archive in dist/, its steps run in a clean root of Debian 12."""
import os
import unittest

from roots import ROOT  # which sets the path of modules
import clean_root
import dockerfile
import image_docker


class ReleaseImage(image_docker.Image):
    lacking = staticmethod(clean_root.lacking)
    build = staticmethod(lambda: clean_root.build(image_docker.DOCKERFILE))

    def test_holds_the_archive_and_the_c_library(self):
        libraries = {name for folder, _, names in os.walk(self.root.path) for name in names if ".so" in name}
        self.assertLessEqual(libraries, {"ld-linux-x86-64.so.2", "libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1"})
        self.assertLess(self.root.bytes(), 25e6)


class Context(unittest.TestCase):
    """What an engine sends to the build: the sources and dist/, and nothing that was built or is secret."""

    def test_files(self):
        names = set(dockerfile.context_files(ROOT, dockerfile.ignore_patterns(os.path.join(ROOT, "docker", "Dockerfile.dockerignore"))))
        self.assertTrue(any(name.startswith("dist/perfshelf-") and name.endswith(".tar.gz") for name in names))
        self.assertTrue({"dev", "CHANGELOG.md", "packaging/libraries.sh", "web/package-lock.json"} <= names)
        self.assertEqual([name for name in names if name.startswith(("build", ".git/", "web/node_modules/", "web/dist/"))], [])


if __name__ == "__main__":
    unittest.main()
