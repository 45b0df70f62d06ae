import time


def ready(n):
    return n % 20 == 0


def poll(n):
    while not ready(n):
        time.sleep(0.005)
        n += 1
    return n


def main():
    n = 1
    for _ in range(12):
        n = poll(n) + 1
    print(n)


main()
