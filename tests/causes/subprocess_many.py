# SPDX-License-Identifier: MIT
# names: version_of
# saves: 50 to 100
import subprocess
def version_of(name): return subprocess.run(["echo",name],capture_output=True,text=True).stdout.strip()
def collect(names): return [version_of(n) for n in names]
def main(): print(len(collect([str(i) for i in range(60)])))
main()
