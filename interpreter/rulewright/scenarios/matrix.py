"""A scenario under several readings: settings and overlays as a matrix."""

from collections.abc import Iterator
from itertools import product

from rulewright.inputs.findings import Findings
from rulewright.inputs.nodes import Items, Key, Mapping, Node, Scalar
from rulewright.inputs.wording import quoted, shown
from rulewright.scenarios.fields import Fields
from rulewright.scenarios.merging import merged, without

MATRIX = ("settings", "overlays")


def readings(whole: Mapping, findings: Findings) -> Iterator[tuple[str, Mapping]]:
    """The scenario under every combination, with what its name gets: ` [wounds_that_count: test_only]`.

    Reports RW1001 and RW1002.
    """
    matrix = Fields(whole, findings).mapping("matrix")
    rest = without(whole, "matrix")
    if matrix is None:
        yield "", rest
        return
    Fields(matrix, findings).known(MATRIX, "a matrix")
    for chosen in product(*_axes(matrix, findings)):
        title = ", ".join(each for each, _ in chosen)
        under: Node = rest
        for _, patch in chosen:
            under = merged(under, patch)
        assert isinstance(under, Mapping)
        yield (f" [{title}]" if title else ""), under


def _axes(matrix: Mapping, findings: Findings) -> Iterator[list[tuple[str, Mapping]]]:
    """For each setting, and for the overlays, what the scenario may be laid over with."""
    settings = Fields(matrix, findings).mapping("settings")
    for key, values in settings or ():
        yield [
            (f"{key.text}: {_written(each)}", _one(matrix.key("settings"), _one(key, each)))
            for each in _listed(key, values, findings)
        ]
    overlays = matrix.get("overlays")
    if overlays is not None:
        key = matrix.key("overlays")
        yield [(_written(each) or "plain", _one(key, each)) for each in _listed(key, overlays, findings)]


def _one(key: Key, node: Node) -> Mapping:
    return Mapping(((key, node),), key.span, key.pointer)


def _listed(key: Key, node: Node, findings: Findings) -> tuple[Node, ...]:
    if isinstance(node, Items) and node.items:
        return node.items
    given = "an empty list" if isinstance(node, Items) else shown(node)
    findings.error("RW1002", node, f"{quoted(key.text)} is {given}; it must be a list of what is tried")
    return ()


def _written(node: Node) -> str:
    match node:
        case Scalar(written=written):
            return written
        case Items(items):
            return "+".join(_written(each) for each in items)
        case _:
            return "…"
