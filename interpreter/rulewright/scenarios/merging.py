"""One piece of data laid over another."""

from rulewright.inputs.nodes import Items, Key, Mapping, Node, Scalar


def merged(base: Node, patch: Node) -> Node:
    """The base with what the patch says otherwise: mappings by key, everything else replaced whole.

    A list of ids under a mapping is the things of these ids without attributes, as in a state file.
    """
    if not isinstance(patch, Mapping):
        return patch
    under = _by_id(base) if isinstance(base, Items) else base
    if not isinstance(under, Mapping):
        return patch
    entries = {key.text: (key, node) for key, node in under}
    for key, node in patch:
        below = entries.get(key.text)
        entries[key.text] = (key, node if below is None else merged(below[1], node))
    return Mapping(tuple(entries.values()), patch.span, patch.pointer)


def _by_id(things: Items) -> Mapping:
    ids = [each for each in things.items if isinstance(each, Scalar)]
    entries = tuple((Key(each.written, each.span, each.pointer), _nothing(each)) for each in ids)
    return Mapping(entries, things.span, things.pointer)


def _nothing(place: Scalar) -> Mapping:
    return Mapping((), place.span, place.pointer)
