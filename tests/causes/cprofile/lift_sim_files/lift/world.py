import random

from .cars import Car
from .events import Agenda


class World:
    def __init__(self, seed, floors):
        self.rng = random.Random(seed)
        self.floors = floors
        self.cars = [Car(n) for n in range(3)]
        self.agenda = Agenda()
        self.now = 0.0
        self.moved = 0
        self.waited = 0.0
        self.calls = []

    def arrive(self):
        floor, target = self.rng.randrange(self.floors), self.rng.randrange(self.floors)
        self.calls.append((self.now, floor, target))
        self.agenda.at(self.now + self.rng.expovariate(1.1), self.arrive)
        self.assign()

    def assign(self):
        for car in self.cars:
            if not car.busy and self.calls:
                since, floor, target = self.calls.pop()
                car.busy = True
                self.agenda.at(self.now + car.distance(floor) * 0.1, self.pick_up, car, since, floor, target)

    def pick_up(self, car, since, floor, target):
        self.waited += self.now - since
        car.floor = floor
        car.board(1 + self.rng.randrange(3))
        self.agenda.at(self.now + car.distance(target) * 0.1, self.drop, car, target)

    def drop(self, car, target):
        car.floor = target
        self.moved += car.leave()
        car.busy = False
        self.assign()

    def run(self, until):
        self.arrive()
        while self.now < until:
            self.now, action, args = self.agenda.pop()
            action(*args)

    def summary(self):
        return self.moved, round(self.waited)
