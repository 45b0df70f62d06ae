# SPDX-License-Identifier: MIT
# Like `kernprof -l -o OUT`, which takes a program's exit status for itself and writes into its output.
import line_profiler

try:
    import builtins
except ImportError:
    import __builtin__ as builtins

out, code, names = program()
recorder = line_profiler.LineProfiler()
builtins.profile = recorder
explicit = getattr(line_profiler, "profile", None)  # `from line_profiler import profile`, since 4.1
if hasattr(explicit, "_kernprof_overwrite"):
    explicit._kernprof_overwrite(recorder)
try:
    run(code, names)
finally:
    recorder.dump_stats(out)
