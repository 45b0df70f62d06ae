# SPDX-License-Identifier: MIT
"""Records profiles of Python programs and puts them on a shelf. docs/python.md describes the package.

The package starts the program `perfshelf` for everything that touches a shelf. Importing the package loads no submodule:
pytest imports it at each start.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .lightning_profiler import LightningProfiler
    from .recording import PerfshelfWarning, Recording, record
    from .shelf import Error, Run, add, add_all
    from .torch_profiler import trace_handler

__all__ = ["Error", "LightningProfiler", "PerfshelfWarning", "Recording", "Run", "add", "add_all", "record", "trace_handler"]

_MODULES = {
    "Error": "shelf",
    "LightningProfiler": "lightning_profiler",
    "PerfshelfWarning": "recording",
    "Recording": "recording",
    "Run": "shelf",
    "add": "shelf",
    "add_all": "shelf",
    "record": "recording",
    "trace_handler": "torch_profiler",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("perfshelf")
    if name not in _MODULES:
        raise AttributeError("module 'perfshelf' has no attribute %r" % name)
    from importlib import import_module

    value = getattr(import_module("." + _MODULES[name], __name__), name)
    globals()[name] = value
    return value


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext perfshelf` calls this function."""
    from .magic import PerfshelfMagics

    shell.register_magics(PerfshelfMagics(shell))
