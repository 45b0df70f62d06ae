# SPDX-License-Identifier: MIT
"""Six threads import at once, so the log's nesting is that of time, not of code; some self times come out negative."""
import importlib
import threading

NAMES = ["asyncio", "email.mime.multipart", "http.server", "logging.config", "unittest.mock", "xml.dom.minidom"]


def main():
    gate = threading.Barrier(len(NAMES))

    def load(name):
        gate.wait()
        importlib.import_module(name)

    threads = [threading.Thread(target=load, args=(name,)) for name in NAMES]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
