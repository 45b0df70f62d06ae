# SPDX-License-Identifier: MIT
"""A server with a pool of workers that mostly waits for jobs."""
import queue
import threading
import time


def handle(job):
    return sum(i * i for i in range(job))


def worker(jobs):
    while True:
        job = jobs.get()
        if job is None:
            return
        handle(job)


def main():
    jobs = queue.Queue()
    workers = [threading.Thread(target=worker, args=(jobs,), name=f"worker{i}") for i in range(8)]
    for thread in workers:
        thread.start()
    for i in range(30):
        jobs.put(4000)
        time.sleep(0.1)
    for _ in workers:
        jobs.put(None)
    for thread in workers:
        thread.join()


if __name__ == "__main__":
    main()
