"""Facts about the place of a pose that conditions imply: what must be touched, which distances they compare with."""

from collections.abc import Iterator, Mapping
from itertools import count, takewhile
from typing import Any

from rulewright.base.frozen import dataclass, replace
from rulewright.program.core import forms as core
from rulewright.program.core.lower_expressions import make_conjunction
from rulewright.program.core.walking import map_parts, walk_forms

_FIRST_FRESH_INDEX = 1_000_000
"""First index of a name made by inlining; chosen: no routine has as many names."""
_MAX_INLINING_DEPTH = 20
"""Nested calls of terms that are opened to find necessary conditions; chosen: deeper ones give no hints."""


@dataclass(frozen=True, slots=True)
class ContactPartners:
    """Things one of which a pose has to touch: the values of an expression, for the members of some sources."""

    members: tuple[core.Members, ...]
    thing: core.Expression


@dataclass(frozen=True, slots=True)
class PlacementHints:
    """Facts about a place that conditions imply."""

    must_fit: bool
    partners: ContactPartners | None
    gaps: tuple[core.Expression, ...]  # edge to edge distances in conditions
    reaches: tuple[core.Expression, ...]  # middle to middle distances in conditions


def collect_placement_hints(
    program: core.CoreProgram, conditions: tuple[core.Expression, ...], spot: core.Local
) -> PlacementHints:
    """Facts that conditions, all of which must hold, imply for the places of a name."""
    inliner = _ConditionInliner(program)
    needed = [each for condition in conditions for each in inliner.list_necessary_conditions(condition)]
    partners = (found for condition in needed for found in _find_contact_partners(condition, spot, (), inliner))
    compared = [found for condition in needed for found in _find_compared_distances(condition, spot)]
    return PlacementHints(
        must_fit=any(_is_fitting(condition, spot) for condition in needed),
        partners=next(partners, None),
        gaps=tuple(value for name, value in compared if name == "gap"),
        reaches=tuple(value for name, value in compared if name != "gap"),
    )


class _ConditionInliner:
    """Inlines the conditions of one question; names bound inside get fresh indices."""

    def __init__(self, program: core.CoreProgram) -> None:
        self._program = program
        self._indices = count(_FIRST_FRESH_INDEX)

    def list_necessary_conditions(self, condition: core.Expression, depth: int = 0) -> Iterator[core.Expression]:
        """Necessary conditions of a condition, `and` and terms opened; none of one that only holds under a guard."""
        match condition:
            case core.Cond(other=core.Const(value=True)):
                return
            case core.Cond(test=left, then=right, other=core.Const(value=False)):
                yield from self.list_necessary_conditions(left, depth)
                yield from self.list_necessary_conditions(right, depth)
            case core.Apply() if depth < _MAX_INLINING_DEPTH and (tests := self._inline_call(condition)):
                for test in tests:
                    yield from self.list_necessary_conditions(test, depth + 1)
            case _:
                yield condition

    def _inline_call(self, call: core.Apply) -> list[core.Expression]:
        routine = self._program.routines[call.routine]
        indices = [parameter.index for parameter in routine.parameters]
        given = dict(zip(indices, call.arguments, strict=True))
        return [self._substitute(test, given) for test in _list_tests(routine.entry)]

    def _substitute(self, form: Any, known: Mapping[int, core.Expression]) -> Any:
        """A form with names replaced by expressions."""
        match form:
            case core.Get(local=local):
                return known.get(local.index, form)
            case core.Over(names=names):
                fresh = tuple(name and replace(name, index=next(self._indices)) for name in names)
                renamed = {
                    old.index: core.Get(new, type=new.type, origin=None)
                    for old, new in zip(names, fresh, strict=True)
                    if old is not None and new is not None
                }
                source, inside = self._substitute(form.source, known), {**known, **renamed}
                where, value = (part and self._substitute(part, inside) for part in (form.where, form.value))
                return replace(form, names=fresh, source=source, where=where, value=value)
            case _:
                return map_parts(form, lambda part: self._substitute(part, known))


def _list_tests(block: core.Block) -> list[core.Expression]:
    """Tests all of which hold where a routine gives yes; none if they cannot be told."""
    match block:
        case (core.Return(value=value),):
            return [value]
        case (*lines, core.Return(value=core.Const(value=True))):
            tests = [line.test for line in lines if isinstance(line, core.If) and not line.then]
            return tests if len(tests) == len(lines) else []
        case _:
            return []


def _is_spot(form: core.Expression, spot: core.Local) -> bool:
    return isinstance(form, core.Get) and form.local == spot


def _reads_spot(forms: object, spot: core.Local) -> bool:
    return any(isinstance(form, core.Get) and form.local == spot for form in walk_forms(forms))


def _is_fitting(condition: core.Expression, spot: core.Local) -> bool:
    match condition:
        case core.Op(name="fits", arguments=arguments):
            return any(_is_spot(argument, spot) for argument in arguments)
        case _:
            return False


def _find_contact_partners(
    condition: core.Expression, spot: core.Local, around: tuple[core.Members, ...], inliner: _ConditionInliner
) -> Iterator[ContactPartners]:
    match condition:
        case core.Op(name="contact", arguments=(first, second)) if _is_spot(first, spot) or _is_spot(second, spot):
            thing = second if _is_spot(first, spot) else first
            if not _reads_spot(thing, spot):
                yield ContactPartners(around, thing)
        case core.Over(gather="some", names=names, source=source, where=where) if not _reads_spot(source, spot):
            if where is None:
                return
            parts = tuple(inliner.list_necessary_conditions(where))
            before = tuple(takewhile(lambda part: not _reads_spot(part, spot), parts))
            members = core.Members(names, source, make_conjunction(before, None) if before else None)
            for part in parts:
                yield from _find_contact_partners(part, spot, (*around, members), inliner)


_COMPARISONS = {"equal", "less", "at most", "more", "at least"}
_DISTANCES = {"gap", "plane distance"}


def _find_compared_distances(condition: core.Expression, spot: core.Local) -> Iterator[tuple[str, core.Expression]]:
    """The distances from a spot that a condition compares, and with what, if that can be told without its members."""
    bound = {name.index for form in walk_forms(condition) if isinstance(form, core.Over) for name in form.names if name}
    for form in walk_forms(condition):
        if not isinstance(form, core.Op) or form.name not in _COMPARISONS:
            continue
        left, right = form.arguments
        for measured, value in ((left, right), (right, left)):
            used = {inner.local.index for inner in walk_forms(value) if isinstance(inner, core.Get)}
            is_distance = isinstance(measured, core.Op) and measured.name in _DISTANCES
            if is_distance and _reads_spot(measured, spot) and not used & (bound | {spot.index}):
                yield measured.name, value  # type: ignore[union-attr]
