"""Open the lock gate, wait until the water is level, let the ships pass."""
import threading


class Gate:
    def __init__(self):
        self.level = threading.Event()

    def flood(self):
        threading.Timer(1.5, self.level.set).start()

    def wait_until_level(self):
        self.level.wait()


def ships(gate):
    gate.flood()
    gate.wait_until_level()
    return [f"ship {n}" for n in range(5)]


print(ships(Gate()))
