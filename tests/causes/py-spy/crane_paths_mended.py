"""Plans the order in which a crane moves containers."""  # SPDX-License-Identifier: MIT
import math


class Box:
    def __init__(self, number):
        self.x, self.y, self.z = number * 37 % 101, number * 53 % 67, number % 5

    def set_reach(self):
        weight = 0.0
        for step in range(1, 25):
            weight += math.sqrt(self.x ** 2 + self.y ** 2) / step + self.z
        self.reach = weight


def nearest(boxes):
    best = boxes[0]
    for box in boxes:
        if box.reach < best.reach:
            best = box
    return best


def plan(boxes):
    order = []
    for box in boxes:
        box.set_reach()
    while boxes:
        box = nearest(boxes)
        boxes.remove(box)
        order.append(box)
    return order


def cost(order):
    return sum(math.hypot(a.x - b.x, a.y - b.y) for a, b in zip(order, order[1:]))


if __name__ == "__main__":
    print(round(cost(plan([Box(n) for n in range(450)]))))
