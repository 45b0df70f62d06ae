from memory_profiler import profile  # SPDX-License-Identifier: MIT
@profile
def blend(number):
    first = bytearray(30_000_000)
    second = bytearray(30_000_000)
    value = first[number] + second[number]
    del first
    del second
    return value
@profile
def main():
    total = 0
    for number in range(18):
        total += blend(number)
    print(total)
main()
