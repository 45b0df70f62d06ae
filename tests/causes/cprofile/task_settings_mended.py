"""Runs tasks, each with its own settings."""  # SPDX-License-Identifier: MIT
import copy
import hashlib

DEFAULTS = {"paths": {f"dir{n}": f"/srv/{n}" for n in range(60)},
            "limits": [{"name": f"l{n}", "value": n, "units": ["ms", "s"]} for n in range(40)],
            "mail": {"to": [f"u{n}@x.org" for n in range(20)], "from": "a@x.org"}, "depth": 3}


def settings_for(task):
    settings = dict(DEFAULTS)
    settings["depth"] = task % 5
    settings["name"] = f"task{task}"
    return settings


def run_task(settings):
    data = settings["name"].encode() * 800
    for _ in range(settings["depth"] + 12):
        data = hashlib.sha256(data).digest() * 30
    return data[:4].hex()


def run_all(count):
    return {run_task(settings_for(task)) for task in range(count)}


if __name__ == "__main__":
    print(len(run_all(4000)))
