import networkx as nx
def build(n):
    g = nx.Graph()
    for i in range(n): g.add_edge(i, (i * 7 + 3) % n); g.add_edge(i, (i + 1) % n)
    return g
def distance(graph, a, b): return nx.shortest_path_length(graph, a, b)
def reachable(graph, hubs, limit):
    return {node: [hub for hub in hubs if distance(graph, node, hub) <= limit] for node in graph}
def main():
    g = build(700); print(len(reachable(g, [1, 99, 350, 500], 6)))
main()
