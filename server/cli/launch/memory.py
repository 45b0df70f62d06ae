# SPDX-License-Identifier: MIT
# The measured process of memory_samples.py: notes when functions that are marked @profile begin and end, and adds that to
# the samples in one write, for its parent writes to the same file.
import io
import signal

import memory_profiler

try:
    import builtins
except ImportError:
    import __builtin__ as builtins

signal.signal(signal.SIGINT, signal.default_int_handler)  # its parent ignores it, and that is inherited
out, code, names = program()
recorder = memory_profiler.TimeStamper("psutil", include_children=True)
builtins.profile = recorder
try:
    run(code, names)
finally:
    stamps = io.StringIO()
    recorder.show_results(stream=stamps)
    file = os.open(out, os.O_WRONLY | os.O_APPEND)
    os.write(file, stamps.getvalue().encode())
    os.close(file)
