class Node:
    def __init__(self, parent): self.parent = parent
def depth_of(node): return 0 if node.parent is None else 1 + depth_of(node.parent)
def depths(nodes): return [depth_of(node) for node in nodes]
def build(n):
    nodes = [Node(None)]
    for i in range(1, n): nodes.append(Node(nodes[i - 1] if i % 300 else nodes[0]))
    return nodes
def main(): print(max(depths(build(12000))))
main()
