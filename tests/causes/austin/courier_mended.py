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
    import heapq
    distance, heap, done = {start: 0}, [(0, start)], set()
    while heap:
        node = heapq.heappop(heap)[1]
        if node in done:
            continue
        done.add(node)
        for other, cost in graph[node]:
            if other not in done and distance[node] + cost < distance.get(other, 1e9):
                distance[other] = distance[node] + cost
                heapq.heappush(heap, (distance[other], other))
    return distance
def main():
    graph = roads(3500)
    for start in range(4):
        print(len(shortest(graph, start)))
main()
