def is_prime(n):  # SPDX-License-Identifier: MIT
    for d in range(2, int(n ** 0.5) + 1):
        if n % d == 0:
            return False
    return n > 1
def lucky(numbers):
    return [n for n in numbers if is_prime(n)]
def ticket(seed):
    return [(seed * k * k + 7 * k) % 49000 + 1 for k in range(60)]
def main():
    print(sum(len(lucky(ticket(seed))) for seed in range(1, 90)))
main()
