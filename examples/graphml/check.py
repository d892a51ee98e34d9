"""Reads the GraphML of maps with networkx, and holds quotients to the states below them.

For development: python3 examples/graphml/check.py PROGRAM SCRIPT [PROCESS]
"""

import collections
import io
import subprocess
import sys

import networkx


def picture(program, kind, rest):
    command = [program, "graph", kind, "--format", "graphml", *rest]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return networkx.read_graphml(io.BytesIO(done.stdout), force_multigraph=True)


def part(graph, name):
    edges = [e for e in graph.edges(keys=True, data=True) if e[3]["part"] == name]
    nodes = {n: d for n, d in graph.nodes(data=True) if d["part"] == name}
    return nodes, edges


def main():
    program, *rest = sys.argv[1:]
    both = picture(program, "--map", rest)
    states, steps = part(both, "full")
    orbits, edges = part(both, "quotient")
    covering = {a: b for a, b, *_ in part(both, "covering")[1]}
    assert covering.keys() == states.keys() and set(covering.values()) == orbits.keys()
    # The map takes edges to edges, and every edge of the quotient is the image of one.
    kinds = lambda arrows, to: {(to(a), d["kind"], to(b)) for a, b, _, d in arrows}
    assert kinds(steps, covering.get) == kinds(edges, lambda n: n)
    fibres = collections.Counter(covering.values())
    assert picture(program, "--full", rest).number_of_nodes() == len(states)
    if both.graph["complete"]:
        assert all(int(d["orbit_size"]) == fibres[n] for n, d in orbits.items())
        assert picture(program, "--quotient", rest).number_of_nodes() == len(orbits)
    print(f"{len(states)} states, {len(steps)} edges; {len(orbits)} orbits, {len(edges)} edges")


main()
