# SPDX-License-Identifier: MIT
# Like `mprof run --include-children -E -o OUT`, without the words that it writes into the program's output:
#     -c OUT WORDS COMMAND...      WORDS are the command as it was typed
import sys

del sys.path[:sys.path[:1] == [""]]  # as program.py does
import signal
import subprocess

import memory_profiler

out, words = sys.argv[1:3]
signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program has it too, and decides
with open(out, "a", 1) as file:
    file.write("CMDLINE %s\n" % words.replace("\n", " "))
    program = subprocess.Popen(sys.argv[3:])
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, frame: program.send_signal(number))
    memory_profiler.memory_usage(proc=program, interval=0.1, timestamps=True, include_children=True, stream=file)
status = program.wait()
sys.exit(status if status >= 0 else 128 - status)
