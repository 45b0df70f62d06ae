# SPDX-License-Identifier: MIT
"""The program under test, and how it was built."""
import functools
import os
import subprocess

PROGRAM = os.environ.get("PERFSHELF", os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "build", "perfshelf"))


@functools.cache
def sanitized():
    """Whether it answers as AddressSanitizer does: it takes more time and memory then."""
    environment = dict(os.environ, ASAN_OPTIONS="help=1")
    return b"AddressSanitizer" in subprocess.run([PROGRAM, "--version"], env=environment, capture_output=True, check=True).stderr
