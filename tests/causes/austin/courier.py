import random  # SPDX-License-Identifier: MIT
def roads(n):
    rng = random.Random(7)
    return {i: [(rng.randrange(n), rng.randint(1, 30)) for _ in range(4)] for i in range(n)}
def nearest(distance, open_nodes):
    best = None
    for node in open_nodes:
        if best is None or distance[node] < distance[best]:
            best = node
    return best
def shortest(graph, start):
    distance, open_nodes, done = {start: 0}, [start], set()
    while open_nodes:
        node = nearest(distance, open_nodes)
        open_nodes.remove(node)
        done.add(node)
        for other, cost in graph[node]:
            if other not in done and distance[node] + cost < distance.get(other, 1e9):
                if other not in distance:
                    open_nodes.append(other)
                distance[other] = distance[node] + cost
    return distance
def main():
    graph = roads(3500)
    for start in range(4):
        print(len(shortest(graph, start)))
main()
