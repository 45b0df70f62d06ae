# SPDX-License-Identifier: MIT
# file: trail/__init__.py
from trail import convert, elevation, preview
# file: trail/convert.py
def metres(feet):
    return feet * 0.3048
# file: trail/elevation.py
import numpy as np
def climb(heights):
    return float(np.clip(np.diff(heights), 0, None).sum())
# file: trail/preview.py
import networkx
import matplotlib.figure
def draw(points):
    graph = networkx.path_graph(len(points))
    return matplotlib.figure.Figure(), graph
# file: main.py
import trail.convert
import trail.elevation
print(trail.elevation.climb([1, 3, 2, 6]), trail.convert.metres(3))
