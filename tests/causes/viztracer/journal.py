# SPDX-License-Identifier: MIT
"""Four threads write entries to one journal."""
import json
import os
import threading
import zlib

LOCK = threading.Lock()


def entry(worker, i):
    return {"worker": worker, "number": i, "values": list(range(30))}


def flush_to_disk(out, text):
    out.write(zlib.compress(text.encode()))
    out.flush()
    os.fsync(out.fileno())


def write_entry(out, record):
    with LOCK:
        flush_to_disk(out, json.dumps(record))


def work(out, worker, entries):
    for i in range(entries):
        write_entry(out, entry(worker, i))


def main():
    with open("journal.tmp", "wb") as out:
        threads = [threading.Thread(target=work, args=(out, n, 30)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    os.unlink("journal.tmp")


if __name__ == "__main__":
    main()
