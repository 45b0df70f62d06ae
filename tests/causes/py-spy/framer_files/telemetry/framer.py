class Framer:
    """Cuts a byte stream into frames: two bytes length, then the body."""

    def __init__(self):
        self.buffer = b""

    def feed(self, data):
        self.buffer += data

    def frames(self):
        while len(self.buffer) >= 2:
            size = int.from_bytes(self.buffer[:2], "little")
            if len(self.buffer) < size + 2:
                break
            body = self.buffer[2:size + 2]
            self.buffer = self.buffer[size + 2:]
            yield body
