import numpy as np  # SPDX-License-Identifier: MIT


class Album:
    def __init__(self):
        self.pages = []

    def paste(self, page):
        self.pages.append(page)

    def mean(self):
        return float(np.stack(self.pages).mean())


def scan(n):
    rng = np.random.default_rng(0)
    album = Album()
    for _ in range(n):
        album.paste(rng.random(500))
    return album.mean()


print(scan(2600) > 0)
