import networkx as nx  # SPDX-License-Identifier: MIT


def papers(n):
    g = nx.DiGraph()
    for i in range(n):
        for k in (1, 3, 7):
            if i - k >= 0:
                g.add_edge(i, i - k)
    return g


class Citations:
    def __init__(self, graph):
        self.graph = graph

    def reaches(self, a, b):
        return b in nx.descendants(self.graph, a)

    def table(self, roots):
        return {(a, b): self.reaches(a, b) for a in roots for b in range(40)}


print(sum(Citations(papers(2500)).table(range(2000, 2016)).values()))
