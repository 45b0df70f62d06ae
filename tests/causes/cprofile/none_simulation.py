import random
def step(positions, rng):
    return [(x + rng.random() - 0.5, y + rng.random() - 0.5) for x, y in positions]
def energy(positions): return sum(x * x + y * y for x, y in positions)
def run(n):
    rng = random.Random(1); positions = [(0.0, 0.0)] * 400; trace = []
    for _ in range(n):
        positions = step(positions, rng); trace.append(energy(positions))
    return trace
def main(): print(len(run(800)))
main()
