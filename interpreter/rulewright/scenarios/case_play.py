"""Play and judgement of a case; for a failure, an excerpt of the play up to the first difference."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import groupby
from operator import contains
from time import perf_counter

from rulewright.base.diagnostics import PLAIN_PAINTER, Diagnostic, Label, Severity, make_visible
from rulewright.base.source import Span
from rulewright.documents.answer_scripts import LEFT_OVER, ForcedAnswer
from rulewright.documents.document_nodes import (
    DocumentNode,
    Json,
    ListNode,
    MapNode,
    ScalarNode,
    merge_map_nodes,
)
from rulewright.documents.findings import Findings, ReadResult, make_finding
from rulewright.documents.name_table import NameTable
from rulewright.documents.procedure_arguments import find_procedure
from rulewright.play.answer_sources import AnswerSourceChain
from rulewright.play.play_story import Story
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import PlayStart, Session, run_to_end
from rulewright.play.session_views import render_unexpected_boards
from rulewright.program.walk import find_address_span
from rulewright.runtime.executable import Executable
from rulewright.runtime.faults import INVARIANT_BROKEN, RunLimits
from rulewright.runtime.request import CHANCE_SORTS, EXTERNAL_SORTS, Ended, Faulted, Refused
from rulewright.runtime.run import Paused, judge_situation
from rulewright.runtime.state import Situation, make_initial_state
from rulewright.runtime.type_codecs import format_value
from rulewright.scenarios import (
    end_expectations,
    line_expectations,
    path_expectations,
    proposals,
    question_expectations,
)
from rulewright.scenarios.case_opening import (
    CompiledRuleset,
    OpenedCase,
    RulesetLoader,
    bind_roles,
    condition_number,
    find_unknown_clauses,
    open_case,
    open_case_under,
    place_finding,
)
from rulewright.scenarios.case_table import find_cell_span
from rulewright.scenarios.end_expectations import format_fault_values, judge_changes, judge_state
from rulewright.scenarios.expectation_schema import ODDS_KEY, has_only_odds
from rulewright.scenarios.expected_odds import check_odds_expectation, judge_odds
from rulewright.scenarios.line_expectations import JudgingContext
from rulewright.scenarios.proposals import JudgeExpectation, NoProposalError
from rulewright.scenarios.suite import ONLY_PLAYED, CaseResult, PlayExcerpt, ScenarioCase, UnmetExpectation

_OTHER_END_KEYS = frozenset({"refused", "fault"})
"""Expectations of plays with another end; once their shape is valid, nothing more can be wrong."""


@dataclass(frozen=True)
class ExpectationHandler:
    """Functions for one key of `expect`."""

    # unmet parts; `None` where one finished play cannot decide it
    judge: JudgeExpectation | None
    # value that the play would meet; `None` where a play does not determine it
    propose: Callable[[JudgingContext], Json] | None


EXPECTATION_HANDLERS: Mapping[str, ExpectationHandler] = {
    "always": ExpectationHandler(None, None),
    "invalid": ExpectationHandler(None, None),
    "refused": ExpectationHandler(end_expectations.judge_refusal, proposals.propose_refusal),
    "fault": ExpectationHandler(end_expectations.judge_fault, proposals.propose_fault),
    "result": ExpectationHandler(end_expectations.judge_result, proposals.propose_result),
    "path": ExpectationHandler(path_expectations.judge_path, proposals.propose_path),
    "passed_over": ExpectationHandler(
        path_expectations.judge_passed_over, lambda judging: proposals.propose_steps(judging, "passed over")
    ),
    "happens": ExpectationHandler(path_expectations.judge_happenings, None),
    "asked": ExpectationHandler(question_expectations.judge_questions, proposals.propose_questions),
    "asked_of": ExpectationHandler(question_expectations.judge_asked_players, proposals.propose_asked_players),
    "offered": ExpectationHandler(question_expectations.judge_offers, proposals.propose_offers),
    "rejects": ExpectationHandler(question_expectations.judge_rejections, proposals.propose_rejections),
    "values": ExpectationHandler(line_expectations.judge_values, proposals.propose_values),
    "decided": ExpectationHandler(line_expectations.judge_decisions, proposals.propose_decisions),
    "counted": ExpectationHandler(line_expectations.judge_counted_rows, proposals.propose_counted_rows),
    "applied": ExpectationHandler(
        line_expectations.judge_applied, partial(proposals.keep_met_members, line_expectations.judge_applied)
    ),
    "not_applied": ExpectationHandler(
        line_expectations.judge_not_applied, partial(proposals.keep_met_members, line_expectations.judge_not_applied)
    ),
    "rulings": ExpectationHandler(
        line_expectations.judge_rulings, partial(proposals.keep_met_members, line_expectations.judge_rulings)
    ),
    "measures": ExpectationHandler(end_expectations.judge_measures, proposals.propose_measures),
    "state": ExpectationHandler(judge_state, proposals.propose_state),
    "changes": ExpectationHandler(judge_changes, proposals.propose_changes),
    ODDS_KEY: ExpectationHandler(None, None),
}
"""Handlers by key, in the order in which they are judged."""


def judge_expectations(
    expect: MapNode, session: Session, ruled: CompiledRuleset
) -> ReadResult[tuple[UnmetExpectation, ...]]:
    """Unmet expectations of a play, in order; after another end than expected only that.

    Reports RW1002 (another type of value), RW1007 (an unknown address), and what reading states and values does.
    """
    miss = end_expectations.judge_ending(expect, session)
    return _judge_each(expect, session, ruled) if miss is None else ReadResult((miss,))


def check_expectations(expect: MapNode, start: PlayStart, ruled: CompiledRuleset) -> tuple[Diagnostic, ...]:
    """Errors that `judge_expectations` reports in any play, found by judging a play in which nothing has happened."""
    others = tuple((key, node) for key, node in expect if key.text not in _OTHER_END_KEYS)
    return _judge_each(MapNode(others, expect.span, expect.pointer), _make_unplayed_session(start), ruled).diagnostics


def _judge_each(expect: MapNode, session: Session, ruled: CompiledRuleset) -> ReadResult[tuple[UnmetExpectation, ...]]:
    findings, misses = Findings(), list[UnmetExpectation]()
    for name, handler in EXPECTATION_HANDLERS.items():
        node = expect.get(name)
        if node is not None and handler.judge is not None:
            misses += handler.judge(JudgingContext(node, session, ruled, findings))
    return findings.make_result(tuple(misses))


class _UnplayedSession(Session):
    def find_all_forced_answers(self) -> Iterator[ForcedAnswer]:
        return iter(())


def _make_unplayed_session(start: PlayStart) -> Session:
    ended = Ended(lambda: make_initial_state(start.situation, start.executable.layout), None, ())
    return _UnplayedSession(start, ended, AnswerSourceChain(start.names, SeededRandom(0)))


def propose_value(what: str, judging: JudgingContext) -> Json:
    """JSON data with which an unmet expectation would be met, in its spelling.

    Raises:
        NoProposalError: nothing can be written that this play would meet.
    """
    propose = EXPECTATION_HANDLERS[what].propose if what in EXPECTATION_HANDLERS else None
    if propose is None:
        raise NoProposalError("it cannot be written down from a play")
    return propose(judging)


_UNANSWERED_CODES = frozenset({"RW0744", "RW0746"})


def excerpt_play(session: Session, misses: Sequence[UnmetExpectation] = ()) -> PlayExcerpt:
    """Excerpt up to the first miss with a known moment, or to the end."""
    story, entries = Story(session.start.names, "decisive", PLAIN_PAINTER, shows_unmet=True), session.entries
    last = min((miss.moment for miss in misses if miss.moment is not None), default=len(entries))
    goes_on = last < len(entries) - 1
    lines = story.render_until(session, last) if goes_on else _whole_story(session, story)
    steps = tuple(entry.address.rpartition("/")[2] for entry in entries[: last + 1] if entry.sort == "step")
    boards = tuple(render_unexpected_boards(session, {spot for miss in misses for spot in miss.wrong_cells}))
    differs = (
        find_address_span(entries[last].address, session.start.executable.program) if last < len(entries) else None
    )
    return PlayExcerpt(tuple(line for line, _ in groupby(lines)), steps, goes_on, _fault_span(session), boards, differs)


def _fault_span(session: Session) -> Span | None:
    match session.outcome:
        case Faulted(address=address) if condition_number(address) is None:
            return find_address_span(address, session.start.executable.program)
        case _:
            return None


def _whole_story(session: Session, story: Story) -> Iterator[str]:
    yield from story.render_session(session)
    match session.outcome:
        case Refused(entries=entries):
            yield from story.render_unmet_needs(entries)
        case Faulted(address=address, read=read) if condition_number(address) is None:
            values = ", ".join(
                f"{make_visible(text)} = {format_value(value, type_, session.start.names)}"
                for text, value, type_ in read
            )
            yield f"  stops at {make_visible(address)}{f'  [{values}]' if values else ''}"


def _judge_invalid(case: ScenarioCase, expected: DocumentNode, rules: RulesetLoader) -> CaseResult:
    assert isinstance(expected, ListNode)
    read_result, parts = (
        _find_start_messages(case, rules),
        tuple(item.written for item in expected.items if isinstance(item, ScalarNode)),
    )
    messages = read_result.value
    if messages is None:
        return CaseResult(case, "wrong", problems=read_result.diagnostics)
    if len(messages) == len(parts) and all(map(contains, messages, parts)):
        return CaseResult(case, "passed")
    return CaseResult(case, "failed", (UnmetExpectation("invalid", _join_messages(parts), _join_messages(messages)),))


def _find_start_messages(case: ScenarioCase, rules: RulesetLoader) -> ReadResult[tuple[str, ...]]:
    ruled = rules.compile_for_case(case)
    procedure = None if ruled.value is None else find_procedure(case.procedure.text, ruled.value.program).value
    if ruled.value is None or procedure is None:
        return ReadResult(None, open_case(case, rules, RunLimits()).diagnostics)
    wrong = (*find_unknown_clauses(case, ruled.value), *_check_no_script(case))
    if wrong:
        return ReadResult(None, wrong)
    program = ruled.value.program
    situation = ruled.value.read_start(case, rules.ruleset_before(case))
    if situation.value is None:
        return ReadResult(_error_messages(situation.diagnostics))
    roles = bind_roles(case, procedure, situation.value, program)
    return ReadResult(
        (*_find_broken_invariant(ruled.value.executable, situation.value), *_error_messages(roles.diagnostics))
    )


def _find_broken_invariant(executable: Executable, situation: Situation) -> Iterator[str]:
    outcome = judge_situation(executable, situation)
    if isinstance(outcome, Faulted) and outcome.code == INVARIANT_BROKEN:
        yield f"{outcome.message}{format_fault_values(outcome, NameTable(executable.program, situation.base))}"


def _check_no_script(case: ScenarioCase) -> tuple[Diagnostic, ...]:
    if case.script is None:
        return ()
    message, remedy = "a start with `invalid` has no `script`", "take the script out: nothing is asked"
    return (make_finding("RW1013", case.script, message, remedy),)


def _error_messages(diagnostics: tuple[Diagnostic, ...]) -> tuple[str, ...]:
    return tuple(one.message for one in diagnostics if one.severity is Severity.ERROR)


def _join_messages(messages: tuple[str, ...]) -> str:
    return "; ".join(messages) or "nothing is wrong with it"


SessionCallback = Callable[[Session], None]


def play_case(
    case: ScenarioCase,
    rules: RulesetLoader,
    on_session: SessionCallback = lambda _: None,
    limits: RunLimits = RunLimits(),  # noqa: B008
) -> CaseResult:
    """Result of a case; of several plays that of the first failure. `on_session` is called with every session."""
    started = perf_counter()
    if case.problems:
        return CaseResult(case, "wrong", problems=case.problems)
    if case.skip:
        return CaseResult(case, "skipped")
    if not case.expect.entries:
        opening_result = open_case(case, rules, limits)
        return CaseResult(case, ONLY_PLAYED if opening_result.value else "wrong", problems=opening_result.diagnostics)
    invalid = case.expect.get("invalid")
    result = (
        _open_and_play(case, rules, on_session, limits) if invalid is None else _judge_invalid(case, invalid, rules)
    )
    return replace(result, seconds=perf_counter() - started)


def play_case_under(case: ScenarioCase, ruled: CompiledRuleset) -> CaseResult | None:
    """Result of a case under a given ruleset; `None` where it cannot begin there."""
    opening_result = open_case_under(case, ruled, RunLimits())
    return None if opening_result.value is None else _play_repeatedly(case, opening_result.value, lambda _: None)


def _open_and_play(
    case: ScenarioCase, rules: RulesetLoader, on_session: SessionCallback, limits: RunLimits
) -> CaseResult:
    opening_result = open_case(case, rules, limits)
    if opening_result.value is None:
        return CaseResult(case, "wrong", problems=opening_result.diagnostics)
    if ODDS_KEY not in case.expect:
        return _play_repeatedly(case, opening_result.value, on_session)
    odds = judge_odds(case, opening_result.value, rules)
    if odds.value is None:
        return CaseResult(case, "wrong", problems=odds.diagnostics)
    misses = _locate_cells(odds.value, case)
    result = (
        CaseResult(case, "passed")
        if has_only_odds(case.expect)
        else _play_repeatedly(case, opening_result.value, on_session)
    )
    if not misses or result.outcome == "wrong":
        return result
    return replace(result, outcome="failed", misses=(*misses, *result.misses))


def _play_repeatedly(case: ScenarioCase, opening: OpenedCase, on_session: SessionCallback) -> CaseResult:
    result = CaseResult(case, "passed")
    for number in range(case.plays):
        result = replace(_play_once(case, opening, number, on_session), number=number)
        if result.outcome != "passed":
            break
    return result


def _play_once(case: ScenarioCase, opening: OpenedCase, number: int, on_session: SessionCallback) -> CaseResult:
    played = run_to_end(opening.start, opening.make_sources(case, number))
    session = played.session
    on_session(session)
    if played.diagnostics:
        request_sort = session.outcome.request.sort if isinstance(session.outcome, Paused) else ""
        wrong = tuple(_place_script_finding(one, case, request_sort) for one in played.diagnostics)
        is_over = isinstance(session.outcome, Ended) and all(one.code == LEFT_OVER for one in played.diagnostics)
        judged = judge_expectations(case.expect, session, opening.ruled) if is_over else None
        misses = _locate_cells((judged and judged.value) or (), case)
        return CaseResult(case, "wrong", misses, problems=wrong, excerpt=excerpt_play(session))
    judged = judge_expectations(case.expect, session, opening.ruled)
    if judged.value is None:
        return CaseResult(case, "wrong", problems=judged.diagnostics)
    if judged.value:
        misses = _locate_cells(judged.value, case)
        fault = session.outcome.code if isinstance(session.outcome, Faulted) else ""
        return CaseResult(case, "failed", misses, excerpt=excerpt_play(session, misses), fault=fault)
    return CaseResult(case, "passed")


def _locate_cells(misses: Sequence[UnmetExpectation], case: ScenarioCase) -> tuple[UnmetExpectation, ...]:
    return tuple(replace(miss, cell=_miss_cell(miss, case)) for miss in misses)


def _miss_cell(miss: UnmetExpectation, case: ScenarioCase) -> Span | None:
    node = case.expect.get(miss.what)
    return None if node is None else find_cell_span(node, case.expect.key(miss.what), miss.place)


def _place_script_finding(diagnostic: Diagnostic, case: ScenarioCase, request_sort: str) -> Diagnostic:
    if diagnostic.code in _UNANSWERED_CODES:
        place = case.place if case.script is None else case.script
        otherwise = "let a `seed:` roll dice" if request_sort in CHANCE_SORTS else "let a `policy:` decide for players"
        remedy = f"write the answer into `script:`{'' if request_sort in EXTERNAL_SORTS else f', or {otherwise}'}"
        diagnostic = replace(diagnostic, primary=Label(place.span), pointer=place.pointer, help=remedy)
    return place_finding(diagnostic, case.place)


def check_case(case: ScenarioCase, rules: RulesetLoader) -> tuple[Diagnostic, ...]:
    """Errors of a case that `play_case` would find whatever its answers; none for a skipped one.

    A case that begins at the end of another is checked on the state of the first of them, since the real one is unknown.
    """
    if case.problems or case.skip:
        return case.problems
    invalid = case.expect.get("invalid")
    if invalid is not None:
        return _judge_invalid(case, invalid, rules).problems
    case = _rebase_to_start(case)
    opening_result = open_case(case, rules, RunLimits())
    if opening_result.value is None:
        return opening_result.diagnostics
    result = check_expectations(case.expect, opening_result.value.start, opening_result.value.ruled)
    return (
        result if result or ODDS_KEY not in case.expect else check_odds_expectation(case, opening_result.value, rules)
    )


def _rebase_to_start(case: ScenarioCase) -> ScenarioCase:
    patches = [one.patch for one in _cases_until(case) if one.patch is not None]
    return replace(case, previous=None, patch=reduce(merge_map_nodes, patches) if patches else None)


def _cases_until(case: ScenarioCase) -> Iterator[ScenarioCase]:
    if case.previous is not None:
        yield from _cases_until(case.previous)
    yield case
