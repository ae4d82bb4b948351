"""The places of a declaration at which something happens, and what each of them says."""

from collections.abc import Iterator, Mapping
from typing import Any

from rulewright.frozen import dataclass
from rulewright.outline.names import Name
from rulewright.program import declarations as d
from rulewright.program import statements as st
from rulewright.program.expressions import Narrowed, Typed, Variable
from rulewright.program.rows import Row
from rulewright.roles import Role, children, is_node, names

GROUPS = {
    "function": "functions",
    "external": "external_terms",
    "event": "events",
    "handler": "handlers",
    "rule": "rules",
    "invariant": "invariants",
    "procedure": "procedures",
}
"""Sorts of names whose declarations are carried out or computed, with where a program keeps them."""

_APART = (st.Line, Row, d.Step, d.Watch, st.Option, st.RankKey)
_SILENT = (Role.PLACE, Role.MARGIN, Role.WORDS, Role.NAME, Role.SCOPE)


@dataclass(frozen=True, slots=True)
class Place:
    """A declaration, step, line, row, option or watch without those inside it.

    Attributes:
        owner: the declaration.
        address: its own.
        node: it.
        depth: how deep it stands inside the declaration.
    """

    owner: Name
    address: str
    node: Any
    depth: int


def declarations(program: d.Program) -> Iterator[tuple[Name, Any]]:
    """Everything that is carried out or computed, by name."""
    for sort, group in GROUPS.items():
        for name, declared in getattr(program, group).items():
            yield Name(sort, name), declared


def places(owner: Name, declared: Any) -> Iterator[Place]:  # noqa: ANN401
    """The places of a declaration, itself first, in the order of the text."""
    yield Place(owner, owner.name, declared, 0)
    yield from _inside(owner, declared, 1)


def _inside(owner: Name, node: Any, depth: int) -> Iterator[Place]:  # noqa: ANN401
    for each in _parts(node):
        if isinstance(each, _APART):
            yield Place(owner, each.address or owner.name, each, depth)
            yield from _inside(owner, each, depth + 1)
        else:
            yield from _inside(owner, each, depth)


def _parts(node: Any) -> Iterator[Any]:  # noqa: ANN401
    if isinstance(node, tuple):
        yield from node
    elif not isinstance(node, Variable | Typed):
        yield from children(node)


def own(node: Any) -> Iterator[Typed]:  # noqa: ANN401
    """The outermost expressions of a place, without those of places inside it."""
    for each in _parts(node):
        if isinstance(each, Typed):
            yield each
        elif not isinstance(each, _APART):
            yield from own(each)


def said(place: Place, renamed: Mapping[str, str], *, by_number: bool) -> object:
    """What a place says but for titles, questions, clauses and addresses, with names as the other revision has them.

    Names of the routine count by their number in it or by how they are written.
    """
    return place.depth, _said(place.node, renamed, by_number, top=True)


def unfitted(said: object) -> object:
    """What is said, as `said` gives it, but for the bounds that values are held to where they are used."""
    match said:
        case ("Narrowed", (_, operand)):
            return unfitted(operand)
        case tuple():
            return tuple(map(unfitted, said))
        case _:
            return said


def frame(node: Any, renamed: Mapping[str, str], *, by_number: bool) -> object:  # noqa: ANN401
    """What a place says but for its expressions."""
    return _said(node, renamed, by_number, top=True, framed=True)


def phrase(node: Any, renamed: Mapping[str, str], *, by_number: bool) -> object:  # noqa: ANN401
    """What an expression says, or several in a tuple; names as in `said`."""
    return _said(node, renamed, by_number)


def _said(  # noqa: PLR0911
    node: Any,  # noqa: ANN401
    renamed: Mapping[str, str],
    by_number: bool,  # noqa: FBT001
    *,
    top: bool = False,
    framed: bool = False,
) -> object:
    if framed and isinstance(node, Typed):
        return "an expression"
    if isinstance(node, tuple):
        return tuple(_said(each, renamed, by_number, framed=framed) for each in node)
    if isinstance(node, Variable):
        return ("variable", node.index if by_number else node.name)
    if isinstance(node, str):
        return renamed.get(node, node)
    if isinstance(node, _APART) and not top:
        return type(node).__name__
    if not is_node(type(node)):
        return node
    proof = () if isinstance(node, Narrowed) or not isinstance(node, Typed) else (Role.PROOF,)
    values = [getattr(node, name) for name in names(type(node), *_SILENT, *proof)]
    return type(node).__name__, tuple(_said(each, renamed, by_number, framed=framed) for each in values)
