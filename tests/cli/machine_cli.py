# SPDX-License-Identifier: MIT
"""What `perfshelf record` and the Python package say about the machine: both the same, and what the kernel says."""
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import unittest

from program import PROGRAM, ShelfTest, sanitized

PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "python")
PYTHON_FACTS = "import json, sys; sys.path.insert(0, sys.argv[1]); from perfshelf.environment import machine_facts; print(json.dumps(machine_facts()))"
RECORD = ["record", "--name", "x", "--data"]

# The parts of /proc and /sys that a machine with two GPUs, a quota of one and a half CPUs and a limit of 1 GiB has, and the two
# versions of control groups.
MAKE_MACHINE = r"""
set -e
mount -t tmpfs none /proc/driver
mkdir -p /proc/driver/nvidia/gpus/0000:01:00.0 /proc/driver/nvidia/gpus/0000:02:00.0
printf 'NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  565.57.01  Release Build  (root@host)  Fri\nGCC version:  gcc 12.2\n' >/proc/driver/nvidia/version
for GPU in /proc/driver/nvidia/gpus/*; do printf 'Model: \t\t NVIDIA H200\nIRQ:   \t\t 1\n' >"$GPU/information"; done
mount -t tmpfs none /sys/devices/system/cpu
for CPU in $(seq 0 511); do mkdir -p "/sys/devices/system/cpu/cpu$CPU/cpufreq"; echo powersave >"/sys/devices/system/cpu/cpu$CPU/cpufreq/scaling_governor"; done
mount -t tmpfs none /sys/fs/cgroup
if [ "$1" = 2 ]; then
    echo '150000 100000' >/sys/fs/cgroup/cpu.max
    echo 1073741824 >/sys/fs/cgroup/memory.max
else
    sed -n 's/^[0-9]*:\([^:]*\):.*/\1/p' /proc/self/cgroup | while read -r NAME; do mkdir -p "/sys/fs/cgroup/$NAME"; done
    for FOLDER in /sys/fs/cgroup /sys/fs/cgroup/*cpu; do
        echo 150000 >"$FOLDER/cpu.cfs_quota_us"
        echo 100000 >"$FOLDER/cpu.cfs_period_us"
        echo 1073741824 >"$FOLDER/memory.limit_in_bytes"
    done
fi
shift
exec "$@"
"""


def can_make_machines():
    return os.geteuid() == 0 and shutil.which("unshare") and subprocess.run(
        ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/proc/driver"], capture_output=True, check=False).returncode == 0


class Machine(ShelfTest):
    def facts(self, *before):
        """The tags of a recording, and the facts of the package."""
        data = tempfile.mkdtemp(dir=self.folder)
        subprocess.run([*before, PROGRAM, *RECORD, data, "cprofile", sys.executable, "-c", "pass"], check=True, capture_output=True)
        done = subprocess.run([PROGRAM, "show", "--data", data, "--json", "@1"], check=True, capture_output=True)
        asked = subprocess.run([*before, sys.executable, "-c", PYTHON_FACTS, PACKAGE], check=True, capture_output=True)
        tags = json.loads(done.stdout)["tags"]
        self.assertTrue(tags.pop("command"))
        return tags, json.loads(asked.stdout)

    def test_both_say_what_the_kernel_says(self):
        tags, facts = self.facts()
        load = tags.pop("load")
        self.assertRegex(load, r"^\d+\.\d\d$")
        self.assertEqual({key: value for key, value in tags.items() if key not in ("commit", "dirty")}, facts)
        self.assertEqual(facts["system"], f"{platform.system()} {platform.release()}")
        self.assertLessEqual(float(facts["cores"]), len(os.sched_getaffinity(0)))
        self.assertIn(platform.python_compiler(), facts["python_build"])

    def test_cores_are_those_that_may_be_used(self):
        cpu = min(os.sched_getaffinity(0))
        for found in self.facts("taskset", "-c", str(cpu)):
            self.assertLessEqual(float(found["cores"]), 1)

    @unittest.skipUnless(can_make_machines(), "this process may not mount")
    @unittest.skipIf(sanitized(), "the sanitizers need the files of the machine")
    def test_limits_governors_and_gpus(self):
        for version in "1", "2":
            for found in self.facts("unshare", "-m", "sh", "-c", MAKE_MACHINE, "machine", version, "taskset", "-c", ",".join(map(str, os.sched_getaffinity(0)))):
                cores = "1.5" if len(os.sched_getaffinity(0)) > 1 else "1"
                self.assertEqual((found["cores"], found["memory"], found["governor"]), (cores, str(1 << 30), "powersave"))
                self.assertEqual((found["gpu"], found["driver"]), ("2 x NVIDIA H200", "565.57.01"))

    def test_tags_of_the_user_are_never_too_many(self):
        """A run has at most 64 tags. What perfshelf would add is left out first."""
        tags = [word for i in range(58) for word in ("--tag", f"k{i}=v")]
        self.run_verb("record", *tags, "--name", "x", "time", "--", "true")
        [run] = self.json("list")
        self.assertEqual(len([key for key in run["tags"] if key.startswith("k")]), 58)
        self.assertLessEqual(len(run["tags"]), 64)

    def test_a_load_that_the_user_names_stays(self):
        self.run_verb("record", "--tag", "load=mine", "time", "--", "true")
        self.assertEqual(self.json("list")[0]["tags"]["load"], "mine")


if __name__ == "__main__":
    unittest.main()
