import subprocess, sys  # SPDX-License-Identifier: MIT
def weigh(load):
    return subprocess.run([sys.executable, "-c", f"print({load} * 2)"], capture_output=True, text=True).stdout
def shift(loads):
    return [int(weigh(load)) for load in loads]
print(sum(shift(range(40))))
