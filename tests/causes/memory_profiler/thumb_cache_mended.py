from memory_profiler import profile  # SPDX-License-Identifier: MIT
CACHE = {}
def shrink(data):
    return bytes(data[::2])
@profile
def thumbnail(number):
    data = bytearray(4_000_000)
    data[number] = 1
    CACHE.clear()
    CACHE[number] = shrink(data)
    size = len(CACHE[number])
    del data
    return size
@profile
def main():
    total = 0
    for number in range(25):
        total += thumbnail(number)
    print(total)
main()
