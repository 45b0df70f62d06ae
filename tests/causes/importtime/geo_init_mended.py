# SPDX-License-Identifier: MIT
# file: geo/__init__.py
from .points import distance
def __getattr__(name):
    from . import surface
    return getattr(surface, name)
# file: geo/points.py
import math
def distance(a, b):
    return math.hypot(a[0] - b[0], a[1] - b[1])
# file: geo/surface.py
import scipy.interpolate
import scipy.spatial
class Surface:
    def __init__(self, points, heights):
        self.tree = scipy.spatial.cKDTree(points)
        self.height = scipy.interpolate.LinearNDInterpolator(points, heights)
# file: main.py
from geo.points import distance
print(round(distance((0, 0), (3, 4)), 1))
