import bisect  # SPDX-License-Identifier: MIT
import queue
import random
import threading


def letters(n):
    rng = random.Random(6)
    return [(rng.randrange(10000, 99999), rng.randrange(50)) for _ in range(n)]


def nearest_depot(code, depots):
    at = bisect.bisect(depots, code)
    return min(depots[max(at - 1, 0):at + 1], key=lambda depot: abs(depot - code))


def sort_mail(jobs, depots, out):
    while (job := jobs.get()) is not None:
        out.append(nearest_depot(job[0], depots))


def weigh(jobs, out):
    while (job := jobs.get()) is not None:
        out.append(job[1] * 1.2)


def main():
    depots = sorted(random.Random(2).sample(range(10000, 99999), 400))
    by_code, by_weight = queue.Queue(), queue.Queue()
    places, weights = [], []
    threads = [threading.Thread(target=sort_mail, args=(by_code, depots, places)), threading.Thread(target=weigh, args=(by_weight, weights))]
    for thread in threads:
        thread.start()
    for letter in letters(60000):
        by_code.put(letter)
        by_weight.put(letter)
    by_code.put(None)
    by_weight.put(None)
    for thread in threads:
        thread.join()
    print(len(set(places)), sum(weights))


main()
