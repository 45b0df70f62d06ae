"""Asks the state of all vans of a fleet."""  # SPDX-License-Identifier: MIT
import asyncio
import time
import zlib


def read_van(number):
    time.sleep(0.012)  # a client library without asyncio
    return zlib.crc32(b"%d" % number)


async def van_state(number):
    state = await asyncio.to_thread(read_van, number)
    return number, state % 3


async def fleet_state(count):
    return dict(await asyncio.gather(*[van_state(n) for n in range(count)]))


def draw(states):
    return "".join(".o#"[states[n]] for n in sorted(states))


if __name__ == "__main__":
    print(len(draw(asyncio.run(fleet_state(90)))))
