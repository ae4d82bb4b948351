"""Explanations of plays as text and JSON: causes of a value, and what would have made it another."""

from collections.abc import Iterator, Mapping, Sequence
from textwrap import dedent, indent
from typing import Any

from rulewright.base.diagnostics import PLAIN_PAINTER, Painter, make_visible
from rulewright.documents.name_table import NameTable
from rulewright.explain.alternatives import MAX_TRIED_ANSWERS, AnswerChange, PlayChange, RequestKey, StartChange
from rulewright.explain.counterfactual_search import MAX_CHANGES, SearchResult
from rulewright.explain.dynamic_slice import DynamicSlice
from rulewright.explain.explained_subjects import NO_VALUE
from rulewright.explain.explanation import CounterfactualReport, PlayExplanation, ReplayedPlay, render_causes
from rulewright.play.session import AnsweredTurn, Session
from rulewright.play.turn_rendering import punctuate_prompt, render_question, show_answer
from rulewright.program.types import Type
from rulewright.runtime.request import Request
from rulewright.runtime.type_codecs import format_value
from rulewright.runtime.values import Value
from rulewright.wording.english import make_possessive, speak_name
from rulewright.wording.entry_rendering import last_address_part, show_player

_MAX_NEW_STORY_LINES = 8
"""Limit of shown events that only the changed play has."""


_CHANGE_NOUNS = {1: ("single change", "single changes"), 2: ("pair of changes", "pairs of changes")}


def render_explanations(
    explanations: Sequence[PlayExplanation], not_: str | None, paint: Painter, most: int
) -> Iterator[str]:
    """Text of all explanations."""
    for number, play_explanation in enumerate(explanations):
        yield from [""] if number else []
        yield _render_subject(play_explanation, paint)
        why = [*render_causes(play_explanation.session, play_explanation.cause_positions, paint)]
        yield from (f"  {line}" for line in why)
        if play_explanation.counterfactuals is not None:
            yield ""
            yield from _render_counterfactuals(play_explanation, play_explanation.counterfactuals, why, paint)
            yield from _render_no_change(play_explanation, play_explanation.counterfactuals, not_, most)


def _render_subject(explanation: PlayExplanation, paint: Painter) -> str:
    what = paint(make_visible(explanation.subject.text), "strong")
    if explanation.value is NO_VALUE:
        return f"{what} has no value where the play stands"
    if explanation.before is NO_VALUE:
        return f"{what}: {_format_subject_value(explanation, explanation.value)}"
    was = (
        "as at the start"
        if explanation.before == explanation.value
        else f"at the start {_format_subject_value(explanation, explanation.before)}"
    )
    return f"{what}: {_format_subject_value(explanation, explanation.value)}, {was}"


def _format_subject_value(explanation: PlayExplanation, value: object) -> str:
    return explanation.subject.format_value(value, explanation.session.start.names)


def _describe_supposed_value(explanation: PlayExplanation, value: object) -> str:
    """`would be 3`; of a step `would never be reached`."""
    shown = _format_subject_value(explanation, value)
    first, _, rest = shown.partition(" ")
    return f"would never be {rest}" if first == "never" else f"would be {shown}"


# What would have been.


def _render_counterfactuals(
    explanation: PlayExplanation, otherwise: CounterfactualReport, why: Sequence[str], paint: Painter
) -> Iterator[str]:
    names, searched = explanation.session.start.names, otherwise.search_result
    for number, (replayed, value) in enumerate(otherwise.replays):
        supposing = ", and ".join(_describe_suppositions(replayed, otherwise, names))
        what = (
            "it"
            if number
            else "the result"
            if explanation.subject.text == "result"
            else make_visible(explanation.subject.text)
        )
        would = f"{'or ' if number else ''}{supposing}, {what} {_describe_supposed_value(explanation, value)}"
        yield paint(would + _new_answers_hint(replayed, otherwise), "good")
        yield from _render_new_answers(replayed, otherwise, names)
        if not number:
            yield from _render_new_events(replayed, explanation, why, paint)
    if omitted_count := len(searched.counterfactuals) - len(otherwise.replays):
        one, more = _CHANGE_NOUNS[len(searched.counterfactuals[0].changes)]
        yield f"1 other {one} does it too" if omitted_count == 1 else f"{omitted_count} other {more} do it too"
    if searched.counterfactuals and searched.unanswered_plays:
        yield from _render_unanswered(searched)


def _describe_suppositions(replayed: ReplayedPlay, otherwise: CounterfactualReport, names: NameTable) -> Iterator[str]:
    for change in replayed.counterfactual.changes:
        is_new = isinstance(change, AnswerChange) and change.request_key not in otherwise.course.recorded_answers
        yield describe_change(change, replayed.turns, names, is_new=is_new)


def _new_answers_hint(replayed: ReplayedPlay, otherwise: CounterfactualReport) -> str:
    """Hint that the changed play has questions, and thus answers, that the play did not have."""
    sorts = [turn.request.sort for turn in replayed.new_turns(otherwise.course)]
    if not sorts:
        return ""
    return " with the dice below" if all(sort == "roll" for sort in sorts) else " with the answers below"


def _render_new_answers(replayed: ReplayedPlay, otherwise: CounterfactualReport, names: NameTable) -> Iterator[str]:
    for turn in replayed.new_turns(otherwise.course):
        answer_text = show_answer(turn.request, turn.answer.value, names)
        yield f"  asked then: {show_player(turn.request.player, names)}: {render_question(turn.request, names)} {answer_text}"


def _render_new_events(
    replayed: ReplayedPlay, explanation: PlayExplanation, why: Sequence[str], paint: Painter
) -> Iterator[str]:
    """Causes of the value that only the changed play has."""
    known = {item.strip() for item in why}
    causes = explanation.subject.trace_causes(DynamicSlice(replayed.session))
    new = [line for line in render_causes(replayed.session, causes, paint) if line.strip() not in known]
    yield from indent(dedent("\n".join(new[:_MAX_NEW_STORY_LINES])), "  ").splitlines()
    if len(new) > _MAX_NEW_STORY_LINES:
        yield f"  and {len(new) - _MAX_NEW_STORY_LINES} more lines"


def _render_no_change(
    explanation: PlayExplanation, otherwise: CounterfactualReport, not_: str | None, most: int
) -> Iterator[str]:
    searched = otherwise.search_result
    if searched.counterfactuals:
        return
    other = (
        f"something other than {_format_subject_value(explanation, explanation.value)}"
        if not_ is None
        else make_visible(not_)
    )
    what = f"makes `{make_visible(explanation.subject.text)}` {other}"
    if searched.is_sure:
        aside = ", its own start aside" if otherwise.is_own_start_fixed else ""
        if not searched.play_count:
            yield f"nothing that is performed changes `{make_visible(explanation.subject.text)}`, so no change of up to two {what}"
            return
        yield f"no change of up to two {what}{aside}: {searched.play_count:,} changed plays were tried"
    elif searched.change_count == MAX_CHANGES and not searched.is_cut:
        tried = f"{searched.play_count:,} changed plays were tried"
        yield f"no change of up to two {what} in a play that ends: {tried}"
        yield from _render_unanswered(searched)
    else:
        yield f"no change was found that {what}, but not everything was tried:"
        yield from (f"  {item}" for item in _render_untried(searched, most))


def _render_untried(searched: SearchResult, most: int) -> Iterator[str]:
    """Changes that were not tried, and the options that try them."""
    if searched.change_count == 0:
        yield f"the search was given up after {most:,} changed plays, before every single change was tried"
    elif searched.change_count == 1:
        steps = (
            f", and no two do that lie within {searched.max_distance} steps together" if searched.max_distance else ""
        )
        yield f"the search was given up after {most:,} changed plays; no single change does it{steps}"
    if searched.change_count < 2:  # noqa: PLR2004 - changes at once
        yield "`--most N` goes through more of them"
    yield from _render_unanswered(searched)
    if searched.is_cut:
        yield f"of questions with more than {MAX_TRIED_ANSWERS} answers the first are tried"


def _render_unanswered(searched: SearchResult) -> Iterator[str]:
    """Changed plays that stopped at unanswered questions, and how a script answers them."""
    for (line, question), plays in sorted(searched.unanswered_counts.items(), key=lambda item: -item[1]):
        several = "1 changed play stops" if plays == 1 else f"{plays:,} changed plays stop"
        yield (
            f"{several} at “{make_visible(question)}”, which has no answer there; a script can give one "
            f"with `{make_visible(line)}: {{always: …}}`"
        )


# Data.


def explanations_to_json(explanations: Sequence[PlayExplanation], session: Session, most: int) -> dict[str, Any]:
    """JSON document of all explanations."""
    return {
        "version": 1,
        "ruleset": session.start.executable.program.name,
        "procedure": session.start.procedure.name,
        "most": most,
        "asked": [_explanation_json(play_explanation) for play_explanation in explanations],
    }


def _explanation_json(explanation: PlayExplanation) -> dict[str, Any]:
    otherwise = explanation.counterfactuals
    return {
        "of": explanation.subject.text,
        "value": _subject_value_json(explanation, explanation.value),
        "start": _subject_value_json(explanation, explanation.before),
        "why": [*render_causes(explanation.session, explanation.cause_positions, PLAIN_PAINTER)],
        "flips": []
        if otherwise is None
        else [_counterfactual_json(replay, explanation, otherwise) for replay in otherwise.replays],
        "searched": None if otherwise is None else _search_json(otherwise.search_result),
    }


def _search_json(searched: SearchResult) -> dict[str, Any]:
    return {
        "plays": searched.play_count,
        "changes": searched.change_count,
        "flips": len(searched.counterfactuals),
        "open": searched.unanswered_plays,
        "unanswered": [
            {"line": line, "question": question, "plays": plays}
            for (line, question), plays in searched.unanswered_counts.items()
        ],
        "cut": searched.is_cut,
        "sure": searched.is_sure,
    }


def _counterfactual_json(
    changed: tuple[ReplayedPlay, object], explanation: PlayExplanation, otherwise: CounterfactualReport
) -> dict[str, Any]:
    (replayed, value), names = changed, explanation.session.start.names
    return {
        "changes": [*_describe_suppositions(replayed, otherwise, names)],
        "steps": replayed.counterfactual.distance,
        "value": _subject_value_json(explanation, value),
        "then": [line.strip() for line in _render_new_answers(replayed, otherwise, names)],
    }


def _subject_value_json(explanation: PlayExplanation, value: object) -> Any:
    return explanation.subject.value_to_json(value, explanation.session.start.names)


def describe_change(
    change: PlayChange, turns: Mapping[RequestKey, AnsweredTurn], names: NameTable, *, is_new: bool
) -> str:
    """A change in words: had a die shown 5, not 2; of a new question only its answer."""
    if isinstance(change, StartChange):
        return _describe_start_change(change, names)
    request = turns[change.request_key].request
    new_answer, old_answer = _changed_answers(change, request, names)
    answers = f"{new_answer} then" if is_new else f"{new_answer}, not {old_answer}"
    who, which = show_player(request.player, names), _describe_occasion(change.request_key, turns, names)
    match request.sort:
        case "roll":
            return f"had {_describe_die(request, names)}{which} shown {answers}"
        case "draw":
            return f"had {who} drawn {answers}{which}"
        case "shuffle":
            return f"had `{_address_name(request, 'shuffle.')}`{which} been shuffled to {answers}"
        case "external" | "value":
            called = make_visible(request.prompt or request.name)
            return f"had “{called}”{which} been {_changed_part(change, request, names)}{answers}"
        case _:
            return f"had {who} answered {_describe_request(request)}{which} with {answers}"


_ORDINALS = ("first", "second", "third", "fourth", "fifth")


def _describe_occasion(occasion: RequestKey, turns: Mapping[RequestKey, AnsweredTurn], names: NameTable) -> str:
    """` (target anvil, the second time)`: which request of a line or external is meant; empty for the only one."""
    request = turns[occasion].request
    alike = {
        key: turn.request for key, turn in turns.items() if _request_subject(turn.request) == _request_subject(request)
    }
    given = _occasion_things(request)
    same = [key for key, other in alike.items() if _occasion_things(other) == given]
    parts = [f"{speak_name(name)} {format_value(value, type_, names)}".strip() for name, value, type_ in given]
    which = parts if len(same) < len(alike) else []
    if len(same) > 1:
        number = same.index(occasion)
        which.append(f"the {_ORDINALS[number]} time" if number < len(_ORDINALS) else f"time {number + 1}")
    return f" ({', '.join(which)})" if which else ""


def _request_subject(request: Request) -> tuple[str, str]:
    is_elsewhere = request.sort in {"external", "value"}
    return request.sort, request.name if is_elsewhere else request.address


def _occasion_things(request: Request) -> list[tuple[str, Value, Type]]:
    """Arguments of an external, or members at which the loops around a line are."""
    given = [(name, value, type_) for name, (value, type_) in request.arguments.items()]
    return [*given, *(("", value, type_) for value, type_ in request.members)]


def _describe_start_change(change: StartChange, names: NameTable) -> str:
    owner, _, name = change.stored_place.rpartition("/")
    called = (
        speak_name(name)
        if change.key is None
        else f"{make_possessive(make_visible(names.thing_id(owner, change.key)))} {speak_name(name)}"
    )
    after, before = (format_value(item, change.type, names) for item in (change.after, change.before))
    return f"had {called} been {after} at the start, not {before}"


def _changed_answers(change: AnswerChange, request: Request, names: NameTable) -> tuple[str, str]:
    """Answer of the changed play, and of the play."""
    type_ = None
    if request.sort == "roll":
        type_ = [die.face for die in request.dice for _ in range(die.count)][change.slot or 0]
    elif request.sort == "external":
        type_ = request.type
        if change.slot is not None:
            type_ = names.program.records[str(type_)].parts[change.slot].type
    if type_ is None:
        return show_answer(request, change.after, names), show_answer(request, change.before, names)
    return format_value(change.after, type_, names), format_value(change.before, type_, names)


def _describe_die(request: Request, names: NameTable) -> str:
    """`one die of blue's roll …`."""
    again = last_address_part(request.address).startswith("reroll.")
    called = f"{'second roll' if again else 'roll'} `{_address_name(request, 'reroll.')}`"
    rolled = (
        f"the {called}" if request.player is None else f"{make_possessive(show_player(request.player, names))} {called}"
    )
    return rolled if sum(die.count for die in request.dice) == 1 else f"one die of {rolled}"


def _changed_part(change: AnswerChange, request: Request, names: NameTable) -> str:
    if change.slot is None:
        return ""
    return f"`{names.program.records[str(request.type)].parts[change.slot].name}` "


def _address_name(request: Request, sort: str) -> str:
    return make_visible(last_address_part(request.address).removeprefix(sort))


def _describe_request(request: Request) -> str:
    return (
        f"“{punctuate_prompt(request.prompt)}”"
        if request.prompt
        else f"`{make_visible(last_address_part(request.address))}`"
    )
