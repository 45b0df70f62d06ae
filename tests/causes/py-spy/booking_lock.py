"""Six agents book seats on the same train."""
import threading
import time


class SeatMap:
    def __init__(self, seats):
        self.lock = threading.Lock()
        self.free = list(range(seats))
        self.taken = {}

    def confirm(self, seat):
        time.sleep(0.02)          # answer of the card terminal
        return seat % 11 != 0

    def book(self, agent):
        with self.lock:
            if not self.free:
                return None
            seat = self.free.pop()
            if self.confirm(seat):
                self.taken[seat] = agent
            return seat


def agent_loop(train, name):
    while train.book(name) is not None:
        pass


def main():
    train = SeatMap(100)
    agents = [threading.Thread(target=agent_loop, args=(train, f"agent-{n}"), name=f"agent-{n}") for n in range(6)]
    for a in agents:
        a.start()
    for a in agents:
        a.join()
    print(len(train.taken))


main()
