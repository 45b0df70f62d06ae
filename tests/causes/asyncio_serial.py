# SPDX-License-Identifier: MIT
# names: fetch
# saves: 40 to 100
import asyncio
async def fetch(i):
    await asyncio.sleep(0.01); return i
async def load_all():
    return [await fetch(i) for i in range(40)]
def main(): print(len(asyncio.run(load_all())))
main()
