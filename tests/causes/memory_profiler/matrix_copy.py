import numpy  # SPDX-License-Identifier: MIT
from memory_profiler import profile
@profile
def normalise(values):
    shifted = values - values.mean()
    scaled = shifted / shifted.std()
    clipped = numpy.clip(scaled, -3, 3)
    history.append(clipped.astype(numpy.float64))
    return float(clipped.max())
history = []
@profile
def main():
    values = numpy.arange(2_000_000, dtype=numpy.float32)
    best = 0.0
    for step in range(12):
        best = max(best, normalise(values + step))
    print(best)
main()
