"""Plays a case and judges what came of it; of what failed, what happened up to where it first went otherwise."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import groupby
from operator import contains
from time import perf_counter

from rulewright.codecs.table import show
from rulewright.diagnostics import Diagnostic, Label, Severity
from rulewright.diagnostics.terminal import PLAIN, visible
from rulewright.drivers.board_views import marked_boards
from rulewright.drivers.run import run
from rulewright.drivers.session import Session
from rulewright.drivers.story import Story
from rulewright.inputs.arguments import find_procedure
from rulewright.inputs.findings import Read, finding
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Items, Node, Scalar, merged_mappings
from rulewright.machine.codes import INVARIANT_BROKEN
from rulewright.machine.executable import Executable
from rulewright.machine.faults import Limits
from rulewright.machine.request import CHANCE, ELSEWHERE, Faulted, Refused
from rulewright.machine.run import Paused, judge as judge_start
from rulewright.machine.state import Situation
from rulewright.program.walk import place_of
from rulewright.scenarios.case_table import cell_of
from rulewright.scenarios.expectations import table
from rulewright.scenarios.expectations.ending import values_read
from rulewright.scenarios.expectations.shapes import ODDS, is_of_odds_alone
from rulewright.scenarios.expected_odds import foreseen_odds, judged_odds
from rulewright.scenarios.opening import (
    OpenedCase,
    Ruled,
    Rules,
    number_of,
    opened_case,
    opening,
    placed,
    roles_of,
    unknown_clauses,
)
from rulewright.scenarios.suite import ONLY_PLAYED, Case, Happening, Miss, Result
from rulewright.source import Span

_UNANSWERED = frozenset({"RW0744", "RW0746"})


def happening(session: Session, misses: Sequence[Miss] = ()) -> Happening:
    """What happened up to the first miss whose moment is known, or to the end."""
    story, entries = Story(session.begun.names, "decisive", PLAIN, unmet=True), session.entries
    last = min((each.moment for each in misses if each.moment is not None), default=len(entries))
    goes_on = last < len(entries) - 1
    lines = story.lines_until(session, last) if goes_on else _whole(session, story)
    steps = tuple(each.address.rpartition("/")[2] for each in entries[: last + 1] if each.sort == "step")
    boards = tuple(marked_boards(session, {spot for each in misses for spot in each.spots}))
    differs = place_of(entries[last].address, session.begun.executable.program) if last < len(entries) else None
    return Happening(tuple(line for line, _ in groupby(lines)), steps, goes_on, _fault(session), boards, differs)


def _fault(session: Session) -> Span | None:
    match session.outcome:
        case Faulted(address=address) if number_of(address) is None:
            return place_of(address, session.begun.executable.program)
        case _:
            return None


def _whole(session: Session, story: Story) -> Iterator[str]:
    """The whole play, and what was read where it was refused or met a fault."""
    yield from story.lines(session)
    match session.outcome:
        case Refused(entries=entries):
            yield from story.unmet_needs(entries)
        case Faulted(address=address, read=read) if number_of(address) is None:
            values = ", ".join(
                f"{visible(text)} = {show(value, type_, session.begun.names)}" for text, value, type_ in read
            )
            yield f"  stops at {visible(address)}{f'  [{values}]' if values else ''}"


def _judged_invalid(case: Case, expected: Node, rules: Rules) -> Result:
    """The result of a case that expects findings about its state, settings and roles; nothing is played."""
    assert isinstance(expected, Items)
    found, parts = _found(case, rules), tuple(each.written for each in expected.items if isinstance(each, Scalar))
    got = found.value
    if got is None:
        return Result(case, "wrong", wrong=found.diagnostics)
    if len(got) == len(parts) and all(map(contains, got, parts)):
        return Result(case, "passed")
    return Result(case, "failed", (Miss("invalid", _told(parts), _told(got)),))


def _found(case: Case, rules: Rules) -> Read[tuple[str, ...]]:
    """What is said of the state, the settings and the roles, in order; everything else has to be right."""
    ruled = rules.of(case)
    procedure = None if ruled.value is None else find_procedure(case.procedure.text, ruled.value.program).value
    if ruled.value is None or procedure is None:
        return Read(None, opening(case, rules, Limits()).diagnostics)
    wrong = (*unknown_clauses(case, ruled.value), *_unplayed(case))
    if wrong:
        return Read(None, wrong)
    program = ruled.value.program
    situation = ruled.value.situation(case, rules.before(case))
    if situation.value is None:
        return Read(_messages(situation.diagnostics))
    roles = roles_of(case, procedure, situation.value, program)
    return Read((*_broken(ruled.value.executable, situation.value), *_messages(roles.diagnostics)))


def _broken(executable: Executable, situation: Situation) -> Iterator[str]:
    """The first `always` that does not hold of a start, in the words of the fault that a play of it meets."""
    outcome = judge_start(executable, situation)
    if isinstance(outcome, Faulted) and outcome.code == INVARIANT_BROKEN:
        yield f"{outcome.message}{values_read(outcome, Names(executable.program, situation.base))}"


def _unplayed(case: Case) -> tuple[Diagnostic, ...]:
    """RW1013 for answers that nobody will ask for."""
    if case.script is None:
        return ()
    message, remedy = "a start with `invalid` has no `script`", "take the script out: nothing is asked"
    return (finding("RW1013", case.script, message, remedy),)


def _messages(diagnostics: tuple[Diagnostic, ...]) -> tuple[str, ...]:
    return tuple(each.message for each in diagnostics if each.severity is Severity.ERROR)


def _told(messages: tuple[str, ...]) -> str:
    return "; ".join(messages) or "nothing is wrong with it"


Heed = Callable[[Session], None]


def play(case: Case, rules: Rules, heed: Heed = lambda _: None, limits: Limits = Limits()) -> Result:  # noqa: B008 - frozen
    """The result of a case; of several plays that of the first that fails. Every play is shown to `heed`."""
    started = perf_counter()
    if case.wrong:
        return Result(case, "wrong", wrong=case.wrong)
    if case.skip:
        return Result(case, "skipped")
    if not case.expect.entries:
        begun = opening(case, rules, limits)
        return Result(case, ONLY_PLAYED if begun.value else "wrong", wrong=begun.diagnostics)
    invalid = case.expect.get("invalid")
    result = _begun(case, rules, heed, limits) if invalid is None else _judged_invalid(case, invalid, rules)
    return replace(result, seconds=perf_counter() - started)


def play_under(case: Case, ruled: Ruled) -> Result | None:
    """The result of a case under a ruleset that is compiled already, whichever it names; none where it cannot begin."""
    begun = opened_case(case, ruled, Limits())
    return None if begun.value is None else _plays(case, begun.value, lambda _: None)


def _begun(case: Case, rules: Rules, heed: Heed, limits: Limits) -> Result:
    begun = opening(case, rules, limits)
    if begun.value is None:
        return Result(case, "wrong", wrong=begun.diagnostics)
    if ODDS not in case.expect:
        return _plays(case, begun.value, heed)
    odds = judged_odds(case, begun.value, rules)
    if odds.value is None:
        return Result(case, "wrong", wrong=odds.diagnostics)
    misses = tuple(replace(each, cell=_cell(each, case)) for each in odds.value)
    result = Result(case, "passed") if is_of_odds_alone(case.expect) else _plays(case, begun.value, heed)
    if not misses or result.outcome == "wrong":
        return result
    return replace(result, outcome="failed", misses=(*misses, *result.misses))


def _plays(case: Case, begun: OpenedCase, heed: Heed) -> Result:
    result = Result(case, "passed")
    for number in range(case.plays):
        result = replace(_one(case, begun, number, heed), number=number)
        if result.outcome != "passed":
            break
    return result


def _one(case: Case, begun: OpenedCase, number: int, heed: Heed) -> Result:
    played = run(begun.begun, begun.sources(case, number))
    session = played.session
    heed(session)
    if played.diagnostics:
        asked = session.outcome.request.sort if isinstance(session.outcome, Paused) else ""
        wrong = tuple(_of_script(each, case, asked) for each in played.diagnostics)
        return Result(case, "wrong", wrong=wrong, happened=happening(session))
    judged = table.judge(case.expect, session, begun.ruled)
    if judged.value is None:
        return Result(case, "wrong", wrong=judged.diagnostics)
    if judged.value:
        misses = tuple(replace(each, cell=_cell(each, case)) for each in judged.value)
        fault = session.outcome.code if isinstance(session.outcome, Faulted) else ""
        return Result(case, "failed", misses, happened=happening(session, misses), fault=fault)
    return Result(case, "passed")


def _cell(miss: Miss, case: Case) -> Span | None:
    node = case.expect.get(miss.what)
    return None if node is None else cell_of(node, case.expect.key(miss.what), miss.place)


def _of_script(diagnostic: Diagnostic, case: Case, asked: str) -> Diagnostic:
    """A finding about answers, with the place and the remedy that scenarios have for what is asked."""
    if diagnostic.code in _UNANSWERED:
        place = case.place if case.script is None else case.script
        otherwise = "let a `seed:` roll dice" if asked in CHANCE else "let a `policy:` decide for players"
        remedy = f"write the answer into `script:`{'' if asked in ELSEWHERE else f', or {otherwise}'}"
        diagnostic = replace(diagnostic, primary=Label(place.span), pointer=place.pointer, help=remedy)
    return placed(diagnostic, case.place)


def foreseen(case: Case, rules: Rules) -> tuple[Diagnostic, ...]:
    """All that `play` would find wrong with a case whatever comes of its answers; nothing of one that is skipped.

    Where a case begins at the end of another is not known: it is taken to begin where the first of them does.
    """
    if case.wrong or case.skip:
        return case.wrong
    invalid = case.expect.get("invalid")
    if invalid is not None:
        return _judged_invalid(case, invalid, rules).wrong
    case = _at_the_start(case)
    begun = opening(case, rules, Limits())
    if begun.value is None:
        return begun.diagnostics
    found = table.foreseen(case.expect, begun.value.begun, begun.value.ruled)
    return found if found or ODDS not in case.expect else foreseen_odds(case, begun.value, rules)


def _at_the_start(case: Case) -> Case:
    """A case as if it began where the first before it does, with all that is laid over the state until then."""
    patches = [each.patch for each in _until(case) if each.patch is not None]
    return replace(case, after=None, patch=reduce(merged_mappings, patches) if patches else None)


def _until(case: Case) -> Iterator[Case]:
    """The cases that are played up to one, in order."""
    if case.after is not None:
        yield from _until(case.after)
    yield case
