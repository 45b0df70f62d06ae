class Car:
    def __init__(self, number):
        self.number = number
        self.floor = 0
        self.busy = False
        self.load = 0

    def distance(self, floor):
        return abs(self.floor - floor)

    def board(self, people):
        self.load = min(12, self.load + people)

    def leave(self):
        out, self.load = self.load, 0
        return out
