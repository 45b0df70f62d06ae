"""Main components of a set of faces."""
import numpy as np


def load(n, size):
    return np.random.default_rng(1).random((n, size))


def components(faces, k):
    centred = faces - faces.mean(axis=0)
    _, values, vectors = np.linalg.svd(centred, full_matrices=False)
    return values[:k], vectors[:k]


values, vectors = components(load(1000, 1300), 8)
print(values.round(2), vectors.shape)
