import queue  # SPDX-License-Identifier: MIT
import threading
import time


class Outbox:
    def __init__(self):
        self.jobs = queue.Queue()
        self.sent = []
        threading.Thread(target=self.loop, daemon=True).start()

    def loop(self):
        while True:
            job = self.jobs.get()
            time.sleep(0.004)
            self.sent.append(job)
            self.jobs.task_done()

    def put(self, text):
        self.jobs.put(text)

    def drain(self):
        self.jobs.join()
        return len(self.sent)


box = Outbox()
for i in range(200):
    box.put(f"mail {i}")
print(box.drain())
