"""What both kinds of groups share."""

ELEMENTS_MAX = 5_000  # Larger groups are not enumerated.


class Refused(Exception):
    pass


def demand(holds, why):
    if not holds:
        raise Refused(why)


def like(space, image, r, b, chosen, refuted):
    demand(space.takes(space.b, space.b, image), "it does not take state B to itself")
    demand(all(image[v] == v for v in chosen), "it moves an image that was chosen")
    demand(image[b] == r["like"] and "by" in refuted.get(r["like"], {}), "it leads to nothing that was refuted")
