"""Whether something written over a state comes to another, told from their JSON data alone."""

from rulewright.inputs.nodes import Items, Json, Mapping, Node, Scalar
from rulewright.inputs.one_line import FLAGS


def comes_to(written: Node, base: Json, end: Json) -> bool:
    """Whether the base with what is written over it is surely the end.

    Where it is not sure, because something is spelled otherwise than states are written out, it is no.
    """
    if not isinstance(written, Mapping) or not isinstance(base, dict) or not isinstance(end, dict):
        return _is(written, end)
    if not all(key.text in end and _part(key.text, node, base, end[key.text]) for key, node in written):
        return False
    return all(key in base and value == base[key] for key, value in end.items() if key not in written) and all(
        key in end for key in base
    )


def _part(key: str, written: Node, base: dict[str, Json], end: Json) -> bool:
    return comes_to(written, base[key], end) if key in base else _is(written, end)


def _is(written: Node, data: Json) -> bool:
    match written:
        case Scalar(written=text) if isinstance(data, bool):
            return FLAGS.get(text) is data
        case Scalar(value=value):
            return type(value) is type(data) and value == data
        case Items(items):
            return isinstance(data, list) and len(items) == len(data) and all(map(_is, items, data))
        case Mapping(entries):
            if not isinstance(data, dict) or len(entries) != len(data):
                return False
            return all(key.text in data and _is(node, data[key.text]) for key, node in entries)
