"""Decode a capture of the telemetry link."""
import struct
from telemetry.framer import Framer


def capture(frames):
    out = bytearray()
    for i in range(frames):
        body = struct.pack("<Id", i, i / 7)
        out += struct.pack("<H", len(body)) + body
    return bytes(out)


def main():
    framer = Framer()
    framer.feed(capture(70_000))
    total = 0.0
    for body in framer.frames():
        number, value = struct.unpack("<Id", body)
        total += value
    print(number, round(total))


main()
