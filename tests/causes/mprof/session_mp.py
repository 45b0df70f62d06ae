import time  # SPDX-License-Identifier: MIT
from functools import lru_cache


@profile
@lru_cache(maxsize=None)
def rendered(page):
    time.sleep(0.001)
    return "x" * 60000 + str(page)


@profile
def serve(n):
    size = 0
    for i in range(n):
        size += len(rendered(i))
    return size


if __name__ == "__main__":
    print(serve(1500))
