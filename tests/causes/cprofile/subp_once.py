import subprocess  # SPDX-License-Identifier: MIT
import sys

code = "s = 0\nfor i in range(4000000):\n    s += i\nprint(s)"
result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
print(len(result.stdout))
