"""Draws the shapes of a plan."""  # SPDX-License-Identifier: MIT
from typing import Protocol, runtime_checkable


@runtime_checkable
class HasRadius(Protocol):
    radius: float

    def area(self) -> float: ...


@runtime_checkable
class HasSides(Protocol):
    sides: list

    def area(self) -> float: ...


class Disc:
    def __init__(self, radius):
        self.radius = radius

    def area(self):
        return self.radius * self.radius * 3.14159


class Box:
    def __init__(self, a, b):
        self.sides = [a, b]

    def area(self):
        return self.sides[0] * self.sides[1]


def colour(shape):
    if type(shape) is Disc:
        return "red"
    if type(shape) is Box:
        return "blue"
    return "grey"


def draw(shapes):
    return [f"{colour(shape)} {shape.area():.1f}" for shape in shapes]


def make_plan(count):
    return [Disc(n % 9) if n % 2 else Box(n % 5, n % 7) for n in range(count)]


if __name__ == "__main__":
    print(len("".join(draw(make_plan(120000)))))
