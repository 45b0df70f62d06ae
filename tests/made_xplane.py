# SPDX-License-Identifier: MIT
"""Profiles of XLA (XSpace), made message by message. A message is a list of fields: (number, value)."""
import struct


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def message(*fields):
    """An int is a varint, a float a fixed64, and a text or bytes has its length before it. None is absent."""
    out = b""
    for number, value in fields:
        if value is None:
            continue
        if isinstance(value, float):
            out += varint(number << 3 | 1) + struct.pack("<d", value)
        elif isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            value = value.encode() if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


class Ref(str):
    """A text that stands in the names of stats."""


class Unsigned(int):
    pass


class Plane:
    """Gives names their ids. The lines stand before the names, as XLA writes them, or after them."""

    def __init__(self, name, plane=0):
        self.head, self.lines, self.facts = [(1, plane or None), (2, name)], [], []
        self.metas, self.stats = {}, {}

    def stat_id(self, name):
        return self.stats.setdefault(name, len(self.stats) + 1)

    def stat(self, key, value):
        field = 7 if isinstance(value, Ref) else 3 if isinstance(value, Unsigned) else 4 if isinstance(value, int) else \
            2 if isinstance(value, float) else 5 if isinstance(value, str) else 6
        return message((1, key if isinstance(key, int) else self.stat_id(key)), (field, self.stat_id(value) if field == 7 else value))

    def meta(self, name, display=None, **stats):
        """The id of the metadata of events; `stats` are those that all of them have."""
        if name not in self.metas:
            self.metas[name] = len(self.metas) + 1, message((2, name), (4, display), *[(5, self.stat(*item)) for item in stats.items()])
        return self.metas[name][0]

    def event(self, name, offset_ps, duration_ps, **stats):
        meta = name if isinstance(name, int) else self.meta(name)
        return message((1, meta), (2, offset_ps or None), (3, duration_ps or None), *[(4, self.stat(*item)) for item in stats.items()])

    def counted(self, name, times, duration_ps):
        return message((1, self.meta(name)), (5, times), (3, duration_ps))

    def line(self, number, name, timestamp_ns, *events, display=None):
        self.lines.append(message((1, number), (2, name), (3, timestamp_ns), *[(4, event) for event in events], (11, display)))
        return self

    def fact(self, key, value):
        self.facts.append((6, self.stat(key, value)))
        return self

    def encode(self, names_first=False):
        names = [(4, message((1, key), (2, message((1, key)) + body))) for key, body in self.metas.values()]
        names += [(5, message((1, key), (2, message((1, key), (2, name))))) for name, key in self.stats.items()]
        lines = [(3, line) for line in self.lines]
        return message(*self.head, *(names + lines if names_first else lines + names), *self.facts)


def space(*planes, hosts=("host-a",), errors=(), warnings=()):
    return message(*[(1, plane if isinstance(plane, bytes) else plane.encode()) for plane in planes], *[(2, text) for text in errors],
                   *[(3, text) for text in warnings], *[(4, text) for text in hosts])


def environment(start_ns=1_700_000_000_000_000_000, stop_ns=1_700_000_001_000_000_000):
    return Plane("Task Environment").fact("profile_start_time", Unsigned(start_ns)).fact("profile_stop_time", Unsigned(stop_ns))
