class Framer:
    """Cuts a byte stream into frames: two bytes length, then the body."""

    def __init__(self):
        self.buffer = b""

    def feed(self, data):
        self.buffer += data

    def frames(self):
        at = 0
        while len(self.buffer) - at >= 2:
            size = int.from_bytes(self.buffer[at:at + 2], "little")
            if len(self.buffer) - at < size + 2:
                break
            body = self.buffer[at + 2:at + size + 2]
            at += size + 2
            yield body
        self.buffer = self.buffer[at:]
