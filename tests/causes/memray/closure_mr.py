import functools  # SPDX-License-Identifier: MIT


class Bus:
    def __init__(self):
        self.handlers = []

    def on(self, f):
        self.handlers.append(f)

    def fire(self):
        return sum(h() for h in self.handlers)


def request(bus, i):
    body = bytearray(80_000)
    body[0] = i % 256

    def done():
        return body[0]

    bus.on(done)
    return len(body)


bus = Bus()
for i in range(1200):
    request(bus, i)
print(bus.fire())
