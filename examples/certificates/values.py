"""States under permutations of values: the claims that `orbitscope help certificates` describes first."""

import collections
import itertools
import math
import re

from claims import ELEMENTS_MAX, demand, like


def written(text, image):
    """A local state with its values replaced and its sets in order."""
    text = re.sub(r"\w+", lambda m: image.get(m[0], m[0]), text.replace("(|", "{").replace("|)", "}"))
    while found := re.search(r"\{([^{}]*)\}", text):
        text = text.replace(found[0], f"<{'; '.join(sorted(re.split(r', ?(?![^(]*[)])', found[1])))}>")
    return text


class Values:
    """Permutations of values: a state is a bag of components, each with a key and variables."""

    def __init__(self, data, a, b):
        self.data, self.a, self.b = data, a, b
        self.type = {v: t["name"] for t in data["types"] for v in t["values"]}
        self.start = {(side, v): t for side in "ab" for v, t in self.type.items()}

    def map(self, permutation):
        image = {a: b for p in permutation for a, b in p["map"]}
        demand(image.keys() == self.type.keys() == set(image.values()), "it is no permutation")
        demand(all(self.type[a] == self.type[b] for a, b in image.items()), "it mixes types")
        return image

    def bag(self, state, image):
        def content(c):
            rows, nested = self.rows(c, lambda v: image.get(v, v)), self.rows(c, lambda _: "")
            is_nested = any(len(set(row)) < len(row) for row in nested)
            return c["key"], rows, is_nested and written(c["state"], image)

        return collections.Counter(map(content, state))

    def rows(self, component, of):
        """The elements of sets in the variables, in order, with what `of` makes of the values."""
        rows = collections.defaultdict(list)
        for v in component["variables"]:
            rows[v["row"]].append((v["group"], of(v["value"])))
        return tuple(sorted(tuple(sorted(row)) for row in rows.values()))

    def takes(self, a, b, image):
        return self.bag(a, image) == self.bag(b, {})

    def elements(self):
        types = [t["values"] for t in self.data["types"]]
        if math.prod(math.factorial(len(t)) for t in types) <= ELEMENTS_MAX:
            for images in itertools.product(*map(itertools.permutations, types)):
                yield {a: b for t, to in zip(types, images) for a, b in zip(t, to)}

    def moved(self, image):
        return sum(a != b for a, b in image.items())

    def round(self, classes):
        """New classes, and for each value the kinds of its variables."""
        places = {x: [] for x in classes}
        for side, state in (("a", self.a), ("b", self.b)):
            for c in state:
                of = lambda v: classes[side, v]
                look = (c["key"], self.rows(c, of))
                for v in c["variables"]:
                    row = sorted((w["group"], of(w["value"])) for w in c["variables"] if w["row"] == v["row"])
                    places[side, v["value"]].append(repr((look, v["group"], row)))
        signs = {x: (c, tuple(sorted(places[x]))) for x, c in classes.items()}
        number = {sign: str(n) for n, sign in enumerate(sorted(set(signs.values())))}
        return {x: number[sign] for x, sign in signs.items()}, places

    def settled(self, classes):
        while len(set((finer := self.round(classes)[0]).values())) > len(set(classes.values())):
            classes = finer
        return classes

    def refute(self, why, classes=None, chosen=()):
        kind, classes = why["kind"], classes or self.start
        if kind == "keys":
            named = [n for n, key in enumerate(self.data["keys"]) if key["control_state"] == why["key"]]
            counts = [[sum(c["key"] == n for c in state) for state in (self.a, self.b)] for n in named]
            claim = [len(why["a"]), len(why["b"])]
            demand(claim[0] != claim[1] and claim in counts, "keys are counted otherwise")
        elif kind == "profile":
            for _ in range(why["round"]):
                classes, places = self.round(classes)
            cells = [{(side, v) for side in "ab" for v in cell[side]} for cell in (why, why["others"])]
            demand(len(why["a"]) != len(why["b"]), "the class has as many members in both")
            for cell in cells:
                ids = {classes[x] for x in cell}
                demand(len(ids) == 1 and cell == {x for x, c in classes.items() if c in ids}, "it is no class")
            times = lambda cell, kind: {places[x].count(kind) for x in cell}
            claim = [{why["times"]}, {why["times_others"]}]
            fits = any([times(cell, kind) for cell in cells] == claim for kind in set(sum(places.values(), [])))
            demand(fits and claim[0] != claim[1], "no variable is as often in them")
        elif kind == "tree":
            classes = self.settled(classes)
            alike = {v for (side, v), c in classes.items() if side == "b" and c == classes["a", why["pick"]]}
            refuted = {r["partner"]: r for r in why["refuted"]}
            demand(alike == refuted.keys(), "an image is left out")
            for b, r in refuted.items():
                if "by" in r:
                    apart = f"apart {len(chosen)}"
                    self.refute(r["by"], {**classes, ("a", why["pick"]): apart, ("b", b): apart}, (*chosen, b))
                else:
                    like(self, self.map(r["permutation"]), r, b, chosen, refuted)
        else:
            demand(kind == "image", "unknown certificate")
            classes, image = self.settled(classes), self.map(why["permutation"])
            for v in {v["value"] for c in self.a for v in c["variables"]}:
                same = [x for x, c in classes.items() if c == classes["a", v]]
                demand(sorted(same) == [("a", v), ("b", image[v])], "other permutations are left")
            demand(not self.takes(self.a, self.b, image), "it takes state A to state B")
