@profile  # SPDX-License-Identifier: MIT
def add(values):
    total = 0
    for value in values:
        total += value
    return total
@profile
def main():
    print(sum(add(range(50)) for _ in range(20)))
main()
