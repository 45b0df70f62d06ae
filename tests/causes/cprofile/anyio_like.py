import asyncio  # SPDX-License-Identifier: MIT


class Meter:
    def __init__(self, n):
        self.n = n

    async def read(self):
        await asyncio.sleep(0.005)
        return self.n

    async def total(self):
        s = 0
        for _ in range(120):
            s += await self.read()
        return s


def run():
    return asyncio.run(Meter(3).total())


if __name__ == "__main__":
    print(run())
