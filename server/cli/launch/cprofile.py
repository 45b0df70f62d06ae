# SPDX-License-Identifier: MIT
# Like `python -m cProfile -o OUT`, which takes a program's exit status for itself.
import cProfile

tool = sys.modules[cProfile.Profile.__module__]  # since Python 3.15 profiling.tracing


def import_as_the_tool_does():
    """What the tool's main() imports is there before it records: a program that imports the same is not charged for it.
    main() runs here, of a program of no lines, up to where it would record."""
    argv, path, main, record = sys.argv[:], sys.path[:], sys.modules["__main__"], tool.runctx
    sys.argv[:] = ["cProfile", os.devnull]
    tool.runctx = lambda *arguments: None
    try:
        tool.main()
    finally:
        sys.argv[:], sys.path[:], sys.modules["__main__"], tool.runctx = argv, path, main, record


import_as_the_tool_does()
import runpy  # `python -m` does
out, code, names = program()
recorder = cProfile.Profile()
try:
    recorder.runctx(code, names, names)
finally:
    try:
        recorder.dump_stats(out)
    except MemoryError:
        # cProfile says so too if the handler of a signal raised while it looked at a function for the first time
        sys.exit("cProfile lost its records: a signal such as Ctrl-C may have arrived at a wrong moment, "
                 "or memory is exhausted; record again")
