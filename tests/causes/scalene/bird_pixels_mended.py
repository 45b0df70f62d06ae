import numpy as np  # SPDX-License-Identifier: MIT
def photo(n):
    return np.random.default_rng(2).integers(0, 256, (n, n), dtype=np.uint8)
def histogram(image):
    return np.bincount(image.ravel(), minlength=256).tolist()
def contrast(counts):
    return max(i for i, c in enumerate(counts) if c) - min(i for i, c in enumerate(counts) if c)
def main():
    for n in (1200, 1300, 1400, 1500, 1600, 1700):
        print(contrast(histogram(photo(n))))
main()
