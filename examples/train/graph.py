"""Trains a graph network to tell which group of a graph each node is in: examples/train/graph.py [STEPS]

Nodes of a group have more edges among them than to others; what is known of a node itself is mostly
noise, and the group of one node in ten.
"""
import sys

import numpy as np
import tensorwright as tw

nn = tw.nn
NODES, GROUPS, WIDTH = 300, 3, 16


def draw(rng):
    """Features [n, WIDTH], edges [2, e] in both directions, groups [n], and whether each is known."""
    groups = rng.integers(0, GROUPS, NODES)
    near = rng.uniform(size=(NODES, NODES)) < np.where(groups[:, None] == groups, 0.06, 0.004)
    edges = np.array(np.nonzero(near | near.T))
    nodes = rng.normal(0, 1, (NODES, WIDTH)) + 0.8 * np.eye(GROUPS, WIDTH)[groups]
    return nodes.astype("float32"), edges, groups, rng.uniform(size=NODES) < 0.1


class Network(nn.Module):
    def __init__(self):
        self.first, self.second = nn.GraphConv(WIDTH, 32), nn.GraphConv(32, GROUPS)

    def __call__(self, nodes, edges):
        return self.second(tw.relu(self.first(nodes, edges)), edges)


optimizer = tw.optim.Adam(0.02, weight_decay=5e-3)


@tw.jit
def step(model, state, nodes, edges, groups, is_known):
    def loss(model):
        return tw.cross_entropy(model(nodes, edges), tw.where(is_known, groups, -100))

    value, gradients = tw.value_and_grad(loss)(model)
    return value, *optimizer.update(model, gradients, state)


@tw.jit
def rate(model, nodes, edges, groups, is_known):
    """The part of the nodes that are not known which it tells right."""
    right = (tw.argmax(model(nodes, edges)) == groups) & ~is_known
    return tw.mean(tw.astype(right, "float32")) / tw.mean(tw.astype(~is_known, "float32"))


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    graph = draw(np.random.default_rng(0))
    tw.init.manual_seed(0)
    model = Network()
    state = optimizer.init(model)
    for number in range(1, steps + 1):
        value, model, state = step(model, state, *graph)
        if number % 25 == 0:
            print(f"step {number}  loss {float(value):.4f}  accuracy {float(rate(model, *graph)):.3f}")


if __name__ == "__main__":
    main()
