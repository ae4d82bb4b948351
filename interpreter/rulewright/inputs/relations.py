"""The stored relations of a state file."""

from rulewright.inputs.findings import Findings, Wrong
from rulewright.inputs.nodes import Items, Node
from rulewright.inputs.value_reader import ValueReader
from rulewright.inputs.wording import shown
from rulewright.program.declarations import Relation
from rulewright.program.types import ThingType


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
