import networkx as nx
def build(n):
    g = nx.Graph()
    for i in range(n): g.add_edge(i, (i * 7 + 3) % n); g.add_edge(i, (i + 1) % n)
    return g
def reachable(graph, hubs, limit):
    near = {hub: nx.single_source_shortest_path_length(graph, hub, cutoff=limit) for hub in hubs}
    return {node: [hub for hub in hubs if node in near[hub]] for node in graph}
def main():
    g = build(700); print(len(reachable(g, [1, 99, 350, 500], 6)))
main()
