"""States under a group found in the structure of a network, which permutes points."""

import itertools

from claims import ELEMENTS_MAX, Refused, demand, like


def then(g, h):
    return tuple(map(h.__getitem__, g))


def inverse(g):
    return tuple(sorted(range(len(g)), key=g.__getitem__))


def moved_by(g):
    return [p for p, q in enumerate(g) if p != q]


def orbits(size, moves):
    """The least point of the orbit of each point."""
    least = list(range(size))

    def find(p):
        while least[p] != p:
            least[p] = p = least[least[p]]
        return p

    for p, q in moves:
        p, q = find(p), find(q)
        least[max(p, q)] = min(p, q)
    return [find(p) for p in range(size)]


class Chain:
    """A permutation group: the orbit of a point, with an element to each of its points, and the stabiliser of that."""

    def __init__(self, base, generators):
        self.base, self.gens, self.next = base, [], None
        self.reps = {base: tuple(range(len(generators[0])))}
        for g in generators:
            self.add(g)

    def contains(self, g):
        rep = self.reps.get(g[self.base])
        rest = rep and then(g, inverse(rep))
        moved = rest and moved_by(rest)
        return bool(rest) and (not moved or self.next is not None and self.next.contains(rest))

    def add(self, g):
        """Adds a generator, and those of the stabiliser by Schreier's lemma."""
        if self.contains(g):
            return
        self.gens.append(g)
        todo = [(p, g) for p in self.reps]
        for p, s in todo:
            step = then(self.reps[p], s)
            if s[p] not in self.reps:
                self.reps[s[p]] = step
                todo += [(s[p], other) for other in self.gens]
            elif moved := moved_by(rest := then(step, inverse(self.reps[s[p]]))):
                if self.next is None:
                    self.next = Chain(moved[0], [rest])
                self.next.add(rest)

    def order(self):
        return len(self.reps) * (self.next.order() if self.next else 1)

    def elements(self):
        below = self.next.elements() if self.next else [tuple(range(len(self.reps[self.base])))]
        return (then(g, rep) for g in below for rep in self.reps.values())


class Points:
    """A group found in the structure: a state is a set of points."""

    def __init__(self, data, a, b):
        self.a, self.b, self.size = a, b, len(data["points"])
        self.component = [p["component"] for p in data["points"]]
        self.gens = [tuple(range(self.size)), *map(self.map, data["generators"])]
        self.group = Chain(0, self.gens)
        demand(self.group.order() == int(data["group_order"]), "the group has another order")

    def map(self, moves):
        images = list(range(self.size))
        for p, q in moves:
            images[p] = q
        demand(sorted(images) == list(range(self.size)), "it is no permutation")
        return tuple(images)

    def element(self, moves):
        demand(self.group.contains(image := self.map(moves)), "it is no element of the group")
        return image

    def takes(self, a, b, image):
        return sorted(image[p] for p in a) == sorted(b)

    def elements(self):
        return self.group.elements() if self.group.order() <= ELEMENTS_MAX else ()

    def moved(self, image):
        return len({self.component[p] for p in moved_by(image) if self.component[image[p]] != self.component[p]})

    def colours(self, a, gens):
        """Rounds of colours of the points of both states, and the kinds of pairs that each begins, under a group."""
        n = self.size
        single = orbits(n, [(p, g[p]) for g in gens for p in moved_by(g)])
        now = {(side, p): single[p] for side, state in (("a", a), ("b", self.b)) for p in state}
        yield now, None
        ordered = [(g, p, q) for g in gens for p in moved_by(g) for q in range(n)]
        moves = ((p * n + q, g[p] * n + g[q]) for h, r, t in ordered for g, p, q in ((h, r, t), (h, t, r)))
        pair = orbits(n * n, moves)
        while True:
            kinds = {(s, p): [(pair[p * n + q], c) for (t, q), c in now.items() if t == s and p != q] for s, p in now}
            signs = {x: (now[x], tuple(sorted(kinds[x]))) for x in now}
            number = {sign: at for at, sign in enumerate(sorted(set(signs.values())))}
            if len(number) == len(set(now.values())):
                return
            now = {x: number[sign] for x, sign in signs.items()}
            yield now, kinds

    def refute(self, why, gens=None, image=None, chosen=()):
        """Checks a certificate: the generators fix the images chosen so far, and `image` takes the picks there."""
        kind, gens, image = why["kind"], gens or self.gens, image or self.gens[0]
        a, back = [image[p] for p in self.a], inverse(image)
        cell = lambda found: {("a", image[p]) for p in found["a"]} | {("b", p) for p in found["b"]}
        if kind == "numbers":
            orbit = set(why["orbit"])
            demand(all(g[p] in orbit for g in gens for p in orbit), "it is no orbit")
            inside = {("a", p) for p in orbit & set(a)} | {("b", p) for p in orbit & set(self.b)}
            demand(cell(why) == inside and len(why["a"]) != len(why["b"]), "the points are counted otherwise")
        elif kind == "pairs":
            now, kinds = next(itertools.islice(self.colours(a, gens), why["round"], None), (None, None))
            demand(now and len(why["a"]) != len(why["b"]), "nothing is told apart in this round")
            for part in (why, why["others"]):
                ids = {now.get(x) for x in cell(part)}
                demand(len(ids) == 1 and cell(part) == {x for x, c in now.items() if c in ids}, "it is no colour")
            side, first, second = why["pair"]["of"].lower(), why["pair"]["first"], why["pair"]["second"]
            move = image if side == "a" else self.gens[0]
            others = [q for s, q in now if s == side and q != move[first]]
            pair = kinds[side, move[first]][others.index(move[second])]
            times = [{kinds[x].count(pair) for x in cell(part)} for part in (why, why["others"])]
            claim = [{why["times"]}, {why["times_others"]}]
            demand(times == claim and claim[0] != claim[1], "pairs are counted otherwise")
        elif kind == "points":
            pick = ("a", image[why["pick"]])
            refuted = {r["partner"]: r for r in why["refuted"]}
            for now, _ in self.colours(a, gens):
                if refuted.keys() >= {p for (s, p), c in now.items() if s == "b" and c == now[pick]}:
                    break
            else:
                raise Refused("an image is left out")
            for b, r in refuted.items():
                element = self.element(r["element"])
                if "by" in r:
                    below = {**dict(chosen), why["pick"]: b}
                    demand(all(element[p] == q for p, q in below.items()), "it leads elsewhere")
                    fixing = Chain(b, gens).next
                    self.refute(r["by"], fixing.gens if fixing else self.gens[:1], element, tuple(below.items()))
                else:
                    like(self, element, r, b, [q for _, q in chosen], refuted)
        else:
            demand(kind == "least-images", "unknown certificate")
            ways = (g for g in self.elements() if self.takes(self.a, self.b, g))
            demand(next(ways, None) is None, "an element takes state A to state B")
