"""Print a batch of labels and wait for each job."""
import threading
import time


class Printer:
    def __init__(self):
        self.jobs = {}

    def start(self, label):
        job = len(self.jobs)
        done = threading.Event()
        self.jobs[job] = done
        threading.Timer(0.03, done.set).start()
        return job

    def is_done(self, job):
        return self.jobs[job].is_set()


def wait_for(printer, job):
    while not printer.is_done(job):
        time.sleep(0.25)


def print_labels(printer, labels):
    for label in labels:
        wait_for(printer, printer.start(label))


if __name__ == "__main__":
    print_labels(Printer(), [f"box {n}" for n in range(9)])
