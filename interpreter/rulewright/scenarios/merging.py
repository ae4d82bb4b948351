"""One piece of data laid over another, and laid out as people write YAML."""

from collections.abc import Iterator

from rulewright.inputs.nodes import Items, Json, Key, Mapping, Node, Scalar
from rulewright.inputs.one_line import one_line


def merged(base: Node, patch: Node) -> Node:
    """The base with what the patch says otherwise: mappings by key, everything else replaced whole.

    A list of ids under a mapping is the things of these ids without attributes, as in a state file.
    """
    if not isinstance(patch, Mapping):
        return patch
    under = _by_id(base) if isinstance(base, Items) else base
    return merged_mappings(under, patch) if isinstance(under, Mapping) else patch


def merged_mappings(base: Mapping, patch: Mapping) -> Mapping:
    """A mapping with what another says otherwise, by key."""
    entries = {key.text: (key, node) for key, node in base}
    for key, node in patch:
        below = entries.get(key.text)
        entries[key.text] = (key, node if below is None else merged(below[1], node))
    return Mapping(tuple(entries.values()), patch.span, patch.pointer)


_TAKEN_WHOLE = ("state", "with")


def laid_over(outer: Mapping, inner: Mapping) -> Mapping:
    """What a scenario says laid over what it shares; its own state and roles are taken whole."""
    whole = merged_mappings(outer, inner)
    own = {key: node for key in _TAKEN_WHOLE if (node := inner.get(key)) is not None}
    entries = tuple((key, own.get(key.text, node)) for key, node in whole)
    return Mapping(entries, whole.span, whole.pointer)


def without(node: Mapping, name: str) -> Mapping:
    """A mapping without one of its keys."""
    return Mapping(tuple((key, each) for key, each in node if key.text != name), node.span, node.pointer)


def _by_id(things: Items) -> Mapping:
    ids = [each for each in things.items if isinstance(each, Scalar)]
    entries = tuple((Key(each.written, each.span, each.pointer), _nothing(each)) for each in ids)
    return Mapping(entries, things.span, things.pointer)


def _nothing(place: Scalar) -> Mapping:
    return Mapping((), place.span, place.pointer)


WIDEST = 110


def named(id_: str) -> Json:
    """An id as people write it: `1` for a step of that number."""
    return int(id_) if id_.isdecimal() and str(int(id_)) == id_ else id_


def laid(key: str, data: Json, indent: int) -> Iterator[str]:
    """A key with its data: in one line where there is room, else one line for each entry; at the margin always so."""
    start = f"{' ' * indent}{one_line(key)}:"
    line = f"{start} {one_line(data)}"
    if not isinstance(data, dict) or not data or (indent and len(line) <= WIDEST):
        yield line
        return
    yield start
    for inner, node in data.items():
        yield from laid(inner, node, indent + 2)
