# SPDX-License-Identifier: MIT
"""A profiler for the Trainer of Lightning, of both packages: `lightning` and `pytorch_lightning`.

Its class is made at the first use, since it derives from Lightning's own.
"""
from __future__ import annotations

import functools
import sys
from importlib import import_module
from typing import Any, Mapping, Optional

from .recording import Recording
from .shelf import Error, FilePath, Run, Shelf
from .torch_profiler import TraceHandler

PACKAGES = ("lightning.pytorch", "pytorch_lightning")


def _profilers(package: str) -> Any:
    return import_module(package + ".profilers")


def find_profilers() -> Any:
    """Lightning's module `profilers`: of the package that the program has imported, else of one that is installed."""
    for package in PACKAGES:
        if package in sys.modules:
            return _profilers(package)
    for package in PACKAGES:
        try:
            return _profilers(package)
        except ModuleNotFoundError:
            pass
    raise Error("neither lightning nor pytorch_lightning is installed in %s" % sys.executable)


@functools.lru_cache(maxsize=None)
def torch_class(base: Any) -> Any:
    class LightningTorchProfiler(base):  # type: ignore[misc]
        """Lightning's PyTorchProfiler, whose traces become runs."""

        def __init__(self, handler: TraceHandler, **options: Any) -> None:
            super().__init__(on_trace_ready=handler, **options)
            self.handler = handler

        @property
        def run(self) -> Optional[Run]:
            return self.handler.run

        def setup(self, stage: str, local_rank: Optional[int] = None, log_dir: Optional[str] = None) -> None:
            super().setup(stage, local_rank, log_dir)
            self.handler.tags["stage"] = stage

    return LightningTorchProfiler


@functools.lru_cache(maxsize=None)
def recording_class(base: Any) -> Any:
    class LightningRecordingProfiler(base):  # type: ignore[misc]
        """Records from the setup of a stage (fit, validate, test, predict) to its end."""

        def __init__(self, recording: Recording, **options: Any) -> None:
            self.recording = recording
            self.is_recording = False
            super().__init__(**options)

        @property
        def run(self) -> Optional[Run]:
            return self.recording.run

        def start(self, action_name: str) -> None:
            pass

        def stop(self, action_name: str) -> None:
            pass

        def setup(self, stage: str, local_rank: Optional[int] = None, log_dir: Optional[str] = None) -> None:
            super().setup(stage, local_rank, log_dir)
            if not self.is_recording:
                self.recording.tags["stage"] = stage
                if local_rank is not None:
                    self.recording.tags["rank"] = local_rank
                self.is_recording = True
                self.recording.__enter__()

        def teardown(self, stage: Optional[str]) -> None:
            if self.is_recording:
                self.is_recording = False
                self.recording.__exit__(None, None, None)
            super().teardown(stage)

    return LightningRecordingProfiler


def LightningProfiler(  # called like a class: it returns one of Lightning's profilers
    kind: str = "torch",
    *,
    name: Optional[str] = None,
    series: Optional[str] = None,
    tags: Optional[Mapping[str, object]] = None,
    note: Optional[str] = None,
    folder: Optional[FilePath] = None,
    server: Optional[str] = None,
    data: Optional[FilePath] = None,
    strict: bool = False,
    **options: Any,
) -> Any:
    """For `Trainer(profiler=perfshelf.LightningProfiler())`.

    torch                 Lightning's PyTorchProfiler: each trace becomes a run. `options` are those of PyTorchProfiler.
    cprofile, memory      one run for each fit, validate, test and predict
    folder                as of perfshelf.trace_handler()
    """
    profilers = find_profilers()
    if kind == "torch":
        handler = TraceHandler(name or "lightning", series, tags, note, folder, None, Shelf(server, data), strict)
        return torch_class(profilers.PyTorchProfiler)(handler, **options)
    if kind not in ("cprofile", "memory"):
        raise Error("perfshelf.LightningProfiler(%r): the kinds are torch, cprofile and memory" % kind)
    if folder is not None:
        raise Error("perfshelf.LightningProfiler(%r): only the kind torch has a folder" % kind)
    recording = Recording(
        kind, name=name or "lightning", series=series, tags=tags, note=note, server=server, data=data, strict=strict
    )
    return recording_class(profilers.Profiler)(recording, **options)
