# SPDX-License-Identifier: MIT
import subprocess
def version_of(name): return subprocess.run(["echo",name],capture_output=True,text=True).stdout.strip()
def collect(names): return [version_of(n) for n in names]
def main(): print(len(collect([str(i) for i in range(250)])))
main()
