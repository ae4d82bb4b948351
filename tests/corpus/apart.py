"""Judges that know nothing of `diff`: whether two texts play alike, by scenarios or by the reference interpreter.

What counts is what is asked, of whom, what may be answered, which dice are thrown, faults, results and the state at the
end. Addresses, ids and titles do not count.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, permutations
from math import inf
from random import Random
from time import process_time
from types import SimpleNamespace
from typing import Any

from rulewright import api
from rulewright.documents.answers import answer_type, item_type
from rulewright.documents.document_nodes import DocumentNode, Json, ListNode, MapNode, ScalarNode
from rulewright.documents.name_table import NameTable
from rulewright.documents.state_generation import make_state, parse_situation
from rulewright.documents.value_sampling import NoValueError, SeededChoices, SizeRanges
from rulewright.play.session import run_to_end
from rulewright.program.declarations import Procedure, Program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.request import Request
from rulewright.runtime.state import Situation, evaluate_start_value
from rulewright.runtime.type_codecs import value_to_json
from rulewright.scenarios.case_opening import CompiledRuleset, open_case_under
from rulewright.scenarios.suite import ScenarioCase
from support.judge_comparison import JudgedPlaying, describe_game, draw_value
from support.reference.judge_requests import JudgeRequest
from support.reference.play import JudgedPlay, play_with_judge
from support.reference.world import UnsupportedByJudge

SIZES = SizeRanges()
_UNSAID = frozenset({"title", "description", "$id", "examples"})
_LIMITS = RunLimits(work=200_000)
_TRIED = 100


@dataclass(frozen=True)
class Staged:
    """A scenario as data: where it begins, as far as it says, and the answers of its plays under the old rules."""

    name: str
    procedure: str
    state: dict[str, Json]
    roles: dict[str, Json]
    plays: tuple[tuple[Json, ...], ...]


def staged(case: ScenarioCase, ruleset: api.Ruleset) -> Staged | None:
    """A scenario with the answers it gives; none where it does not begin."""
    begun = open_case_under(
        case, CompiledRuleset(ruleset.executable, frozenset(each.text for each in case.covers)), RunLimits()
    ).value
    if begun is None:
        return None
    plays = []
    for number in range(case.plays):
        session = run_to_end(begun.start, begun.make_sources(case, number)).session
        plays.append(tuple(answer for _, _, answer in session.list_answers()))
    state, settings = plain(case.state), plain(case.settings)
    assert isinstance(state, dict)
    if isinstance(settings, dict):
        written = state.get("settings")
        state = {**state, "settings": {**(written if isinstance(written, dict) else {}), **settings}}
    roles = plain(case.roles)
    assert isinstance(roles, dict)
    return Staged(case.name, begun.start.procedure.name, state, roles, tuple(plays))


def plain(node: DocumentNode | None) -> Json:
    """The data of a node."""
    match node:
        case MapNode():
            return {key.text: plain(each) for key, each in node}
        case ListNode(items=items):
            return [plain(each) for each in items]
        case ScalarNode(value=value):
            return float(value) if value is not None and not isinstance(value, int | str | bool) else value
        case _:
            return None


def parting(scenario: Staged, old: api.Ruleset, new: api.Ruleset) -> str:
    """Where a scenario goes otherwise under the new rules, in a few words; empty where it does not."""
    for answers in scenario.plays:
        first, second = (_begun(scenario, each) for each in (old, new))
        if first is None or second is None:
            return "" if first is second else "one cannot begin"
        for number, answer in enumerate(answers):
            if stands(first) != stands(second):
                return f"after {number} answers"
            if first.request is None:  # both have ended, perhaps at a limit of work that the scenario does not have
                break
            try:
                first = first.answered(answer)
            except api.WrongInputError:
                break
            try:
                second = second.answered(answer)
            except api.WrongInputError:
                return f"answer {number + 1} is refused"
        if stands(first) != stands(second):
            return f"after {len(answers)} answers"
    return ""


def _begun(scenario: Staged, ruleset: api.Ruleset) -> api.Play | None:
    try:
        return api.start(ruleset, scenario.procedure, scenario.state, scenario.roles, limits=_LIMITS)
    except api.WrongInputError:
        return None


def stands(play: api.Play) -> object:
    """Where a play stands, without names of lines: what is asked, what may be answered, who sees it; or its end."""
    request = play.request
    if request is not None:
        begun = play._session.start  # noqa: SLF001 - values of a request are named by what the play began with
        given = [value_to_json(value, type_, begun.names) for value, type_ in request.arguments.values()]
        about = request.name if request.sort in {"handler", "external", "value"} else ""
        watching = [*begun.names.ids_of_kind("player"), None]
        unseen = [each for each in watching if getattr(play.seen_by(each).request, "closed", False)]
        asked = request.sort, request.player, request.low, request.high, request.claimable
        secrets = _count_secrets(play)
        return asked, about, given, unseen, secrets, _said(play.request_schema), _allowed(play, request, begun.names)
    left = {name: each for name, each in play.state.items() if name != "settings"}
    return play.ended, bool(play.reasons), play.fault.code if play.fault else "", play.result, left


def _count_secrets(play: api.Play) -> int:
    """How many answers wait to be revealed."""
    hidden: set[str] = set()
    for entries, _ in play._session.entry_parts:  # noqa: SLF001 - a record of the play says it
        for name, is_hidden in getattr(entries, "secret_answers", ()):
            (hidden.add if is_hidden else hidden.discard)(name)
    return len(hidden)


def _allowed(play: api.Play, request: Request, names: NameTable) -> list[str]:
    """Of picks, splits and orders the first answers that rows allow; of a draw or shuffle what it takes from."""
    if not request.items:
        return []
    kind = item_type(answer_type(request))
    items = [value_to_json(each, kind, names) for each in request.items]
    match request.sort:
        case "pick":
            tried = (list(each) for size in range(request.low, request.high + 1) for each in combinations(items, size))
        case "order":
            tried = (list(each) for each in permutations(items))
        case "split":
            tried = (list(map(list, zip(items, each, strict=True))) for each in _shares(request.high, len(items)))
        case _:
            return sorted(map(repr, items))
    return sorted(repr(each) for each in islice(tried, _TRIED) if _taken(play, each))


def _shares(number: int, among: int) -> Iterator[tuple[int, ...]]:
    """All ways to deal out a number."""
    if among == 1:
        yield (number,)
        return
    for first in range(number + 1):
        for rest in _shares(number - first, among - 1):
            yield first, *rest


def _taken(play: api.Play, answer: Json) -> bool:
    try:
        play.answered(answer)
    except api.WrongInputError:
        return False
    return True


def _said(schema: Any) -> Any:
    """A schema without titles; what may be chosen in the order of its text."""
    match schema:
        case dict():
            return {key: _said(each) for key, each in sorted(schema.items()) if key not in _UNSAID}
        case list():
            return sorted((_said(each) for each in schema), key=repr)
        case _:
            return schema


def brute(
    old: Program,
    new: Program,
    written: Sequence[dict[str, Json]],
    plays: int,
    seed: int = 0,
    seconds: float = inf,
) -> str:
    """How the reference interpreter parts two programs in so many random plays; empty where it does not.

    Plays begin in the written states and in made ones, of few players and of some; arguments with a default are given
    in one play and left out in another. After so many seconds of the processor no other play is begun.
    """
    draw, until = Random(seed), process_time() + seconds
    begun = ({name for name, each in one.procedures.items() if not each.inner} for one in (old, new))
    shared = sorted(set.intersection(*begun))
    if not shared:
        return ""
    for number, state in zip(range(plays), _states(old, written, seed), strict=False):
        found = _played_apart(old, new, shared[number % len(shared)], state, draw)
        if found:
            return f"play {number + 1}: {found}"
        if process_time() > until:
            break
    return ""


def _states(program: Program, written: Sequence[dict[str, Json]], seed: int) -> Iterator[dict[str, Json]]:
    chooser, number = SeededChoices(seed), 0
    while True:
        number += 1
        if written and number % 3 == 0:
            yield written[number // 3 % len(written)]
            continue
        try:
            yield make_state(program, SIZES, chooser)
        except NoValueError:
            yield {}


def _played_apart(old: Program, new: Program, name: str, state: dict[str, Json], draw: Random) -> str:
    situations = parse_situation(state, old), parse_situation(state, new)
    if situations[0] is None or situations[1] is None:
        return "" if situations[0] is situations[1] else "one cannot read a state"
    called = _arguments(old.procedures[name], new.procedures[name], old, situations[0], draw)
    if isinstance(called, str):
        return called
    given: list[tuple[JudgeRequest, Any]] = []
    giving = JudgedPlaying(SimpleNamespace(program=old), situations[0], draw, None)  # type: ignore[arg-type]

    def answered(asked: JudgeRequest) -> Any:
        given.append((asked, _answer(asked, giving, draw)))
        return given[-1][1]

    try:
        first = play_with_judge(old, situations[0], name, called[0], answered)
        second = play_with_judge(new, situations[1], name, called[1], _Following(given).answer)
    except (UnsupportedByJudge, NotImplementedError, RecursionError, _Stuck):
        return ""
    except _Parted as parted:
        return str(parted)
    return _ends(first, second, old, new, len(given))


def _ends(first: JudgedPlay, second: JudgedPlay, old: Program, new: Program, asked: int) -> str:
    if len(second.asked) < asked:
        return "fewer questions"
    if first.how != second.how:
        return f"{first.how} and {second.how}"
    if first.how == "refused":
        return ""
    if first.result != second.result:
        return "another result"
    return "" if describe_game(first.game, old) == describe_game(second.game, new) else "another end"


class _Parted(Exception):
    """The second play asks something else."""


class _Stuck(Exception):
    """A question has no answer that can be drawn."""


class _Following:
    def __init__(self, given: Sequence[tuple[JudgeRequest, Any]]) -> None:
        self._left = iter(given)

    def answer(self, asked: JudgeRequest) -> Any:
        """The answer of the first play."""
        before, answer = next(self._left, (None, None))
        if before is None or _asks(before) != _asks(asked):
            raise _Parted("another question" if before else "one question more")
        if asked.allows is not None and answer is not None and not asked.allows(answer):
            raise _Parted("an answer is refused")
        return answer


def _asks(asked: JudgeRequest) -> object:
    legal = None if asked.legal is None or asked.sort == "choose" else frozenset(map(repr, asked.legal))
    number = len(asked.legal or ())
    return (
        asked.sort,
        asked.player,
        legal,
        number,
        sorted(map(repr, asked.items)),
        asked.faces,
        asked.name,
        asked.arguments,
    )


def _answer(asked: JudgeRequest, giving: JudgedPlaying, draw: Random) -> Any:
    if asked.allows is not None:
        assert asked.tried is not None
        found = [each for each in asked.tried() if asked.allows(each)][:40]
        if not found and not asked.claimable:
            raise _Stuck
        return draw.choice(found) if found else None
    if asked.legal == ():
        raise _Stuck
    return giving._choose_answer(asked)  # noqa: SLF001 - draws as the other tests of the reference interpreter do


def _arguments(
    old: Procedure, new: Procedure, program: Program, situation: Situation, draw: Random
) -> tuple[tuple[Any, ...], tuple[Any, ...]] | str:
    """Arguments of both by name; of one with a default sometimes each its own."""
    known = {each.name: default for each, default in zip(new.parameters, new.defaults, strict=True)}
    if [each.name for each in old.parameters] != list(known):
        return "other parameters"
    first, second = [], []
    for each, default in zip(old.parameters, old.defaults, strict=True):
        if default is not None and draw.random() < 0.5:
            other = known[each.name]
            if other is None:
                return "an argument is needed"
            first.append(evaluate_start_value(default, each.type))
            second.append(evaluate_start_value(other, each.type))
            continue
        try:
            first.append(draw_value(each.type, program, situation.base.things, draw))
        except (NotImplementedError, ValueError):
            return ""
        second.append(first[-1])
    return tuple(first), tuple(second)
