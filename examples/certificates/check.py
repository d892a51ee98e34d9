"""Checks the claims of `orbitscope compare` and `orbitscope explain` from their documents (--format json) alone.

python3 examples/certificates/check.py [FILE ...]   Without a file, documents are read from the standard input.

The manual describes what is recomputed: `orbitscope help certificates`. The exit code is 1 if a claim does not hold.
That a permutation moves the fewest is tried for groups of up to 5,000 elements. Nothing is checked of a group on more
than 100 points, whose chain of stabilisers would take hours here.
"""

import collections
import json
import sys

sys.dont_write_bytecode = True

from claims import ELEMENTS_MAX, Refused, demand
from points import Points
from values import Values


POINTS_MAX = 100


def check(document):
    """Checks all claims of a document; returns what it claims."""
    structure, data = document.get("structure"), document.get("structure") or document.get("values")
    if data is None:
        return "nothing to check"
    if structure and len(structure["points"]) > POINTS_MAX:
        return "claim by a group on many points (not checked)"
    states = data["states"]
    both = [one["state"] for one in states.values()]
    space = (Points if structure else Values)(data, both[0], both[-1])
    map_of = space.element if structure else space.map
    for name, one in states.items():
        shown = document.get(name, document)
        for key, components in (("state", shown["components"]), ("representative", shown["representative"])):
            # Where bisimilar local states are one point, its text is that of one of them.
            own = [data["points"][c]["component"] if structure else c["state"] for c in one[key]]
            demand(own == [n if structure else c["state"] for n, c in enumerate(components)], f"another {key} is shown")
        holds = space.takes(one["state"], one["representative"], map_of(one["permutation"]))
        demand(holds, "the permutation does not take a state to its representative")
    if structure and document.get("orbit_size") and int(document["orbit_size"]) <= ELEMENTS_MAX:
        todo = [frozenset(space.a)]
        orbit = set(todo)
        for state in todo:
            todo += (new := {frozenset(g[p] for p in state) for g in space.gens} - orbit)
            orbit |= new
        demand(len(orbit) == int(document["orbit_size"]), "the orbit has another size")
    relation, witness = document.get("relation"), document.get("witness")
    if relation == "same":
        demand(both[0] == both[1], "they differ")
    elif relation == "same-orbit":
        image = map_of(witness["element"] if structure else witness["permutation"])
        demand(space.takes(*both, image), "the permutation does not take state A to state B")
        demand(witness["moved"] == space.moved(image), "it moves another number")
        if witness["least"]:
            ways = (g for g in space.elements() if space.takes(*both, g))
            demand(all(space.moved(g) >= witness["moved"] for g in ways), "another permutation moves fewer")
    elif relation == "different":
        space.refute(document["certificate"])
    is_large = structure and space.group.order() > ELEMENTS_MAX
    is_open = relation in ("bisimilar", "undecided") or is_large and '"least-images"' in json.dumps(document)
    return (relation or "representative") + (" (not checked)" if is_open else "")


def documents(files):
    for text in [open(name).read() for name in files] or [sys.stdin.read()]:
        while text := text.strip():
            document, end = json.JSONDecoder().raw_decode(text)
            text = text[end:]
            yield document


def main():
    sys.setrecursionlimit(100_000)
    claims = collections.Counter()
    for number, document in enumerate(documents(sys.argv[1:]), 1):
        try:
            claims[check(document)] += 1
        except (Refused, KeyError, TypeError, ValueError, IndexError) as why:
            sys.exit(f"document {number} is refused: {why!r}")
    print(", ".join(f"{count} {claim}" for claim, count in claims.items()) or "no document")


main()
