import subprocess, sys  # SPDX-License-Identifier: MIT
def weigh_all(loads):
    code = f"for load in {list(loads)}: print(load * 2)"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.split()
def shift(loads):
    return [int(weight) for weight in weigh_all(loads)]
print(sum(shift(range(40))))
