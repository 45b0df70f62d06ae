"""Lift simulation: what do three lifts do on a working day?"""
from lift.world import World


if __name__ == "__main__":
    world = World(seed=3, floors=14)
    world.run(until=60_000)
    print(world.summary())
