# SPDX-License-Identifier: MIT
"""Writes the wire format of Protocol Buffers, for the generators beside this file."""
import struct


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    """Text, bytes or a message."""
    if isinstance(value, str):
        value = value.encode()
    return varint(field << 3 | 2) + varint(len(value)) + value


def double(field, value):
    return varint(field << 3 | 1) + struct.pack("<d", value)


def fixed64(field, value):
    return varint(field << 3 | 1) + struct.pack("<Q", value)


def packed(field, values):
    return text(field, b"".join(map(varint, values)))


def options(parser, size):
    parser.add_argument("file")
    parser.add_argument("--mb", type=int, default=size, help=f"size before compression in MB of 10^6 bytes (default {size})")
    return parser.parse_args()
