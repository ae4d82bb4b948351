"""Checking: every pass in order, from linked modules to the program."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import TypeVar

from rulewright.analysis import functions, promises, routines
from rulewright.analysis.causes import causes, misfits, naming_overlays, told_once
from rulewright.analysis.clauses import accounts, check_clauses, rulings
from rulewright.analysis.declare import declare
from rulewright.analysis.effects import Effects
from rulewright.analysis.facts import MOST_EFFORT, Exhausted
from rulewright.analysis.facts.intervals import Range
from rulewright.analysis.flow import check_calls, check_endless, check_undoing
from rulewright.analysis.infer import fresh
from rulewright.analysis.lint import check_cells, check_nested, check_silent, check_titles, check_unused
from rulewright.analysis.name_spaces import collect
from rulewright.analysis.promises import check_refusals
from rulewright.analysis.reads import ANYTHING, forget_older
from rulewright.analysis.recheck import Earlier
from rulewright.analysis.report import Report
from rulewright.analysis.scope import Scope
from rulewright.analysis.signatures import Declarations
from rulewright.analysis.symbols import Linked
from rulewright.diagnostics import Diagnostic, has_errors
from rulewright.diagnostics.model import by_place
from rulewright.frozen import dataclass
from rulewright.program import declarations as typed
from rulewright.program.declarations import Program
from rulewright.program.types import DieType, PoolType
from rulewright.program.walk import may_hold
from rulewright.roles import Role, is_node, names
from rulewright.syntax.nodes import declarations as d

_Node = TypeVar("_Node", bound=d.Declared)
_Made = TypeVar("_Made", bound=typed.Declared)


@dataclass(frozen=True, slots=True)
class Checked:
    """What checking found: the program, or none where there are errors, and everything to say about it.

    `earlier` is for a later check of the same texts, edited; none where checking stopped.
    """

    program: Program | None
    diagnostics: tuple[Diagnostic, ...]
    earlier: Earlier | None = None


@dataclass(frozen=True, slots=True)
class _Parts:
    """All that expressions and routines make of declarations, by qualified name."""

    external_terms: dict[str, typed.ExternalTerm]
    measures: dict[str, typed.Measure]
    invariants: dict[str, typed.Invariant]
    events: dict[str, typed.Event]
    handlers: dict[str, typed.Handler]
    rules: dict[str, typed.StandingRule]
    procedures: dict[str, typed.Procedure]


def check(linked: Linked, texts: Mapping[str, str] | None = None, earlier: Earlier | None = None) -> Checked:
    """The program of linked modules, with everything wrong in any of them.

    Given the contents of all texts, by name, and an earlier check, whatever still holds of that check is used again.

    An error in one declaration does not keep the others from being looked at. Where proofs take too many steps, or
    expressions lie too deep inside each other, checking ends with that: RW0850.
    """
    report = Report()
    forget_older()
    try:
        return _checked(linked, report, texts or {}, earlier)
    except (Exhausted, RecursionError) as stopped:
        _stopped(linked, report, deep=isinstance(stopped, RecursionError))
        return Checked(None, by_place(report.found))


def _stopped(linked: Linked, report: Report, *, deep: bool) -> None:
    """Says that checking ends, at the declaration under way."""
    name = report.address.partition("/")[0]
    named = [
        each.name.span
        for module in linked.modules
        for each in module.declarations
        if hasattr(each, "name") and module.prefix + each.name.text == name
    ]
    header = linked.main.header or linked.main.declarations[0]
    what = "terms and names are nested too deep" if deep else f"proofs take more than {MOST_EFFORT:,} steps"
    remedy = "cut long chains of names by a term that says its bounds, as `term … gives 0..9`"
    report.error("RW0850", (named or [header.span])[0], f"checking stops here: {what}", help=remedy)


def _checked(linked: Linked, report: Report, texts: Mapping[str, str], earlier: Earlier | None) -> Checked:
    standing = earlier.standing(linked, texts) if earlier is not None else None
    collect(linked, report)
    declarations = declare(linked, report, standing.parts if standing is not None else None)
    shapes = declarations.shapes
    shapes.effects = shapes.effects or Effects(linked, shapes)
    shapes.lasting_counts = _lasting_counts(shapes.always_counted, shapes.effects)
    if earlier is not None and earlier.shapes.lasting_counts != shapes.lasting_counts:
        standing, shapes.parts.kept = None, {}
    named = functions.functions(shapes)
    if standing is not None:
        shapes.parts.kept = standing.with_effects(shapes.effects)
    checked = _finished(linked, declarations, named, report)
    return replace(checked, earlier=Earlier(linked, texts, shapes.parts.made, shapes.effects, shapes))


def _lasting_counts(always_counted: Mapping[str, Range], effects: Effects) -> dict[str, Range]:
    """How many things of a kind there are, of those that an `always` counts and nothing takes out of play.

    Where there is one number, a line that takes one out of play is an error (RW0547).
    """
    written = effects.keys({name for each in effects.routines() for name in effects.of(each).game})
    return {
        kind: counted
        for kind, counted in always_counted.items()
        if counted[0] == counted[1] or written.isdisjoint({f"{kind}/gone", ANYTHING})
    }


def _finished(linked: Linked, declarations: Declarations, named: dict[str, typed.Function], report: Report) -> Checked:
    parts = _parts(linked, declarations, misfits(linked, report), report)
    _promised(linked, declarations, parts, report)
    report.found[:] = naming_overlays(linked, told_once(linked, report.found))
    routines.check_holders(parts.events, parts.handlers.values(), report)
    report.address = ""
    check_clauses(linked, report)
    if has_errors(report.found):
        return Checked(None, by_place(causes(linked, report.found)))
    program = _program(linked, declarations, named, parts)
    assert declarations.shapes.effects is not None
    check_unused(linked, declarations.shapes.effects.everything(), report)
    check_titles(linked, report)
    check_cells(linked, report)
    check_nested(linked, report)
    if program is not None:
        _check_stored_dice(program, report)
        check_calls(program, report)
        known = declarations.shapes.known()
        check_undoing(program, known, report)
        check_endless(program, known, report)
        if not has_errors(report.found):
            check_silent(program, linked, known, report)
    report.found[:] = naming_overlays(linked, told_once(linked, report.found))
    return Checked(None if has_errors(report.found) else program, by_place(causes(linked, report.found)))


def _check_stored_dice(program: Program, report: Report) -> None:
    """Reports attributes and fields of the game that can hold dice, also inside what they hold (RW0247)."""
    kept = [each for kind in program.kinds.values() for each in kind.fields]
    kept += [each for board in program.boards.values() for each in (*board.fields, *board.sides)]
    for each in (*kept, *program.game.values()):
        if may_hold(each.type, (DieType, PoolType), program):
            report.address = each.address
            remedy = "keep what it shows, a number or a word: `0..6`, then `set` it to `blow.natural`"
            report.error("RW0247", each.span, "a die lasts as long as the play, so it is not stored", help=remedy)


def _parts(linked: Linked, declarations: Declarations, skipped: frozenset[str], report: Report) -> _Parts:
    shapes = declarations.shapes

    def all_of(sort: type[_Node], make: Callable[[_Node, Scope], _Made | None]) -> dict[str, _Made]:
        found = {}
        for module, node in linked.each(sort):
            name = report.address = module.prefix + node.name.text  # type: ignore[attr-defined]
            if name in skipped:
                continue
            scope = fresh(linked, linked.views.get(name, module), shapes, report)
            made = shapes.parts.of((sort.__name__, name), shapes, report, partial(make, node, scope))
            if made is not None:
                found[made.name] = made
        return found

    return _Parts(
        external_terms=all_of(d.ExternalTerm, functions.external_term),
        measures=all_of(d.Measure, functions.measure),
        invariants=all_of(d.Always, functions.invariant),
        events=all_of(d.Event, routines.event),
        handlers=all_of(d.Handler, routines.handler),
        rules=all_of(d.Whenever, routines.standing_rule),
        procedures=all_of(d.Procedure, routines.procedure),
    )


def _promised(linked: Linked, declarations: Declarations, parts: _Parts, report: Report) -> None:
    """Warns of calls that do not show what the routine they call takes for granted."""
    parameters = {each.name: each.parameters for each in parts.procedures.values()}
    holders: dict[str, tuple[str, ...]] = {}
    for each in parts.handlers.values():
        event = parts.events.get(each.event)
        if event is not None:
            parameters[each.name] = each.variables[: len(event.parameters)]
            holders[event.name] = (*holders.get(event.name, ()), each.name)
    check_refusals(declarations.shapes.promises, parts.procedures, report)
    found = promises.judge_calls(declarations.shapes, parameters, holders)
    promises.tell(found, fresh(linked, linked.main, declarations.shapes, report))


def _program(
    linked: Linked, declarations: Declarations, named: dict[str, typed.Function], parts: _Parts
) -> Program | None:
    header = linked.main.header
    if header is None:
        return None
    return Program(
        name=header.name.text,
        title=header.title.text if header.title else "",
        revision=header.revision.text,
        fingerprint=fingerprint(linked),
        documents=linked.texts,
        values=declarations.values,
        dice=declarations.dice,
        kinds=declarations.shapes.kinds,
        records=declarations.shapes.records,
        boards=declarations.boards,
        game=declarations.game,
        settings=declarations.settings,
        relations=declarations.relations,
        functions=named,
        external_procedures=declarations.external_procedures,
        external_terms=parts.external_terms,
        measures=parts.measures,
        invariants=parts.invariants,
        events=parts.events,
        handlers=parts.handlers,
        rules=parts.rules,
        procedures=parts.procedures,
        accounts=accounts(linked),
        rulings=rulings(linked),
    )


_LATER = frozenset({"bases", "copied", "edition", "inner", "policies", "unit"})
"""What the language learnt later counts only where it is written, so that older rulesets keep their fingerprints."""


def fingerprint(linked: Linked) -> str:
    """SHA-256, in hexadecimal, of everything that can change play or what people read.

    Titles, cites and settings count; comments, layout, file names and places do not. Overlays count by what they
    made of the ruleset and by their revisions.
    """
    digest = sha256()
    for module in linked.modules:
        headers = [each for file in module.files for each in file.headers if not isinstance(each, d.WrittenForHeader)]
        digest.update(_said(module.prefix, (*headers, *module.declarations)))
    return digest.hexdigest()


def digest_of(node: object) -> str:
    """SHA-256, in hexadecimal, of what a part of a text says; comments, layout and places do not count."""
    return sha256(_said("", node)).hexdigest()


def _said(prefix: str, value: object) -> bytes:
    written: list[str] = [prefix]
    _write(value, written.append)
    return "\x00".join(written).encode()


def _write(value: object, write: Callable[[str], None]) -> None:
    """Every part in order; brackets and class names keep different trees different."""
    if isinstance(value, tuple):
        write("(")
        for each in value:
            _write(each, write)
        write(")")
        return
    if not is_node(type(value)):
        write(repr(value))
        return
    write(type(value).__name__)
    for name in names(type(value), Role.PLACE):
        part = getattr(value, name)
        if part or name not in _LATER:
            _write(part, write)
