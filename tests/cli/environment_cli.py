# SPDX-License-Identifier: MIT
"""The environments of runs: what files and tags state, in what two groups differ, and `--same`."""
import json
import os
import shutil
import sqlite3
import unittest

from program import ShelfTest


def benchmark(seconds=0.001, machine=None, commit=None):
    """One benchmark, as `pytest --benchmark-json` writes it."""
    values = [seconds * (1 + part / 100) for part in (-4, 1, 0, -2, 3, 2, -1, 4, -3, 0)]
    stats = {"min": min(values), "max": max(values), "mean": sum(values) / len(values), "median": seconds, "stddev": 0.02 * seconds,
             "rounds": len(values), "iterations": 1, "data": values}
    return {"machine_info": machine or {}, "commit_info": commit or {}, "version": "5.3.1", "datetime": "2026-01-01T00:00:00+00:00",
            "benchmarks": [{"group": None, "name": "test_a", "fullname": "test_app.py::test_a", "params": None, "stats": stats}]}


GOLDEN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "golden")
MACHINE = {"node": "ci-7", "machine": "x86_64", "system": "Linux", "python_version": "3.13.1", "cpu": {"brand_raw": "CPU 1"}}


class Environments(ShelfTest):
    def setUp(self):
        super().setUp()
        self.n = 0

    def add(self, *tags, **document):
        """Adds a benchmark whose samples no other run has."""
        self.n += 1
        path = self.file(f"{self.n}.json", json.dumps(benchmark(0.001 + self.n * 1e-9, **document)).encode())
        words = [word for tag in tags for word in ("--tag", tag)]
        return self.json("add", path, "--name", f"run {self.n}", *words)["id"]

    def facts(self, run):
        """What show prints."""
        line = next(line for line in self.ok("show", run).splitlines() if line.startswith("environment"))
        return line.split(None, 1)[1].split("; ")

    def differences(self, base, new):
        """What diff prints before the verdict."""
        return [line for line in self.ok("diff", base, new).splitlines() if line.startswith(("Recorded in", "Also different", "Recorded with"))]

    def refused(self, base, new, same, verb="diff"):
        words = ("diff", base, new) if verb == "diff" else ("check", new, "--against", base)
        done = self.run_verb(*words, "--same", same)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        return done.stderr.decode()


class OfARun(Environments):
    def test_the_file_comes_before_tags(self):
        run = self.add("python=3.9", "governor=performance", "packages.numpy=2.1.0", "memory=16706707456", "colour=red", machine=MACHINE)
        self.assertEqual(self.facts(run), ["CPU CPU 1", "Governor performance", "Memory 15.6 GiB", "Host ci-7", "Architecture x86_64", "System Linux",
                                           "Python 3.13.1"])
        text = self.ok("show", run)
        self.assertRegex(text, r"(?m)^packages +numpy 2\.1\.0$")
        self.assertRegex(text, r"(?m)^tags +colour=red python=3\.9$")

    def test_all_that_pytest_benchmark_states(self):
        machine = {**MACHINE, "release": "6.1.0-28", "python_implementation": "CPython", "python_build": ["main", "Feb  4 2025 14:57:36"],
                   "python_compiler": "GCC 12.2.0", "cpu": {"brand_raw": "CPU 1", "count": 8}}
        self.assertEqual(self.facts(self.add(machine=machine, commit={"id": "1f" * 20, "time": "2026-01-01T10:00:00", "branch": "main", "dirty": True})), [
            "CPU CPU 1", "Cores 8", "Host ci-7", "Architecture x86_64", "System Linux 6.1.0-28", "Python 3.13.1",
            "Python build CPython GCC 12.2.0 main Feb  4 2025 14:57:36", "Commit " + "1f" * 20, "Time of the commit 2026-01-01T10:00:00", "Branch main",
            "Uncommitted changes yes"])

class OfAFormat(Environments):
    """What files of other tools state."""

    def shown(self, name, content):
        path = content if content.endswith(".sqlite") else self.file(name, content.encode())
        return self.facts(self.json("add", path)["id"])

    def trace(self, **header):
        slices = [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 5}]
        return self.shown("a.pt.trace.json", json.dumps({"schemaVersion": 1, **header, "traceEvents": slices}))

    def test_traces(self):
        h100 = {"id": 0, "name": "NVIDIA H100"}
        self.assertEqual(self.trace(deviceProperties=[h100, {**h100, "id": 1}], cuda_runtime_version=12040, cuda_driver_version=13000, host_name="node-1"),
                         ["Accelerator 2 x NVIDIA H100", "Host node-1", "Runtime of the accelerator CUDA 12.4"])
        self.assertEqual(self.trace(deviceProperties=[h100, {"id": 1, "name": "NVIDIA A100"}, {"id": 2}], hip_runtime_version=70051831),
                         ["Accelerator NVIDIA H100, NVIDIA A100", "Runtime of the accelerator HIP 7.0.51831"])
        self.assertEqual(self.trace(deviceProperties=[], cuda_runtime_version="x", host_name="n"), ["Host n"])

    def test_viztracer_has_a_version(self):
        events = [{"ph": "X", "cat": "FEE", "name": "f (a.py:1)", "pid": 1, "tid": 1, "ts": 1, "dur": 5}]
        document = {"traceEvents": events, "viztracer_metadata": {"version": "1.1.1", "overflow": False}}
        run = self.json("add", self.file("v.json", json.dumps(document).encode()))["id"]
        self.assertRegex(self.ok("show", run), r"(?m)^tool +viztracer 1\.1\.1$")

    def test_nsys(self):
        path = os.path.join(self.folder, "a.sqlite")
        shutil.copy(os.path.join(GOLDEN, "nsys", "ok_managed.sqlite"), path)
        rows = {"CpuCores": "48", "CpuArchitecture": "x86_64", "CpuDescription": " AMD EPYC 7413 24-Core Processor", "NvDriverVersion": "565.57.01",
                "Hostname": "node-1", "OsDescription": "Ubuntu 24.04.1 LTS", "DeviceEnvironment": "TOKEN=hush;"}
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE TARGET_INFO_SYSTEM_ENV(globalVid INTEGER, devStateName TEXT, name TEXT, nameEnum INTEGER, value TEXT)")
            database.executemany("INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (1, 'Local', ?, 1, ?)", rows.items())
        database.close()
        self.assertEqual(self.shown("", path), ["CPU AMD EPYC 7413 24-Core Processor", "Cores 48", "Driver 565.57.01", "Host node-1", "Architecture x86_64",
                                                "System Ubuntu 24.04.1 LTS"])

    def test_gecko(self):
        with open(os.path.join(GOLDEN, "gecko", "ok_shared.json"), encoding="utf-8") as file:
            document = json.load(file)
        document["meta"].update({"CPUName": "Apple M2", "logicalCPUs": 8})
        self.assertEqual(self.shown("gecko.json", json.dumps(document)), ["CPU Apple M2", "Cores 8"])


class Differences(Environments):
    def test_what_may_explain_a_difference_is_a_warning(self):
        base = self.add("governor=performance", machine=MACHINE, commit={"id": "1f0c2ab398ff" + "0" * 28, "dirty": False})
        new = self.add("governor=powersave", machine={**MACHINE, "node": "ci-8", "python_version": "3.15.0"},
                       commit={"id": "8ed3f01b7aff" + "0" * 28, "dirty": True})
        self.assertEqual(self.differences(base, new), [
            "Recorded in different environments: Governor performance against powersave; Python 3.13.1 against 3.15.0.",
            "Also different: Host ci-7 against ci-8; Commit 1f0c2ab398 \u2192 8ed3f01b7a; Uncommitted changes no \u2192 yes."])
        self.assertEqual(self.differences(base, base), [])

    def test_another_host_is_a_warning_if_the_cpu_is_unknown(self):
        runs = [self.add(machine={"node": node}) for node in ("ci-7", "ci-8")]
        self.assertEqual(self.differences(*runs), ["Recorded in different environments: Host ci-7 against ci-8."])

    def test_another_release_of_the_system_is_no_warning(self):
        runs = [self.add(machine={**MACHINE, "system": system, "release": release}) for system, release in (("Linux", "6.1"), ("Linux", "6.12"), ("Darwin", "24"))]
        self.assertEqual(self.differences(*runs[:2]), ["Recorded with: System Linux 6.1 against Linux 6.12."])
        self.assertEqual(self.differences(*runs[1:]), ["Recorded in different environments: System Linux 6.12 against Darwin 24."])

    def test_a_commit_alone_is_no_warning(self):
        runs = [self.add(machine=MACHINE, commit={"id": digit * 40}) for digit in "12"]
        self.assertEqual(self.differences(*runs), ["Recorded with: Commit 1111111111 \u2192 2222222222."])

    def test_unknown_is_no_difference(self):
        self.assertEqual(self.differences(self.add(machine=MACHINE), self.add()), [])

    def test_packages_are_compared_one_by_one(self):
        base = self.add("packages.numpy=1.26.4", "packages.attrs=24.1", machine=MACHINE)
        new = self.add("packages.numpy=2.1.0", "packages.attrs=24.1", "packages.other=2", machine=MACHINE)
        self.assertEqual(self.differences(base, new),
                         ["Recorded in different environments: numpy 1.26.4 \u2192 2.1.0."])

    def test_packages_of_a_file_are_a_list(self):
        """pytest-metadata lists packages. What a list lacks is told, but not what it has without a version."""
        runs = []
        for packages in {"pytest": "8.1", "old": "1", "same": ""}, {"pytest": "9.2", "same": "3", "new": "2"}:
            document = {"created": 1767225600.5, "duration": 1.5, "exitcode": 0, "root": "/app", "environment": {"Python": "3.13.1", "Packages": packages},
                        "summary": {"passed": 1, "total": 1, "collected": 1},
                        "tests": [{"nodeid": "test_a.py::test_a", "lineno": 1, "outcome": "passed", "call": {"duration": 0.25, "outcome": "passed"}}]}
            runs.append(self.json("add", self.file(f"report{len(runs)}.json", json.dumps(document).encode()))["id"])
        self.assertEqual(self.differences(*runs)[0],
                         "Recorded in different environments: new not listed \u2192 2; old 1 \u2192 not listed; pytest 8.1 \u2192 9.2.")
        self.assertIn("packages.same is unknown of 1 of 1 runs of base", self.refused(*runs, "packages.same"))

    def test_many_packages_are_counted(self):
        runs = [self.add(*(f"packages.p{i}={version}" for i in range(12)), machine=MACHINE) for version in (1, 2)]
        [line] = self.differences(*runs)
        self.assertTrue(line.endswith("; p5 1 \u2192 2; 4 more packages."), line)

    def test_nearly_the_same_memory_is_the_same(self):
        runs = [self.add(f"memory={size}", machine=MACHINE) for size in (16706707456, 16706000000, 8353353728)]
        self.assertEqual(self.differences(runs[0], runs[1]), [])
        self.assertEqual(self.differences(runs[0], runs[2]), ["Recorded in different environments: Memory 15.6 GiB against 7.78 GiB."])

    def test_the_load_is_never_compared(self):
        self.assertEqual(self.differences(self.add("load=0.10", machine=MACHINE), self.add("load=7.90", machine=MACHINE)), [])

    def test_several_runs_of_a_side(self):
        base = [self.add(machine={**MACHINE, "python_version": version}) for version in ("3.13.1", "3.13.1", "3.15.0")]
        new = [self.add(machine=MACHINE), self.add(machine={**MACHINE, "cpu": {}})]
        self.assertEqual(self.differences(",".join(base), ",".join(new)),
                         ["Recorded in different environments: Python 3.13.1 (2 of 3 runs), 3.15.0 (1 of 3 runs) against 3.13.1."])

    def test_in_check(self):
        base = self.add(machine=MACHINE, commit={"id": "1" * 40})
        new = self.add(machine={**MACHINE, "cpu": {"brand_raw": "CPU | 2"}}, commit={"id": "2" * 40})
        lines = self.ok("check", new, "--against", base).splitlines()
        self.assertEqual(lines[:2], ["warning recorded in different environments: CPU CPU 1 against CPU | 2",
                                      "note    Commit 1111111111 \u2192 2222222222"])
        self.assertIn("| warning | recorded in different environments: CPU CPU 1 against CPU \\| 2 | | | |\n| note | Commit 1111111111 \u2192 2222222222 | | | |\n",
                      self.ok("check", new, "--against", base, "--markdown"))
        [cpu, commit] = self.json("check", new, "--against", base)["environment"]
        self.assertEqual((cpu["key"], cpu["warns"], cpu["new"]), ("cpu", True, {"values": [{"value": "CPU | 2", "runs": 1}], "unknown": 0}))
        self.assertEqual((commit["label"], commit["warns"], commit["base"]["values"]), ("Commit", False, [{"value": "1" * 40, "runs": 1}]))
        self.assertNotIn("environment", self.ok("check", f"{new},{base}", "--budget", "headline=1s"))


class Shared(Environments):
    def test_hosts_and_commits_are_hidden(self):
        run = self.add("gpu=NVIDIA H100", machine={**MACHINE, "release": "6.1-ci-7"},
                       commit={"id": "1f" * 20, "time": "2026-01-01T10:00:00", "branch": "fix/of-ci-7"})
        bundle = os.path.join(self.folder, "shared.perfshelf")
        self.ok("export", run, "--redact", "hosts,labels", "-o", bundle)
        self.data += "2"
        copy = self.run_verb("add", bundle, "--json")
        self.assertEqual(self.facts(json.loads(copy.stdout)["id"]),
                         ["CPU CPU 1", "Host host1", "Architecture x86_64", "System Linux 6.1-host1", "Python 3.13.1"])


class Same(Environments):
    def test_the_same_environment_passes(self):
        base, new = self.add("governor=performance", machine=MACHINE), self.add("governor=performance", machine=MACHINE)
        self.assertIn("test_a", self.ok("diff", base, new, "--same", "cpu,python,governor"))
        self.assertIn("within", self.ok("check", new, "--against", base, "--same", "cpu"))

    def test_a_difference_is_refused(self):
        base, new = self.add(machine=MACHINE), self.add(machine={**MACHINE, "python_version": "3.15.0"})
        for verb in ("diff", "check"):
            self.assertIn("the environments are not the same: Python 3.13.1 against 3.15.0; compare", self.refused(base, new, "cpu,python", verb))
        self.ok("diff", base, new, "--same", "cpu")
        done = self.run_verb("diff", base, new, "--same", "python", "--markdown")
        self.assertEqual((done.returncode, done.stdout), (1, b""))

    def test_unknown_is_refused(self):
        base, new = self.add(machine=MACHINE), self.add()
        self.assertIn("cpu is unknown of 1 of 1 runs of new; set it as a tag", self.refused(base, new, "cpu"))
        self.assertIn("cpu is unknown of 1 of 2 runs of base; set it as a tag", self.refused(f"{base},{new}", base, "cpu"))
        self.assertIn("packages is unknown of 1 of 1 runs of base; set it as a tag", self.refused(base, new, "packages"))

    def test_packages(self):
        base, new = self.add("packages.numpy=1.26", "packages.attrs=1"), self.add("packages.numpy=2.1", "packages.attrs=1")
        self.assertIn("numpy 1.26 \u2192 2.1; compare", self.refused(base, new, "packages"))
        self.assertIn("numpy 1.26 \u2192 2.1; compare", self.refused(base, new, "packages.numpy"))
        self.ok("diff", base, new, "--same", "packages.attrs")
        self.assertIn("packages.torch is unknown of 1 of 1 runs", self.refused(base, new, "packages.torch"))

    def test_unknown_facts_are_wrong_usage(self):
        base, new = self.add(machine=MACHINE), self.add(machine=MACHINE)
        for word in ("colour", "cpu,,python", "load", "packages."):
            done = self.run_verb("check", new, "--against", base, "--same", word)
            self.assertEqual(done.returncode, 2, word)
            self.assertIn("unknown fact of the environment: '", done.stderr.decode())
        done = self.run_verb("check", new, "--budget", "headline=1s", "--same", "cpu")
        self.assertEqual(done.returncode, 2)
        self.assertIn("needs a baseline: --against BASELINE", done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
