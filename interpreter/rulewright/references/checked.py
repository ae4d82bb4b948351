"""What the checker made of expressions, to be looked up by their places: which attribute, and which list's word."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from rulewright.program import expressions as ex
from rulewright.program.declarations import Program
from rulewright.program.statements import AttributePlace, CellPlace
from rulewright.program.types import RecordType, present
from rulewright.roles import Role, nodes
from rulewright.source import Span


class CheckedPlaces:
    """The typed expressions of a program by their spans; of a ruleset with errors there are none."""

    def __init__(self, program: Program | None) -> None:
        self._typed: dict[Span, list[ex.Typed]] = defaultdict(list)
        self._places: dict[tuple[Span, str], tuple[str, str]] = {}
        for each in nodes(program, Role.PROOF) if program is not None else ():
            self._note(each)

    def _note(self, each: Any) -> None:  # any node of a program
        match each:
            case ex.Typed():
                self._typed[each.span].append(each)
            case (
                AttributePlace(target=target, kind=owner, name=name) | CellPlace(target=target, board=owner, name=name)
            ):
                self._places[target.span, name] = owner, name

    def word(self, span: Span) -> tuple[str, int] | None:
        """The list and the position of the word at a place."""
        found = next((each for each in self._typed.get(span, ()) if isinstance(each, ex.WordLiteral)), None)
        return None if found is None else (present(found.type).values, found.position)  # type: ignore[union-attr]

    def attribute(self, span: Span, target: Span, name: str) -> tuple[str, str] | None:
        """The owner, and the name, of the attribute at a place; the target is what it is an attribute of."""
        if (target, name) in self._places:
            return self._places[target, name]
        found = (owned for each in self._typed.get(span, ()) for owned in _owned(each) if owned[1] == name)
        return next(found, None) or self._part(target, name)

    def _part(self, target: Span, name: str) -> tuple[str, str] | None:
        """A part of the record at a place."""
        for each in self._typed.get(target, ()):
            type_ = present(each.type)
            if isinstance(type_, RecordType):
                return type_.record, name
        return None


def _owned(each: ex.Typed) -> Iterator[tuple[str, str]]:
    """The owner and the name of the attribute that an expression reads."""
    match each:
        case ex.StoredAttribute(kind=owner, name=name) | ex.CellAttribute(board=owner, name=name):
            yield owner, name
        case ex.SideAttribute(board=owner, name=name):
            yield owner, name
        case ex.DerivedAttribute(function=function) | ex.CallFunction(function=function) if "/" in function:
            owner, _, name = function.rpartition("/")
            yield owner, name
        case ex.Part(target=target, name=name):
            type_ = present(target.type)
            if isinstance(type_, RecordType):
                yield type_.record, name
