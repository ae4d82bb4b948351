"""Whether something written says the same as data, and that no expectation can be made."""

from fractions import Fraction

from rulewright.inputs.nodes import Items, Json, Mapping, Node, Scalar
from rulewright.inputs.one_line import FLAGS


def same(node: Node, data: Json) -> bool:
    """Whether a value as it is written is this data; `yes` is true, `none` nothing, `7` also the text."""
    match node:
        case Scalar():
            return _same_scalar(node, data)
        case Items(items):
            alike = isinstance(data, list) and len(items) == len(data)
            return alike and all(map(same, items, data))  # type: ignore[arg-type]
        case Mapping(entries):
            alike = isinstance(data, dict) and len(entries) == len(data)
            return alike and all(key.text in data and same(child, data[key.text]) for key, child in entries)  # type: ignore[operator, index, call-overload]


def plain(node: Node) -> Json:
    """A value as data that says the same."""
    match node:
        case Scalar(value=value, written=written):
            return written if isinstance(value, str | Fraction) else value
        case Items(items):
            return [plain(each) for each in items]
        case Mapping(entries):
            return {key.text: plain(child) for key, child in entries}


def _same_scalar(node: Scalar, data: Json) -> bool:
    match data:
        case None:
            return node.value is None or node.written == "none"
        case bool():
            return FLAGS.get(node.written) is data
        case str():
            return node.written == data
        case int() | float():
            known = isinstance(node.value, int | Fraction) and not isinstance(node.value, bool)
            return known and node.value == Fraction(str(data))
        case _:
            return False


class NothingFitsError(Exception):
    """Nothing can be written that the play would meet.

    Attributes:
        because: why, in one clause.
    """

    def __init__(self, because: str) -> None:
        super().__init__(because)
        self.because = because
