"""What is measured after a play."""

import re
from collections.abc import Iterator

from rulewright.inputs.findings import Wrong
from rulewright.inputs.nodes import Key, Mapping, Node, Scalar
from rulewright.inputs.value_reader import ValueReader
from rulewright.machine.faults import Fault
from rulewright.machine.measures import measuring
from rulewright.machine.values import Value
from rulewright.program.types import NumberType, Type
from rulewright.scenarios.expectations.ending import compared
from rulewright.scenarios.expectations.judging import Judging
from rulewright.scenarios.results import Miss


def measured(judging: Judging) -> tuple[Miss, ...]:
    """Measures after the play, by name; one with parameters by what is given for each, one inside the other."""
    session, of = judging.session, judging.program.measures
    assert session.state is not None
    worth = measuring(session.begun.executable, session.state)
    misses: tuple[Miss, ...] = ()
    for key, node in judging.entries("measures to values"):
        name = judging.address(key.text, key, tuple(of), "measure")
        if name is None:
            continue
        for keys, arguments, expected in given(judging, name, node):
            place = f"{name}({', '.join(keys)})" if keys else name
            try:
                value = worth(name, arguments)
            except Fault as fault:
                misses += (Miss("measures", "a value", f"nothing: {fault.message}", place),)
                continue
            misses += compared(judging, Miss("measures", "", "", place), expected, of[name].type, value)
    return misses


_Given = tuple[tuple[str, ...], tuple[Value, ...], Node]
"""What is given to a measure, as it is written and as values, and what is expected of it then."""


def given(judging: Judging, name: str, node: Node) -> Iterator[_Given]:
    """What is expected of a measure, for all that is given to it there."""
    found: list[_Given] = [((), (), node)]
    for each in judging.program.measures[name].parameters:
        found = [
            ((*keys, key.text), (*arguments, value), inner)
            for keys, arguments, outer in found
            for key, inner in _entries(judging, outer, f"`{each.name}` of `{name}`")
            if not isinstance(value := _value(judging, key, each.type, each.name), Wrong)
        ]
    yield from found


def _entries(judging: Judging, node: Node, what: str) -> Iterator[tuple[Key, Node]]:
    if isinstance(node, Mapping):
        yield from node
    else:
        judging.wrong(node, f"a mapping from what {what} is to values")


def _value(judging: Judging, key: Key, type_: Type, name: str) -> Value | Wrong:
    """What a key says is given."""
    number = isinstance(type_, NumberType) and re.fullmatch(r"-?[0-9]{1,9}", key.text)
    node = Scalar(int(key.text) if number else key.text, key.text, key.span, key.pointer)
    return ValueReader(judging.names, judging.findings).read(node, type_, f"`{name}`")
