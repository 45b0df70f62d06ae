# SPDX-License-Identifier: MIT
# Prints the version of this Python, and whether it has a module: -c MODULE
import sys

del sys.path[:sys.path[:1] == [""]]  # as program.py does

try:
    from importlib.util import find_spec as find
except ImportError:
    from pkgutil import find_loader as find
print("%d.%d.%d %s" % (tuple(sys.version_info[:3]) + ("has" if find(sys.argv[1]) else "lacks",)))
