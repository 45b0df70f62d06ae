"""Quote the list price of a machine from its bill of materials."""
import sys


class Part:
    def __init__(self, number, unit_cost):
        self.number = number
        self.unit_cost = unit_cost
        self.components = []

    def needs(self, part, quantity):
        self.components.append((part, quantity))

    def rolled_up_cost(self):
        cost = self.unit_cost
        for part, quantity in self.components:
            cost += quantity * part.rolled_up_cost()
        return cost

    def depth(self):
        return 1


def build_catalogue(levels):
    screw, plate = Part("SCR-8", 0.04), Part("PLT-2", 1.75)
    catalogue = [screw, plate]
    for level in range(levels):
        sub = Part(f"SUB-{level:02}", 0.9 + level / 7)
        sub.needs(catalogue[-1], 2)
        sub.needs(catalogue[-2], 1)
        catalogue.append(sub)
    return catalogue


def main(levels):
    catalogue = build_catalogue(levels)
    for machine in catalogue[-2:]:
        print(machine.number, f"{machine.rolled_up_cost():.2f}")


main(int(sys.argv[1]) if len(sys.argv) > 1 else 30)
