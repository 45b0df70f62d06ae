from memory_profiler import profile  # SPDX-License-Identifier: MIT


def entries(n):
    return ((i, i * 7 % 1000, f"entry {i}") for i in range(n))


@profile
def balance(n):
    rows = entries(n)
    total = 0
    names = set()
    for _, amount, name in rows:
        total += amount
        names.add(name[:7])
    return total, len(names)


if __name__ == "__main__":
    print(balance(12000))
