# SPDX-License-Identifier: MIT
import zlib,random
def make(): return random.Random(1).randbytes(16_000_000)
def pack(d): return zlib.compress(d,9)
def main(): print(len(pack(make())))
main()
