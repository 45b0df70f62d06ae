# SPDX-License-Identifier: MIT
import asyncio
async def fetch(i):
    await asyncio.sleep(0.01); return i
async def load_all():
    return await asyncio.gather(*[fetch(i) for i in range(80)])
def main(): print(len(asyncio.run(load_all())))
main()
