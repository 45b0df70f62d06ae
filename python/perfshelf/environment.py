# SPDX-License-Identifier: MIT
"""The machine and the Python of this process as tags, as `perfshelf record` sets them. Nothing here waits for another program."""
from __future__ import annotations

import glob
import os
import platform
import re
import socket
import sys
from typing import Dict, Iterator, List, Optional, Tuple

CGROUPS = "/sys/fs/cgroup"
CONTAINERS = (  # words in the paths of control groups
    ("kubepods", "kubernetes"),
    ("docker", "docker"),
    ("libpod", "podman"),
    ("containerd", "containerd"),
    ("/lxc", "lxc"),
    ("/machine.slice", "nspawn"),
)


def _lines(path: str) -> List[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except OSError:
        return []


def _field(path: str, name: str) -> str:
    """The value of the first line "NAME : VALUE"."""
    for line in _lines(path):
        key, colon, value = line.partition(":")
        if colon and key.rstrip() == name:
            return value.strip()
    return ""


def _numbers(path: str) -> List[float]:
    """The numbers at the start of the first line; "max" is none."""
    found: List[float] = []
    for word in " ".join(_lines(path)[:1]).split():
        try:
            found.append(float(word))
        except ValueError:
            break
    return found


# --- Limits of the control groups ---


def _groups() -> Iterator[str]:
    """The folders of the control groups of this process and of those around them."""
    for line in _lines("/proc/self/cgroup"):
        names, path = line.split(":", 2)[1:]
        mount = os.path.join(CGROUPS, names) if names else CGROUPS
        while True:
            yield mount + path
            if "/" not in path:
                break
            path = path[: path.rindex("/")]


def _limits() -> Tuple[List[float], List[float]]:
    """What the control groups allow: numbers of CPUs, and bytes of memory."""
    cpus, memory = [], []
    for folder in _groups():
        quota = _numbers(folder + "/cpu.max") or _numbers(folder + "/cpu.cfs_quota_us") + _numbers(folder + "/cpu.cfs_period_us")
        if len(quota) == 2 and quota[0] > 0 and quota[1] > 0:
            cpus.append(quota[0] / quota[1])
        memory += [limit for file in ("memory.max", "memory.limit_in_bytes") for limit in _numbers("%s/%s" % (folder, file))[:1] if limit > 0]
    return cpus, memory


# --- Facts ---


def _usable_cpus() -> List[int]:
    try:
        return sorted(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        return []


def _machine_memory() -> float:
    try:
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 0.0


def _governors(cpus: List[int]) -> str:
    found: List[str] = []
    for cpu in cpus:
        for line in _lines("/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor" % cpu)[:1]:
            if line and line not in found:
                found.append(line)
    return ", ".join(found)


def _container() -> str:
    """The kind of container that this process runs in; "none": there is no sign of one."""
    if os.environ.get("KUBERNETES_SERVICE_HOST") is not None:
        return "kubernetes"
    if os.path.exists("/.dockerenv"):
        return "docker"
    if os.path.exists("/run/.containerenv"):
        return "podman"
    for line in _lines("/proc/1/cgroup"):
        for word, kind in CONTAINERS:
            if word in line:
                return kind
    return "none" if sys.platform == "linux" else ""


def _gpus() -> str:
    models = [model for model in (_field(path, "Model") for path in glob.glob("/proc/driver/nvidia/gpus/*/information")) if model]
    if len(models) > 1 and len(set(models)) == 1:
        return "%d x %s" % (len(models), models[0])
    return ", ".join(models)


def _driver() -> str:
    words = " ".join(_lines("/proc/driver/nvidia/version")[:1]).split()
    return next((word for word in words if re.match(r"\d.*\.", word)), "")


def _python_build() -> str:
    jit = getattr(sys, "_jit", None)
    options = (
        ("debug", hasattr(sys, "gettotalrefcount")),
        ("free-threading", "free-threading" in sys.version),
        ("JIT", jit is not None and jit.is_enabled()),
    )
    words = [platform.python_implementation(), platform.python_compiler(), *platform.python_build()]
    return " ".join(words + [word for word, is_set in options if is_set])


def _lowest(of_machine: float, limits: List[float]) -> Optional[str]:
    value = min([of_machine, *limits])
    return "%.15g" % value if value > 0 else None


def machine_facts() -> Dict[str, str]:
    """What is known, under the names of docs/compare.md#environments."""
    cpus = _usable_cpus()
    cpu_limits, memory_limits = _limits()
    system = platform.uname()
    facts = {
        "host": socket.gethostname(),
        "python": platform.python_version(),
        "python_build": _python_build(),
        "cpu": _field("/proc/cpuinfo", "model name"),
        "cores": _lowest(len(cpus), cpu_limits),
        "governor": _governors(cpus),
        "memory": _lowest(_machine_memory(), memory_limits),
        "gpu": _gpus(),
        "driver": _driver(),
        "machine": system.machine,
        "system": ("%s %s" % (system.system, system.release)).strip(),
        "container": _container(),
    }
    return {name: value for name, value in facts.items() if value}
