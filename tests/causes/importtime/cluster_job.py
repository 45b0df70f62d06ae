import numpy as np  # SPDX-License-Identifier: MIT
from sklearn.cluster import KMeans

points = np.random.default_rng(0).normal(size=(200, 3))
print(KMeans(4, n_init=1).fit(points).inertia_ > 0)
