"""Workers sell seats under one lock, and print the tickets while they hold it."""  # SPDX-License-Identifier: MIT
import threading
import time

LOCK = threading.Lock()
SOLD = []


def print_ticket(seat):
    time.sleep(0.006)
    return f"ticket {seat}"


def sell(seat):
    with LOCK:
        SOLD.append(print_ticket(seat))


def worker(seats):
    for seat in seats:
        sell(seat)


def main():
    threads = [threading.Thread(target=worker, args=(range(i, 600, 6),), name=f"desk-{i}") for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(len(SOLD))


if __name__ == "__main__":
    main()
