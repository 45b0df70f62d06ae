import asyncio  # SPDX-License-Identifier: MIT
import random


async def lookup(key):
    await asyncio.sleep(0.004)
    return key * 7 % 101


class Router:
    def __init__(self):
        self.seen = {}

    async def resolve(self, key):
        value = await lookup(key)
        self.seen[key] = value
        return value

    async def deliver(self, letters):
        return await asyncio.gather(*map(self.resolve, letters))


async def main():
    r = random.Random(2)
    letters = [r.randrange(10000) for _ in range(250)]
    print(sum(await Router().deliver(letters)))


asyncio.run(main())
