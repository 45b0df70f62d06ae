# SPDX-License-Identifier: MIT
# Like `python -m cProfile -o OUT`, which takes a program's exit status for itself.
import cProfile

out, code, names = program()
recorder = cProfile.Profile()
try:
    recorder.runctx(code, names, names)
finally:
    recorder.dump_stats(out)
