SESSIONS = []  # SPDX-License-Identifier: MIT
def work(n):
    total = 0
    for i in range(n):
        total += i * i % 7
    return total
def open_session(i):
    SESSIONS.append(bytearray(1_500_000))
    return work(120_000)
def main():
    print(sum(open_session(i) for i in range(150)))
main()
