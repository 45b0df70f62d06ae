# SPDX-License-Identifier: MIT
# file: mix/__init__.py
# file: mix/plugins/__init__.py
# file: mix/plugins/reverb.py
import time
TABLE = [((i * 2654435761) & 0xffff) / 65535 for i in range(900_000)]
# file: mix/plugins/gain.py
def gain(x, f):
    return x * f
# file: mix/host.py
import importlib
class _Plugins(dict):
    def __missing__(self, name):
        self[name] = importlib.import_module("mix.plugins." + name)
        return self[name]
PLUGINS = _Plugins()
# file: main.py
from mix.host import PLUGINS
print(PLUGINS["gain"].gain(2, 3))
