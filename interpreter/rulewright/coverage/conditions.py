"""Every condition of a program, and the parts that `and` and `or` join in it."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from rulewright.frozen import dataclass
from rulewright.program import declarations as d
from rulewright.program import expressions as ex
from rulewright.program import statements as st
from rulewright.program.expressions import Expression, Typed, Variable
from rulewright.roles import Role, is_node, names

_WORDS = {"guard": "when", "where": "where", "condition": ""}
_PASSED_OVER = (d.Invariant, d.Measure, Variable)
_SILENT = (Role.PLACE, Role.PROOF, Role.SCOPE, Role.CONTENT)


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition where it stands.

    Attributes:
        address: of the line, row or declaration around it.
        word: which of its conditions, such as `where`; empty for the one that is its own.
        node: the condition itself.
        atoms: its parts that are joined, from left to right; one where nothing is joined.
        cites: clauses in the margin there.
    """

    address: str
    word: str
    node: Expression
    atoms: tuple[Expression, ...]
    cites: tuple[str, ...]

    def detail(self, end: str) -> str:
        """The name of a side of it."""
        return f"{self.word} {end}".strip()


def conditions(program: d.Program) -> tuple[Condition, ...]:
    """The conditions of a program in order of its parts, outer before inner.

    A condition is what a line, row, step, binding or `if(…)` hangs on, and elsewhere any outermost `and` or `or`;
    not that of an invariant, which never fails, nor that of a measure.
    """
    groups = (
        program.functions, program.external_terms, program.events, program.handlers, program.rules, program.procedures,
    )  # fmt: skip
    finder = _Finder()
    return tuple(one for group in groups for each in group.values() for one in finder.inside(each, "", ()))


class _Finder:
    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    def inside(self, node: Any, address: str, cites: tuple[str, ...]) -> Iterator[Condition]:  # noqa: ANN401
        """The conditions of a node and of all below it."""
        if isinstance(node, tuple):
            for each in node:
                yield from self.inside(each, address, cites)
        elif is_node(type(node)) and not isinstance(node, _PASSED_OVER):
            if isinstance(node, ex.Logical):
                yield from self._condition(node, "and/or", address, cites)
                return
            if hasattr(node, "span") and not isinstance(node, Typed):
                address, cites = _address(node, address), getattr(node, "cites", ()) or cites
            for name in names(type(node), *_SILENT):
                yield from self._field(node, name, address, cites)

    def _field(self, node: Any, name: str, address: str, cites: tuple[str, ...]) -> Iterator[Condition]:  # noqa: ANN401
        value = getattr(node, name)
        if name in _WORDS and isinstance(value, Typed) and not isinstance(value, ex.Literal):
            yield from self._condition(value, _word(node, name), address, cites)  # type: ignore[arg-type]
        else:
            yield from self.inside(value, address, cites)

    def _condition(self, node: Expression, word: str, address: str, cites: tuple[str, ...]) -> Iterator[Condition]:
        atoms = tuple(_atoms(node))
        self._counts[address, word] += 1
        count = self._counts[address, word]
        yield Condition(address, word if count == 1 else f"{word}#{count}", node, atoms, cites)
        for each in atoms:
            yield from self.inside(each, address, cites)


def _address(node: Any, outer: str) -> str:  # noqa: ANN401
    if isinstance(node, d.Declared):
        return node.name
    return getattr(node, "address", "") or outer


def _word(node: object, name: str) -> str:
    match node:
        case d.Step():
            return "only if"
        case ex.Conditional():
            return "if()"
        case st.Repeat():
            return "while"
        case d.StandingRule():
            return "when"
        case _:
            return _WORDS[name]


def _atoms(node: Expression) -> Iterator[Expression]:
    match node:
        case ex.Logical(left=left, right=right):
            yield from _atoms(left)
            yield from _atoms(right)
        case ex.Not(operand=ex.Logical() as operand):
            yield from _atoms(operand)
        case _:
            yield node
