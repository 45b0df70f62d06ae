import numpy as np  # SPDX-License-Identifier: MIT


class Album:
    def __init__(self):
        self.pages = np.empty((0, 500))

    def paste(self, page):
        self.pages = np.concatenate([self.pages, page[None]])

    def mean(self):
        return float(self.pages.mean())


def scan(n):
    rng = np.random.default_rng(0)
    album = Album()
    for _ in range(n):
        album.paste(rng.random(500))
    return album.mean()


print(scan(2600) > 0)
