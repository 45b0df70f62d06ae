# SPDX-License-Identifier: MIT
"""The options of the pytest plugin. pytest loads this file at each start, so the rest is in pytest_session.py."""
from __future__ import annotations

import os
from typing import Any, List

import pytest

RECORDERS = ("cprofile", "torch")
#: Runs that a test is compared with.
BASE_MAX = 10
#: Default of --perfshelf-min: adding a run takes about 35 ms of processor time and 320 KiB of the shelf.
MIN_S = 0.01


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("perfshelf", "profiles of tests")
    group.addoption(
        "--perfshelf",
        nargs="?",
        const="cprofile",
        default=None,
        metavar="RECORDER",
        help="record each test with cprofile (the default) or torch, and add the profile to the shelf",
    )
    group.addoption(
        "--perfshelf-compare",
        nargs="?",
        const="",
        default=None,
        metavar="BASE",
        help="say which tests became slower than the runs of BASE: a commit or branch, or a tag KEY=VALUE"
        " (default: the baseline of the series, else its newest %d runs)" % BASE_MAX,
    )
    group.addoption(
        "--perfshelf-fail-on",
        default=None,
        metavar="GROWTH",
        help="fail if a test grows by more than this, such as +10%% or +50ms; implies --perfshelf-compare",
    )
    group.addoption(
        "--perfshelf-min",
        type=float,
        default=MIN_S,
        metavar="SECONDS",
        help="do not add tests that take less (default %s; 0 adds all)" % MIN_S,
    )
    group.addoption("--perfshelf-server", default=None, metavar="URL", help="shelf served at this URL")
    group.addoption("--perfshelf-data", default=None, metavar="DIR", help="folder of the shelf")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: Any, parser: Any, args: List[str]) -> None:
    """Writes `--perfshelf tests/` as `--perfshelf=cprofile tests/`: argparse would take the path as the recorder."""
    changed = False
    for index, word in enumerate(args):
        if word == "--":
            break
        if word in ("--perfshelf", "--perfshelf-compare"):
            following = args[index + 1] if index + 1 < len(args) else "-"
            if word == "--perfshelf" and following not in RECORDERS:
                args[index] = "--perfshelf=cprofile"
                changed = True
            elif word == "--perfshelf-compare" and os.path.exists(following.partition("::")[0]):
                args[index] = "--perfshelf-compare="
                changed = True
    if changed:
        early_config.known_args_namespace = parser.parse_known_args(args, namespace=None)


def pytest_configure(config: Any) -> None:
    kind = config.getoption("--perfshelf")
    is_compared = config.getoption("--perfshelf-compare") is not None or config.getoption("--perfshelf-fail-on") is not None
    if kind is None and not is_compared:
        return
    kind = kind or "cprofile"
    if kind not in RECORDERS:
        raise pytest.UsageError("--perfshelf=%s: the recorders are %s" % (kind, " and ".join(RECORDERS)))
    from .pytest_session import TestProfiles
    from .recorders import new_recorder
    from .shelf import Error, find_program

    try:
        find_program()
        new_recorder(kind)
    except Error as error:
        raise pytest.UsageError("--perfshelf: %s" % error) from error
    config.pluginmanager.register(TestProfiles(config, kind), "perfshelf-profiles")
