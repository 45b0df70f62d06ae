import numpy as np  # SPDX-License-Identifier: MIT


def load(n):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 400))


def covariance(x):
    x = x - x.mean(axis=0)
    return x.T @ x / len(x)


def spectrum(c):
    return np.linalg.eigvalsh(c)


total = 0
for i in range(10):
    total += spectrum(covariance(load(8000)))[-1]
print(total > 0)
