"""What named lines gave, each time they ran."""

from collections.abc import Sequence

from rulewright.inputs.findings import Wrong
from rulewright.inputs.nodes import Items, Node
from rulewright.inputs.value_reader import ValueReader
from rulewright.machine.trace import Entry
from rulewright.machine.values import Value
from rulewright.program.types import Type
from rulewright.scenarios.expectations.judging import Judging
from rulewright.scenarios.expectations.moments import first_wrong, when
from rulewright.scenarios.results import Miss
from rulewright.telling.values import show


def values(judging: Judging) -> tuple[Miss, ...]:
    """What lines gave that name a value: one value, or a list with one for each time."""
    misses: tuple[Miss, ...] = ()
    named = judging.ruled.named
    for key, node in judging.entries("named lines to what they give"):
        address = judging.address(key.text, key, tuple(named), "named line")
        if address is not None:
            misses += _compared(judging, address, named[address], node)
    return misses


def each_time(node: Node) -> Sequence[Node]:
    """What is expected of each time: the members of a list, or one thing of the only time."""
    return node.items if isinstance(node, Items) else (node,)


def _compared(judging: Judging, address: str, type_: Type, node: Node) -> tuple[Miss, ...]:
    reader = ValueReader(judging.names, judging.findings)
    expected = [reader.read(each, type_, f"what `{address}` gives") for each in each_time(node)]
    got = given(judging, address)
    if any(isinstance(each, Wrong) for each in expected) or expected == got:
        return ()
    lines = judging.ruled.sharing[address]
    moment = first_wrong(expected, got, when(judging.session, lambda each: _is_given(each, lines)))
    return (Miss("values", _told(judging, expected, type_), _told(judging, got, type_), address, moment),)


def given(judging: Judging, address: str) -> list[Value]:
    """What a named line gave, each time it ran."""
    lines = judging.ruled.sharing[address]
    return [each.result for each in judging.session.around(*lines) if _is_given(each, lines)]


def _is_given(entry: Entry, lines: frozenset[str]) -> bool:
    return entry.address in lines and entry.sort in _GIVING


_GIVING = frozenset({"line", "answer", "return"})


def _told(judging: Judging, found: Sequence[Value | Wrong], type_: Type) -> str:
    return ", then ".join(show(each, type_, judging.names) for each in found) or "it does not run"
