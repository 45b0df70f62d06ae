# SPDX-License-Identifier: MIT
"""Simulates planets: all of the work is needed."""
import math


def force(a, b):
    dx, dy = b[0] - a[0], b[1] - a[1]
    d = math.sqrt(dx * dx + dy * dy) + 1e-3
    return dx / d**3, dy / d**3


def step(bodies, speeds, dt):
    for i, body in enumerate(bodies):
        for k, other in enumerate(bodies):
            if i != k:
                fx, fy = force(body, other)
                speeds[i][0] += fx * dt
                speeds[i][1] += fy * dt
    for body, speed in zip(bodies, speeds):
        body[0] += speed[0] * dt
        body[1] += speed[1] * dt


def simulate(steps):
    bodies = [[math.cos(i), math.sin(i) * (i + 1)] for i in range(12)]
    speeds = [[0.0, 0.0] for _ in bodies]
    for _ in range(steps):
        step(bodies, speeds, 1e-4)
    return bodies


if __name__ == "__main__":
    print(simulate(20000)[0])
