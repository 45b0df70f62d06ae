# SPDX-License-Identifier: MIT
"""The program under test, and how it was built."""
import atexit
import functools
import os
import shutil
import subprocess
import tempfile

PROGRAM = os.environ.get("PERFSHELF", os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "build", "perfshelf"))

# Servers that run beside the tests, of people or of other tests, are not for them to find, nor the other way round.
RUNTIME = tempfile.mkdtemp(prefix="perfshelf-runtime-")
atexit.register(shutil.rmtree, RUNTIME, ignore_errors=True)
os.environ["XDG_RUNTIME_DIR"] = RUNTIME
for name in ("PERFSHELF_SERVER", "PERFSHELF_STORE", "PERFSHELF_TOKEN"):
    os.environ.pop(name, None)
os.environ["PERFSHELF_CONFIG"] = ""  # no test depends on the configuration of who runs it


@functools.cache
def sanitized():
    """Whether it answers as AddressSanitizer does: it takes more time and memory then."""
    environment = dict(os.environ, ASAN_OPTIONS="help=1")
    return b"AddressSanitizer" in subprocess.run([PROGRAM, "--version"], env=environment, capture_output=True, check=True).stderr
