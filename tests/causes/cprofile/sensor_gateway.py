"""Gateway: decode frames of the field bus and raise alarms."""
import logging
import struct
from dataclasses import dataclass, field

log = logging.getLogger("gateway")


@dataclass
class Channel:
    name: str
    unit: str
    value: float


@dataclass
class Frame:
    station: int
    sequence: int
    channels: list = field(default_factory=list)


NAMES = [("flow", "l/s"), ("temp", "C"), ("level", "m"), ("ph", ""), ("turb", "NTU"),
         ("press", "bar"), ("cond", "mS"), ("redox", "mV")]


def decode(payload):
    station, sequence, *values = struct.unpack("<HI8f", payload)
    frame = Frame(station, sequence)
    for (name, unit), value in zip(NAMES, values):
        frame.channels.append(Channel(name, unit, value))
    return frame


def check(frame, limits):
    alarms = []
    for channel in frame.channels:
        log.debug(f"station {frame.station}: {channel.name} in {frame}")
        if channel.value > limits[channel.name]:
            alarms.append(channel.name)
    return alarms


def payloads(n):
    for i in range(n):
        yield struct.pack("<HI8f", i % 60, i, *(float((i * k) % 101) for k in range(1, 9)))


def main():
    logging.basicConfig(level=logging.WARNING)
    limits = {name: 97.0 for name, _ in NAMES}
    raised = 0
    for payload in payloads(9000):
        raised += len(check(decode(payload), limits))
    print(raised)


main()
