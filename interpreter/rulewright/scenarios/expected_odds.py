"""Expected odds (`expect.odds`): exact shares of all plays of a case, compared with expected bounds."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import floor

from rulewright.base.diagnostics import Diagnostic, has_errors, make_visible
from rulewright.base.frozen import dataclass
from rulewright.documents.answer_scripts import default_policy
from rulewright.documents.document_nodes import DocumentNode, Json, MapNode, ScalarNode
from rulewright.documents.findings import Findings, InvalidValue, ReadResult, make_finding, quote_name, show_node
from rulewright.documents.name_table import NameTable
from rulewright.documents.value_reader import ValueReader
from rulewright.odds.answerers import PlayAnswerer, UndecidedError
from rulewright.odds.end_measures import AskedMeasure, MeasuredPlay, prepare_measured_play
from rulewright.odds.event_counting import UncountableError
from rulewright.odds.exact_odds import (
    EXPLOSION_LIMIT_HELP,
    CannotBeginError,
    PlayOdds,
    begin_run,
    check_unused_lines,
    compute_odds,
    explain_unknown_odds,
)
from rulewright.odds.external_answers import (
    ExternalOdds,
    likelihoods_file_beside,
    parse_probability,
    read_external_odds,
    read_likelihoods_beside,
    read_stated_policies,
    scalar_from_key,
)
from rulewright.odds.likelihood_formats import format_share
from rulewright.odds.measure_syntax import UndefinedConditionError
from rulewright.odds.state_space_size import MAX_STATES, describe_limit_hit, describe_size, estimate_state_space
from rulewright.play.session import PlayStart
from rulewright.program.types import FlagType, OptionalType
from rulewright.runtime.chance_outcomes import TooManyOutcomesError
from rulewright.runtime.type_codecs import format_exact_fraction
from rulewright.runtime.values import Value
from rulewright.scenarios.case_opening import OpenedCase, RulesetLoader, open_case, place_finding
from rulewright.scenarios.expectation_schema import ODDS_KEY
from rulewright.scenarios.proposals import NoProposalError, node_to_json
from rulewright.scenarios.suite import ScenarioCase, UnmetExpectation
from rulewright.wording.entry_rendering import render_reason

_BOUNDS_PATTERN = re.compile(
    r"\s*(?:at (?P<side>least|most)\s+(?P<bound>.+)|(?P<low>.+?)\s+to\s+(?P<high>.+))", re.DOTALL
)
_MAX_SHARE_CHARS = 200
_SHARE_FORMS = "write `1/3`, `0.25`, `25 %`, `at least 1/2`, `at most 1/2` or `1/3 to 1/2`"


@dataclass(frozen=True, slots=True)
class ShareBounds:
    """Bounds on a share of all plays."""

    written: str  # as written
    low: Fraction  # inclusive
    high: Fraction  # inclusive


@dataclass(frozen=True, slots=True)
class ExpectedShare:
    place: str  # label: the expression, with its value where that is named
    measure: int  # index of the expression
    value: Value
    share: ShareBounds


def parse_share(written: str) -> ShareBounds | None:
    """Share as written; `None` where it is not a number from 0 to 1, or its bounds leave none."""
    if len(written) > _MAX_SHARE_CHARS:
        return None
    match_ = _BOUNDS_PATTERN.fullmatch(written)
    if match_ is None:
        low = high = parse_probability(written)
    elif match_["side"]:
        bound = parse_probability(match_["bound"])
        low, high = (bound, Fraction(1)) if match_["side"] == "least" else (Fraction(0), bound)
    else:
        low, high = parse_probability(match_["low"]), parse_probability(match_["high"])
    return None if low is None or high is None or low > high else ShareBounds(written.strip(), low, high)


def read_expected_shares(
    node: MapNode, measures: tuple[AskedMeasure, ...], names: NameTable, findings: Findings
) -> Iterator[ExpectedShare]:
    """Expected shares, in order.

    Reports RW1021 (no share, or a share of what is not a flag) and what reading a value does.
    """
    for number, ((key, value_node), measure) in enumerate(zip(node, measures, strict=True)):
        if isinstance(value_node, MapNode):
            for map_key, share in value_node:
                value = ValueReader(names, findings).read_typed(
                    scalar_from_key(map_key), measure.type, quote_name(measure.text)
                )
                share_bounds = _read_share(share, findings)
                if share_bounds is not None and not isinstance(value, InvalidValue):
                    yield ExpectedShare(f"{key.text}: {map_key.text}", number, value, share_bounds)
        elif not isinstance(measure.type, FlagType):
            message = f"{quote_name(key.text)} is {measure.type}, so one share is not enough"
            remedy = "write the share of each value, `{0: 1/3, 1: 2/3}`, or compare it: `… = …` is a flag"
            findings.add_error("RW1021", value_node, message, help=remedy)
        elif (share_bounds := _read_share(value_node, findings)) is not None:
            yield ExpectedShare(key.text, number, True, share_bounds)  # noqa: FBT003 - the value


def _read_share(node: DocumentNode, findings: Findings) -> ShareBounds | None:
    result = parse_share(node.written) if isinstance(node, ScalarNode) else None
    if result is None:
        findings.add_error(
            "RW1021", node, f"{show_node(node)} is not a share of all plays, from 0 to 1", help=_SHARE_FORMS
        )
    return result


_ROUNDING_TOLERANCE = Fraction(1, 10_000)
"""Shares that differ by less look equal when rounded (0.01 %)."""
_MAX_SUGGESTED_DENOMINATOR = 1000
_ROUNDING_STEP = Fraction(1, 10_000)


@dataclass(frozen=True, slots=True)
class _FollowedOdds:
    expected: tuple[ExpectedShare, ...]
    odds: PlayOdds | None = None  # `None` where the play is refused
    misses: tuple[UnmetExpectation, ...] = ()  # refused or endless plays


def judge_odds(
    case: ScenarioCase, opening: OpenedCase, rules: RulesetLoader
) -> ReadResult[tuple[UnmetExpectation, ...]]:
    """Shares that are not as expected, in order; only endless plays, where not all plays end.

    Reports what `prepare_measured_play`, `read_expected_shares` and reading likelihoods do; RW0907 (too many states),
    RW1121 to RW1123 (nobody decides, no likelihood for the result of an external, too many outcomes), RW1204 (a
    condition has no value) and unused parts of the script.
    """
    read_result = _follow_case(case, opening, rules)
    if read_result.value is None:
        return ReadResult(None, read_result.diagnostics)
    expected, odds, misses = read_result.value.expected, read_result.value.odds, read_result.value.misses
    return ReadResult(misses if misses or odds is None else tuple(_find_odds_misses(expected, odds)))


def propose_odds(case: ScenarioCase, opening: OpenedCase, rules: RulesetLoader) -> Json:
    """Shares that would be met: those that hold as written, exact ones in place of the others.

    Raises:
        NoProposalError: there are none.
    """
    followed_odds, node = _follow_case(case, opening, rules).value, case.expect.get(ODDS_KEY)
    assert isinstance(node, MapNode)
    if followed_odds is None or followed_odds.odds is None or followed_odds.misses:
        raise NoProposalError("not every play begins and ends")
    expected, odds = iter(followed_odds.expected), followed_odds.odds
    return {
        key.text: {map_key.text: _propose_share(next(expected), share, odds) for map_key, share in value_node}
        if isinstance(value_node, MapNode)
        else _propose_share(next(expected), value_node, odds)
        for key, value_node in node
    }


def _propose_share(expected: ExpectedShare, written: DocumentNode, odds: PlayOdds) -> Json:
    likely = odds.distributions[expected.measure].probabilities.get(expected.value, Fraction(0))
    if expected.share.low <= likely <= expected.share.high:
        return node_to_json(written)
    if likely.denominator == 1:
        return int(likely)
    if parse_share(format_exact_fraction(likely)) is None:
        raise NoProposalError("its fraction is too long to be written")
    return format_exact_fraction(likely)


def _follow_case(case: ScenarioCase, opening: OpenedCase, rules: RulesetLoader) -> ReadResult[_FollowedOdds]:
    whole = _add_likelihood_policies(case, opening, rules)
    if whole.value is None:
        return ReadResult(None, whole.diagnostics)
    case, opening = whole.value
    question = _read_odds_question(case, opening, rules)
    if question.value is None:
        return ReadResult(None, question.diagnostics)
    play, expected, externals = question.value
    decided = opening.policy_table
    answers = PlayAnswerer(
        opening.start.names,
        opening.script,
        decided.default,
        externals,
        decided.by_player,
        counted_events=play.counted_events,
    )
    return _compute_case_odds(case, play.adapt_to_script(opening.script), expected, answers)


def check_odds_expectation(case: ScenarioCase, opening: OpenedCase, rules: RulesetLoader) -> tuple[Diagnostic, ...]:
    """Errors of expected odds that are known before the play is explored."""
    whole = _add_likelihood_policies(case, opening, rules)
    return whole.diagnostics if whole.value is None else _read_odds_question(*whole.value, rules).diagnostics


def _add_likelihood_policies(
    case: ScenarioCase, opening: OpenedCase, rules: RulesetLoader
) -> ReadResult[tuple[ScenarioCase, OpenedCase]]:
    beside = read_likelihoods_beside(case.file, rules.provider, rules.texts)
    policies = read_stated_policies(beside.value)
    if policies.value is None or not policies.value:
        return ReadResult((case, opening) if policies.value is not None else None, policies.diagnostics)
    whole = replace(case, policies=(*case.policies, *policies.value))
    read_result = open_case(whole, rules, opening.start.limits)
    return ReadResult(None if read_result.value is None else (whole, read_result.value), read_result.diagnostics)


_OddsQuestion = tuple[MeasuredPlay, tuple[ExpectedShare, ...], ExternalOdds | None]


def _read_odds_question(case: ScenarioCase, opening: OpenedCase, rules: RulesetLoader) -> ReadResult[_OddsQuestion]:
    node, findings = case.expect.get(ODDS_KEY), Findings()
    assert isinstance(node, MapNode)
    measured_play = _build_measured_play(case, node, opening, rules)
    if measured_play.value is None:
        return ReadResult(None, measured_play.diagnostics)
    expected = tuple(read_expected_shares(node, measured_play.value.measures, opening.start.names, findings))
    if findings.collected:
        return ReadResult(None, findings.make_result(None).diagnostics)
    externals = _read_externals(case, opening.start, rules)
    if has_errors(externals.diagnostics):
        return ReadResult(None, externals.diagnostics)
    return ReadResult((measured_play.value, expected, externals.value))


def _read_externals(case: ScenarioCase, start: PlayStart, rules: RulesetLoader) -> ReadResult[ExternalOdds]:
    beside = read_likelihoods_beside(case.file, rules.provider, rules.texts)
    return (
        ReadResult(None, beside.diagnostics)
        if beside.value is None
        else read_external_odds(beside.value, start.executable.program, start.names)
    )


def _compute_case_odds(
    case: ScenarioCase, play: MeasuredPlay, expected: tuple[ExpectedShare, ...], answers: PlayAnswerer
) -> ReadResult[_FollowedOdds]:
    names = play.start.names
    try:
        play_odds = compute_odds(play, answers, MAX_STATES, lambda _: None)
    except CannotBeginError as refused:
        reasons = "; ".join(render_reason(reason, names) or reason.address for reason in refused.reasons)
        return ReadResult(
            _FollowedOdds(
                expected, misses=(UnmetExpectation(ODDS_KEY, "the play begins", f"the start is refused: {reasons}"),)
            )
        )
    except UndefinedConditionError as lacking:
        message = f"{quote_name(lacking.text)} has no value at some end, so it is not known whether that play counts"
        return ReadResult(None, (_odds_error("RW1204", message, "ask for what has a value at every end", case),))
    except (UndecidedError, TooManyOutcomesError) as error:
        wrong = (isinstance(error, UndecidedError) and error.findings) or (_report_unknown_odds(error, case),)
        return ReadResult(None, tuple(place_finding(one, case.script or case.expect.key(ODDS_KEY)) for one in wrong))
    if play_odds.open_share:
        message = f"the odds are not known: {describe_limit_hit(MAX_STATES)}"
        limited = _odds_error("RW0907", message, "say more in the `script:`, or begin later", case)
        return ReadResult(None, (replace(limited, notes=_describe_size(play, answers, play_odds.state_count)),))
    untaken = check_unused_lines(play, answers, play_odds.unused_lines)
    if untaken:
        return ReadResult(None, untaken)
    return ReadResult(_FollowedOdds(expected, play_odds, tuple(_find_endless_plays(play_odds))))


def _describe_size(play: MeasuredPlay, answers: PlayAnswerer, met: int) -> tuple[str, ...]:
    try:
        return tuple(describe_size(estimate_state_space(begin_run(play.start), answers.counting_by_step), met))
    except TooManyOutcomesError:
        return ()


def _build_measured_play(
    case: ScenarioCase, node: MapNode, opening: OpenedCase, rules: RulesetLoader
) -> ReadResult[MeasuredPlay]:
    texts, overlays = [key.text for key, _ in node], [overlay.text for overlay in case.overlays]
    policies = opening.ruled.policies
    loading = policies.load_under_policies if policies.by_question else rules.loader
    result = prepare_measured_play(
        opening.start, texts, case.ruleset, overlays, rules.provider, watching=True, loading=loading
    )
    return ReadResult(result.value, tuple(_place_at_expression(one, case, node) for one in result.diagnostics))


def _place_at_expression(finding: Diagnostic, case: ScenarioCase, node: MapNode) -> Diagnostic:
    notes = " ".join(finding.notes)
    named = next((key for key, _ in node if f"`{key.text}`" in notes), case.expect.key(ODDS_KEY))
    return place_finding(finding, named)


def _report_unknown_odds(error: UndecidedError | TooManyOutcomesError, case: ScenarioCase) -> Diagnostic:
    code, message = explain_unknown_odds(error, decided=bool(default_policy(case.policies)))
    if isinstance(error, UncountableError):
        return _odds_error(code, message, error.help, case)
    if isinstance(error, TooManyOutcomesError):
        scripted = "say in the `script:` what falls"
        return _odds_error(
            code, message, f"{EXPLOSION_LIMIT_HELP}; or {scripted}" if error.is_endless else scripted, case
        )
    script = f"`{make_visible(error.paused.request.address)}: {{always: …}}` in the `script:`"
    if code == "RW1122":
        beside = posixpath.basename(likelihoods_file_beside(case.file))
        remedy = f"say it by {script}, or how likely each answer is in `{beside}`: `{{ANSWER: 2/3, ANSWER: 1/3}}`"
        return _odds_error(code, message, remedy, case)
    return _odds_error(
        code, message, f"write {script}" + ("" if default_policy(case.policies) else ", or a `policy:`"), case
    )


def _odds_error(code: str, message: str, remedy: str, case: ScenarioCase) -> Diagnostic:
    return make_finding(code, case.expect.key(ODDS_KEY), message, remedy)


def _find_endless_plays(odds: PlayOdds) -> Iterator[UnmetExpectation]:
    for distribution in odds.distributions:
        if not distribution.condition_probability:
            yield UnmetExpectation(ODDS_KEY, "some plays that meet the condition", "none", distribution.measure.text)
    for (code, message), likely in odds.faults.items():
        yield UnmetExpectation(
            ODDS_KEY, "every play ends", f"{format_share(likely)} of all plays: {f'{code}: ' * bool(code)}{message}"
        )
    if odds.never_ends:
        yield UnmetExpectation(ODDS_KEY, "every play ends", f"{format_share(odds.never_ends)} of all plays never end")


def _find_odds_misses(expected: tuple[ExpectedShare, ...], odds: PlayOdds) -> Iterator[UnmetExpectation]:
    for number, distribution in enumerate(odds.distributions):
        nothing = distribution.probabilities.get(None, Fraction(0))
        if nothing and not isinstance(distribution.measure.type, OptionalType):
            yield UnmetExpectation(
                ODDS_KEY, "a value", f"none in {format_share(nothing)} of all plays", distribution.measure.text
            )
        for expected_share in expected:
            likely = distribution.probabilities.get(expected_share.value, Fraction(0))
            if expected_share.measure == number and not expected_share.share.low <= likely <= expected_share.share.high:
                yield UnmetExpectation(
                    ODDS_KEY,
                    expected_share.share.written,
                    format_share(likely) + _suggest_rounded_bounds(likely, expected_share.share),
                    expected_share.place,
                )


def _suggest_rounded_bounds(likely: Fraction, share: ShareBounds) -> str:
    if share.low != share.high or abs(likely - share.low) >= _ROUNDING_TOLERANCE:
        return ""
    low = floor(likely / _ROUNDING_STEP) * _ROUNDING_STEP
    bounds = " to ".join(f"{float(item * 100):.2f} %" for item in (low, min(Fraction(1), low + _ROUNDING_STEP)))
    bounds = str(likely) if likely.denominator <= _MAX_SUGGESTED_DENOMINATOR else bounds
    return f", not exactly {share.written}: write `{bounds}`, or use `--accept`"
