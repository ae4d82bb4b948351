"""How likely a play is to end as a case expects, by following every way that chance can go; what would be right."""

import posixpath
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import floor

from rulewright.codecs.table import fraction_text
from rulewright.diagnostics import Diagnostic, has_errors
from rulewright.diagnostics.terminal import visible
from rulewright.drivers.session import Begun
from rulewright.frozen import dataclass
from rulewright.inputs.findings import Findings, Read, finding, quoted
from rulewright.inputs.nodes import Json, Mapping, Node
from rulewright.inputs.policies import everyone
from rulewright.machine.outcomes import TooManyOutcomesError
from rulewright.odds.answering import Answers
from rulewright.odds.conditions import NoConditionError
from rulewright.odds.counting import UncountedError
from rulewright.odds.elsewhere import Elsewhere, likelihoods_beside, place_beside, policies_said, read_elsewhere
from rulewright.odds.exploration import UndecidedError
from rulewright.odds.measures import PlayToMeasure, play_to_measure
from rulewright.odds.odds import LIMIT_EXPLOSIONS, CannotBeginError, Odds, left_over, odds, started, unknown
from rulewright.odds.size import MOST_MOMENTS, size_of
from rulewright.odds.size_words import beyond, whole_size
from rulewright.program.types import OptionalType
from rulewright.scenarios.expectations.proposals import NothingFitsError, plain
from rulewright.scenarios.expectations.shapes import ODDS
from rulewright.scenarios.expectations.shares import Expected, Share, expected_shares, share_in
from rulewright.scenarios.opening import OpenedCase, Rules, opening as opened, placed
from rulewright.scenarios.suite import Case, Miss
from rulewright.telling.happenings import reason

_LONGEST = 10**6
_ROUNDED = Fraction(1, 10_000)
"""Shares that differ by less look equal where they are rounded."""
_SHORT = 1000
_STEP = Fraction(1, 10_000)


@dataclass(frozen=True, slots=True)
class _Followed:
    """What a case expects, and what its play comes to."""

    expected: tuple[Expected, ...]  # in order
    odds: Odds | None = None  # of the play; none where it is refused
    misses: tuple[Miss, ...] = ()  # that it does not begin, or does not always end


def judged_odds(case: Case, opening: OpenedCase, rules: Rules) -> Read[tuple[Miss, ...]]:
    """The shares that are otherwise than a case expects, in order; after plays that do not all end these alone.

    Reports what `play_to_measure`, `expected_shares` and reading likelihoods do; RW0907 (more moments than are
    followed), RW1121 to RW1123 (nobody decides, no rule gives the result of it, too many outcomes), RW1204 (a
    condition has no value) and what does not fit of the script.
    """
    found = _followed(case, opening, rules)
    if found.value is None:
        return Read(None, found.diagnostics)
    expected, told, misses = found.value.expected, found.value.odds, found.value.misses
    return Read(misses if misses or told is None else tuple(_misses(expected, told)))


def proposed_odds(case: Case, opening: OpenedCase, rules: Rules) -> Json:
    """What a case would have to expect: its shares that hold as they are, and exact ones in place of the others.

    Raises:
        NothingFitsError: there is none.
    """
    found, node = _followed(case, opening, rules).value, case.expect.get(ODDS)
    assert isinstance(node, Mapping)
    if found is None or found.odds is None or found.misses:
        raise NothingFitsError("not every play begins and ends")
    expected, told = iter(found.expected), found.odds
    return {
        key.text: {each.text: _fitting(next(expected), share, told) for each, share in asked}
        if isinstance(asked, Mapping)
        else _fitting(next(expected), asked, told)
        for key, asked in node
    }


def _fitting(expected: Expected, written: Node, found: Odds) -> Json:
    """A share as it is written, where it holds; else the exact one."""
    likely = found.distributions[expected.measure].likely.get(expected.value, Fraction(0))
    if expected.share.low <= likely <= expected.share.high:
        return plain(written)
    if likely.denominator == 1:
        return int(likely)
    if share_in(fraction_text(likely)) is None:
        raise NothingFitsError("its fraction is too long to be written")
    return fraction_text(likely)


def _followed(case: Case, opening: OpenedCase, rules: Rules) -> Read[_Followed]:
    """What a case expects of all ways that its play can go, and what they come to; reports as `judged_odds`."""
    whole = _with_policies_beside(case, opening, rules)
    if whole.value is None:
        return Read(None, whole.diagnostics)
    case, opening = whole.value
    said = _said(case, opening, rules)
    if said.value is None:
        return Read(None, said.diagnostics)
    play, expected, elsewhere = said.value
    decided = opening.deciding
    answers = Answers(
        opening.begun.names, opening.script, decided.everyone, elsewhere, decided.players, watched=play.watched
    )
    return _of_all(case, play.heard_by(opening.script), expected, answers)


def foreseen_odds(case: Case, opening: OpenedCase, rules: Rules) -> tuple[Diagnostic, ...]:
    """What is wrong with the odds that a case expects, as far as that is known before its play is followed."""
    whole = _with_policies_beside(case, opening, rules)
    return whole.diagnostics if whole.value is None else _said(*whole.value, rules).diagnostics


def _with_policies_beside(case: Case, opening: OpenedCase, rules: Rules) -> Read[tuple[Case, OpenedCase]]:
    """The case with the policies that stand in the file of likelihoods beside it, which count after its own."""
    beside = likelihoods_beside(case.file, rules.provider, rules.texts)
    policies = policies_said(beside.value)
    if policies.value is None or not policies.value:
        return Read((case, opening) if policies.value is not None else None, policies.diagnostics)
    whole = replace(case, policies=(*case.policies, *policies.value))
    found = opened(whole, rules, opening.begun.limits)
    return Read(None if found.value is None else (whole, found.value), found.diagnostics)


_Said = tuple[PlayToMeasure, tuple[Expected, ...], Elsewhere | None]


def _said(case: Case, opening: OpenedCase, rules: Rules) -> Read[_Said]:
    """The play with what is asked of it, what is expected of that, and what externals come to."""
    node, findings = case.expect.get(ODDS), Findings()
    assert isinstance(node, Mapping)
    asked = _asked(case, node, opening, rules)
    if asked.value is None:
        return Read(None, asked.diagnostics)
    expected = tuple(expected_shares(node, asked.value.measures, opening.begun.names, findings))
    if findings.found:
        return Read(None, findings.read(None).diagnostics)
    elsewhere = _elsewhere(case, opening.begun, rules)
    if has_errors(elsewhere.diagnostics):
        return Read(None, elsewhere.diagnostics)
    return Read((asked.value, expected, elsewhere.value))


def _elsewhere(case: Case, begun: Begun, rules: Rules) -> Read[Elsewhere]:
    """What externals come to, as the file of likelihoods beside the scenario says it; none where there is none."""
    beside = likelihoods_beside(case.file, rules.provider, rules.texts)
    return (
        Read(None, beside.diagnostics)
        if beside.value is None
        else read_elsewhere(beside.value, begun.executable.program, begun.names)
    )


def _of_all(case: Case, play: PlayToMeasure, expected: tuple[Expected, ...], answers: Answers) -> Read[_Followed]:
    """All ways that a play can go, or why they cannot be known."""
    names = play.begun.names
    try:
        found = odds(play, answers, MOST_MOMENTS, lambda _: None)
    except CannotBeginError as refused:
        told = "; ".join(reason(each, names) or each.address for each in refused.reasons)
        return Read(_Followed(expected, misses=(Miss(ODDS, "the play begins", f"the start is refused: {told}"),)))
    except NoConditionError as lacking:
        message = f"{quoted(lacking.text)} has no value at some end, so it is not known whether that play counts"
        return Read(None, (_error("RW1204", message, "ask for what has a value at every end", case),))
    except (UndecidedError, TooManyOutcomesError) as error:
        wrong = (isinstance(error, UndecidedError) and error.wrong) or (_unknown(error, case),)
        return Read(None, tuple(placed(each, case.script or case.expect.key(ODDS)) for each in wrong))
    if found.open:
        message = f"the odds are not known: {beyond(MOST_MOMENTS)}"
        limited = _error("RW0907", message, "say more in the `script:`, or begin later", case)
        return Read(None, (replace(limited, notes=_size(play, answers, found.moments)),))
    untaken = left_over(play, answers, found.left)
    if untaken:
        return Read(None, untaken)
    return Read(_Followed(expected, found, tuple(_endless(found))))


def _size(play: PlayToMeasure, answers: Answers, met: int) -> tuple[str, ...]:
    """How large a question is of which so many moments were met, in the words of `odds`."""
    try:
        return tuple(whole_size(size_of(started(play.begun), answers.each_step), met))
    except TooManyOutcomesError:
        return ()


def _asked(case: Case, node: Mapping, opening: OpenedCase, rules: Rules) -> Read[PlayToMeasure]:
    """The play with the expressions of a case, or what is wrong with them, told where they stand."""
    texts, overlays = [key.text for key, _ in node], [each.text for each in case.overlays]
    laid = opening.ruled.policies
    loading = laid.load if laid.laid else rules.loader
    found = play_to_measure(
        opening.begun, texts, case.ruleset, overlays, rules.provider, watching=True, loading=loading
    )
    return Read(found.value, tuple(_at_expression(each, case, node) for each in found.diagnostics))


def _at_expression(found: Diagnostic, case: Case, node: Mapping) -> Diagnostic:
    told = " ".join(found.notes)
    named = next((key for key, _ in node if f"`{key.text}`" in told), case.expect.key(ODDS))
    return placed(found, named)


def _unknown(error: UndecidedError | TooManyOutcomesError, case: Case) -> Diagnostic:
    """RW1121 to RW1123, at what is expected."""
    code, message = unknown(error, decided=bool(everyone(case.policies)))
    if isinstance(error, UncountedError):
        return _error(code, message, error.help, case)
    if isinstance(error, TooManyOutcomesError):
        scripted = "say in the `script:` what falls"
        return _error(code, message, f"{LIMIT_EXPLOSIONS}; or {scripted}" if error.is_endless else scripted, case)
    script = f"`{visible(error.paused.request.address)}: {{always: …}}` in the `script:`"
    if code == "RW1122":
        beside = posixpath.basename(place_beside(case.file))
        remedy = f"say it by {script}, or how likely each answer is in `{beside}`: `{{ANSWER: 2/3, ANSWER: 1/3}}`"
        return _error(code, message, remedy, case)
    return _error(code, message, f"write {script}" + ("" if everyone(case.policies) else ", or a `policy:`"), case)


def _error(code: str, message: str, remedy: str, case: Case) -> Diagnostic:
    return finding(code, case.expect.key(ODDS), message, remedy)


def _endless(found: Odds) -> Iterator[Miss]:
    """Plays that cannot be carried on, or go on for ever; and that none is of those that are asked of."""
    for each in found.distributions:
        if not each.given:
            yield Miss(ODDS, "some plays that meet the condition", "none", each.measure.text)
    for (code, message), likely in found.faults.items():
        yield Miss(ODDS, "every play ends", f"{_exactly(likely)} of all plays: {f'{code}: ' * bool(code)}{message}")
    if found.never:
        yield Miss(ODDS, "every play ends", f"{_exactly(found.never)} of all plays never end")


def _misses(expected: tuple[Expected, ...], found: Odds) -> Iterator[Miss]:
    for number, told in enumerate(found.distributions):
        nothing = told.likely.get(None, Fraction(0))
        if nothing and not isinstance(told.measure.type, OptionalType):
            yield Miss(ODDS, "a value", f"none in {_exactly(nothing)} of all plays", told.measure.text)
        for each in expected:
            likely = told.likely.get(each.value, Fraction(0))
            if each.measure == number and not each.share.low <= likely <= each.share.high:
                yield Miss(ODDS, each.share.written, _exactly(likely) + _nearly(likely, each.share), each.place)


def _nearly(likely: Fraction, share: Share) -> str:
    """What to write where a share without bounds is rounded from the one that was found; else nothing."""
    if share.low != share.high or abs(likely - share.low) >= _ROUNDED:
        return ""
    low = floor(likely / _STEP) * _STEP
    told = " to ".join(f"{float(each * 100):.2f} %" for each in (low, min(Fraction(1), low + _STEP)))
    told = str(likely) if likely.denominator <= _SHORT else told
    return f", not exactly {share.written}: write `{told}`, or use `--accept`"


def _exactly(likely: Fraction) -> str:
    """A share as a fraction and about as a percentage; without a fraction that is too long to be read."""
    if likely.denominator == 1:
        return fraction_text(likely)
    about = f"{float(likely * 100):.6g} %"
    return f"{likely} ({about})" if likely.denominator <= _LONGEST else f"about {about}"
