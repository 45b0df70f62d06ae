import os  # SPDX-License-Identifier: MIT
import subprocess
import sys
import tempfile
import time


def worker(path):
    code = f"import time; time.sleep(0.9); open({path!r}, 'w').write('done')"
    return subprocess.Popen([sys.executable, "-c", code])


def ready(path):
    while not os.path.exists(path):
        time.sleep(0.5)
    return open(path).read()


with tempfile.TemporaryDirectory() as folder:
    p = worker(folder + "/out")
    print(ready(folder + "/out"))
    p.wait()
