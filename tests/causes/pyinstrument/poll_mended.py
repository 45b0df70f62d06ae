# SPDX-License-Identifier: MIT
"""Waits for a job that a thread does."""
import threading
import time


class Job(threading.Thread):
    def __init__(self, seconds):
        super().__init__()
        self.seconds, self.done = seconds, False

    def run(self):
        end, n = time.perf_counter() + self.seconds, 0
        while time.perf_counter() < end:
            n += sum(range(200))
        self.done = True


def wait_for(job):
    job.join()


def main():
    for seconds in (0.1, 0.15, 0.1, 0.1, 0.05):
        job = Job(seconds)
        job.start()
        wait_for(job)
        job.join()


if __name__ == "__main__":
    main()
