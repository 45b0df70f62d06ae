# SPDX-License-Identifier: MIT
# names: trace_call|compute
# saves: 50 to 100
import inspect
def trace_call(): return inspect.stack()[1].function
def compute(i): trace_call(); return i*i
def main(): print(sum(compute(i) for i in range(40)))
main()
