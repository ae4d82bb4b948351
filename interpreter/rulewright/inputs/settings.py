"""The settings of a play, of the state file and then of the command line; the stored relations of a state file."""

from collections.abc import Sequence

from rulewright.inputs.findings import Findings, Wrong
from rulewright.inputs.flags import read_flags
from rulewright.inputs.nodes import Items, Key, Mapping, Node
from rulewright.inputs.sections import Sections
from rulewright.inputs.value_reader import ValueReader
from rulewright.inputs.wording import did_you_mean, one_of, quoted, shown
from rulewright.machine.constants import start_value
from rulewright.machine.values import Value
from rulewright.program.declarations import Relation
from rulewright.program.types import ThingType


def read_settings(node: Node | None, flags: Sequence[str], sections: Sections, values: ValueReader) -> dict[str, Value]:
    """The value of every setting; `flags` are of the form `NAME=VALUE` and win.

    Reports RW0722 (no such setting), RW0760 (how a flag is written) and what `ValueReader` does.
    """
    declared = sections.program.settings
    found = {name: start_value(each.value, each.type) for name, each in declared.items()}
    if isinstance(node, Mapping):
        found |= _written(node, sections, values)
    elif node is not None:
        values.findings.error("RW0713", node, f"`settings` is {shown(node)}; it must be a mapping")
    given = read_flags("--set", flags)
    values.findings.found.extend(given.diagnostics)
    return found | (_written(given.value, sections, values) if given.value else {})


def unknown_setting(key: Key, sections: Sections, findings: Findings) -> None:
    """Reports RW0722 at the key."""
    valid = list(sections.settings)
    there = f"one may set {one_of(valid)}" if valid else "none are declared here"
    remedy = did_you_mean(key.text, valid) or f"{there}; more may be in an overlay, which is named with `--overlay`"
    findings.error("RW0722", key, f"there is no setting {quoted(key.text)}", help=remedy)


def _written(node: Mapping, sections: Sections, values: ValueReader) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for key, given in node:
        name = sections.settings.get(key.text)
        if name is None:
            unknown_setting(key, sections, values.findings)
            continue
        value = values.read(given, sections.program.settings[name].type, f"the setting {quoted(key.text)}")
        if not isinstance(value, Wrong):
            found[name] = value
    return found


def read_pairs(node: Node | None, relation: Relation, values: ValueReader) -> tuple[tuple[int, int], ...]:
    """The pairs of a relation, from a list of lists of two ids.

    Reports RW0713 (no list of pairs), RW0714 (no such thing of the kind wanted there) and RW0717 (a pair twice).
    """
    if node is None:
        return ()
    if not isinstance(node, Items):
        return _nothing(values.findings, node, relation)
    pairs: dict[tuple[int, int], Node] = {}
    for each in node.items:
        pair = _pair(each, relation, values)
        if pair is None:
            continue
        if pair in pairs or (relation.symmetric and pair[::-1] in pairs):
            values.findings.error("RW0717", each, f"this pair stands in `{relation.name}` twice", help="keep one")
        pairs[pair] = each
    return tuple(pairs)


def _nothing(findings: Findings, node: Node, relation: Relation) -> tuple[tuple[int, int], ...]:
    message = f"`{relation.name}` is {shown(node)}; it must be a list of pairs, such as `[[{_example(relation)}]]`"
    findings.error("RW0713", node, message)
    return ()


def _pair(node: Node, relation: Relation, values: ValueReader) -> tuple[int, int] | None:
    if not isinstance(node, Items) or len(node.items) != 2:  # noqa: PLR2004
        message = f"an entry of `{relation.name}` must be a pair, such as `[{_example(relation)}]`"
        values.findings.error("RW0713", node, message)
        return None
    found: list[int] = []
    for each, parameter in zip(node.items, relation.parameters, strict=True):
        assert isinstance(parameter.type, ThingType)
        number = values.thing(each, parameter.type.kind, f"`{parameter.name}` of `{relation.name}`")
        if isinstance(number, Wrong):
            continue
        assert isinstance(number, int)
        found.append(number)
    return (found[0], found[1]) if len(found) == 2 else None  # noqa: PLR2004


def _example(relation: Relation) -> str:
    return ", ".join(parameter.name for parameter in relation.parameters)
