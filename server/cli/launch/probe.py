# SPDX-License-Identifier: MIT
# Prints the version of this Python, whether it has a module, and how it was built: -c MODULE
import sys

del sys.path[:sys.path[:1] == [""]]  # as program.py does
import platform

try:
    from importlib.util import find_spec as find
except ImportError:
    from pkgutil import find_loader as find
jit = getattr(sys, "_jit", None)
options = [("debug", hasattr(sys, "gettotalrefcount")), ("free-threading", "free-threading" in sys.version), ("JIT", jit and jit.is_enabled())]
build = (platform.python_implementation(), platform.python_compiler()) + platform.python_build() + tuple(word for word, is_set in options if is_set)
print("%d.%d.%d %s %s" % (tuple(sys.version_info[:3]) + ("has" if find(sys.argv[1]) else "lacks", " ".join(build))))
