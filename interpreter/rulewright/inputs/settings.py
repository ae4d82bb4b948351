"""The settings of a play, of the state file and then of the command line; the stored relations of a state file."""

from collections.abc import Sequence
from typing import Any

from rulewright.inputs.document_schemas import shapes_of
from rulewright.inputs.findings import Wrong
from rulewright.inputs.flags import read_flags
from rulewright.inputs.nodes import Items, Mapping, Node
from rulewright.inputs.sections import Sections
from rulewright.inputs.things import starting
from rulewright.inputs.value_reader import ValueReader
from rulewright.inputs.wording import quoted
from rulewright.machine.values import Value
from rulewright.program.declarations import Relation


def read_settings(node: Node | None, flags: Sequence[str], sections: Sections, values: ValueReader) -> dict[str, Value]:
    """The value of every setting; `flags` are of the form `NAME=VALUE` and win over what has the shape of settings.

    Reports of flags RW0722 (no such setting), RW0760 (how one is written), and what `ValueReader` does.
    """
    found = {name: starting(each) for name, each in sections.program.settings.items()}
    if isinstance(node, Mapping):
        found |= _written(node, sections, values)
    given = read_flags("--set", flags)
    values.findings.found.extend(given.diagnostics)
    if given.value and shapes_of(sections.program).settings.judge(given.value, values.findings):
        found |= _written(given.value, sections, values)
    return found


def _written(node: Mapping, sections: Sections, values: ValueReader) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for key, given in node:
        name = sections.settings[key.text]
        value = values.meaning(given, sections.program.settings[name].type, f"the setting {quoted(key.text)}")
        if not isinstance(value, Wrong):
            found[name] = value
    return found


def read_pairs(node: Node | None, relation: Relation, values: ValueReader) -> tuple[tuple[int, int], ...]:
    """The pairs of a relation, from a list of lists of two ids.

    Reports RW0714 (no such thing of the kind wanted there) and RW0717 (a pair twice).
    """
    pairs: dict[tuple[int, int], Node] = {}
    for each in node.items if isinstance(node, Items) else ():
        pair = _pair(each, relation, values)
        if pair is None:
            continue
        if pair in pairs or (relation.symmetric and pair[::-1] in pairs):
            values.findings.error("RW0717", each, f"this pair stands in `{relation.name}` twice", help="keep one")
        pairs[pair] = each
    return tuple(pairs)


def _pair(node: Any, relation: Relation, values: ValueReader) -> tuple[int, int] | None:  # noqa: ANN401
    found = [
        values.meaning(each, parameter.type, f"`{parameter.name}` of `{relation.name}`")
        for each, parameter in zip(node.items, relation.parameters, strict=True)
    ]
    first, second = found
    return (first, second) if isinstance(first, int) and isinstance(second, int) else None
