# SPDX-License-Identifier: MIT
"""The handler for torch.profiler: each trace becomes a run, in place of torch.profiler.tensorboard_trace_handler."""
from __future__ import annotations

import os
import re
import socket
import sys
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

from .recording import NotAdded, environment_tags, store, warn
from .shelf import Error, FilePath, Run, Shelf, call, label_options, runs_of

ENDING = ".pt.trace.json"


def _number(name: str) -> Optional[int]:
    text = os.environ.get(name, "")
    return int(text) if text.isdigit() else None


def _job() -> Tuple[Optional[int], int]:
    """The rank of this process and the number of ranks, as torch.distributed, torchrun or Slurm say."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    rank, size = _number("RANK"), _number("WORLD_SIZE")
    if rank is None:
        rank, size = _number("SLURM_PROCID"), _number("SLURM_NTASKS")
    return (rank, size or 1) if rank is not None else (None, 1)


class TraceHandler:
    """What perfshelf.trace_handler() returns. `run` is the run of the newest trace, or None."""

    def __init__(
        self,
        name: Optional[str],
        series: Optional[str],
        tags: Optional[Mapping[str, object]],
        note: Optional[str],
        folder: Optional[FilePath],
        worker_name: Optional[str],
        shelf: Shelf,
        strict: bool,
    ) -> None:
        self.name, self.series, self.note, self.strict = name or "torch", series, note, strict
        self.tags: Dict[str, object] = dict(tags or {})
        self.folder = os.fspath(folder) if folder is not None else None
        self.worker_name, self.shelf = worker_name, shelf
        self.cycle = 0
        self.run: Optional[Run] = None

    def __call__(self, profiler: Any) -> None:
        cycle, self.cycle, self.run = self.cycle, self.cycle + 1, None
        rank, size = _job()
        try:
            if self.folder is not None:
                self._put(profiler, self.folder, cycle, rank, size)
            else:
                self._add(profiler.export_chrome_trace, cycle, rank, size)
        except (Error, OSError, RuntimeError) as error:
            if self.strict:
                raise
            warn(str(error) if isinstance(error, NotAdded) else "the trace %r was not added: %s" % (self.name, error))

    def _labels(self, cycle: int, rank: Optional[int], size: int) -> Dict[str, object]:
        tags: Dict[str, object] = dict(environment_tags())
        if rank is not None:
            tags.update(rank=rank, world_size=size)
        if self.worker_name:
            tags["worker"] = self.worker_name
        tags["cycle"] = cycle
        tags.update(self.tags)
        return {key: str(value) for key, value in tags.items()}

    def _add(self, export: Callable[[str], Any], cycle: int, rank: Optional[int], size: int) -> None:
        """Each rank adds its own run."""
        name = "%s rank %d" % (self.name, rank) if rank is not None and size > 1 else self.name
        self.run = store(
            export, ENDING, self.shelf, name=name, series=self.series, tags=self._labels(cycle, rank, size), note=self.note
        )

    # --- One run of all ranks ---

    def _put(self, profiler: Any, folder: str, cycle: int, rank: Optional[int], size: int) -> None:
        """Writes the trace of this rank. The rank that writes the last one adds all of them as one run."""
        place = os.path.join(folder, "cycle-%d" % cycle)
        os.makedirs(place, exist_ok=True)
        worker = re.sub(r"[^A-Za-z0-9_-]", "_", self.worker_name or socket.gethostname())
        file = "%s_%d.%d%s" % (worker, os.getpid(), time.time_ns() // 1000000, ENDING)
        part = os.path.join(place, ".part-%d.json" % (rank or 0))
        profiler.export_chrome_trace(part)
        os.replace(part, os.path.join(place, file))
        files = self._traces(place)
        if len(files) >= size and self._claim(place):
            tags = self._labels(cycle, None, size)
            if size > 1:
                tags["world_size"] = str(size)
            words: List[Any] = ["add", "--json"] + label_options(self.name, self.series, tags, self.note)
            words += (["--merge"] if len(files) > 1 else []) + self.shelf.options() + ["--"] + files
            runs = runs_of(call(*words), self.shelf)
            self.run = runs[0] if runs else None

    @staticmethod
    def _traces(place: str) -> List[str]:
        return [os.path.join(place, name) for name in sorted(os.listdir(place)) if name.endswith(ENDING) and name[0] != "."]

    @staticmethod
    def _claim(place: str) -> bool:
        """Whether this process is the one that adds, if several have seen the last trace."""
        try:
            os.close(os.open(os.path.join(place, ".added"), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))
        except FileExistsError:
            return False
        return True


def trace_handler(
    name: Optional[str] = None,
    *,
    series: Optional[str] = None,
    tags: Optional[Mapping[str, object]] = None,
    note: Optional[str] = None,
    folder: Optional[FilePath] = None,
    worker_name: Optional[str] = None,
    server: Optional[str] = None,
    data: Optional[FilePath] = None,
    strict: bool = False,
) -> TraceHandler:
    """For `torch.profiler.profile(on_trace_ready=...)`: each cycle of the schedule becomes a run.

    folder  a new folder that all ranks reach: the traces of a cycle are kept there, and become one run with all ranks.
            Without it each rank adds a run of its own, tagged with its rank.
    strict  raises perfshelf.Error where otherwise a warning says that a trace was not added
    """
    return TraceHandler(name, series, tags, note, folder, worker_name, Shelf(server, data), strict)
