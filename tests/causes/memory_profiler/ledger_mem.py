from memory_profiler import profile  # SPDX-License-Identifier: MIT


def entries(n):
    return ((i, i * 7 % 1000, f"entry {i}") for i in range(n))


@profile
def balance(n):
    rows = list(entries(n))
    total = 0
    for _, amount, _ in rows:
        total += amount
    names = {r[2][:7] for r in rows}
    return total, len(names)


if __name__ == "__main__":
    print(balance(12000))
