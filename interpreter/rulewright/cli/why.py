"""The verb `why`: the causes of a value of a play, and the smallest change that would have made it another."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from textwrap import dedent, indent
from typing import Any

import click

from rulewright.base.diagnostics import PLAIN_PAINTER, Painter, make_visible
from rulewright.cli.command_files import files_for
from rulewright.cli.odds_query import suggest_of_option
from rulewright.cli.options import (
    LARGEST_SEED,
    WholeNumberOption,
    format_option,
    limit_options,
    overlay_option,
    play_options,
    policy_option,
    verb_command,
    view_option,
)
from rulewright.cli.output import ExitCode, Output, make_output, make_stop, stop_on_errors
from rulewright.cli.play_opening import (
    OpenedPlay,
    PlayRequest,
    open_play,
    outcome_exit,
    parse_play_request,
    require_player,
)
from rulewright.cli.ruleset_loading import unwrap_or_stop
from rulewright.cli.session_files import resume_save
from rulewright.documents.findings import list_alternatives
from rulewright.documents.name_table import NameTable
from rulewright.explain.alternatives import MAX_TRIED_ANSWERS, AnswerChange, PlayChange, RequestKey, StartChange
from rulewright.explain.counterfactual_search import MAX_CHANGES, SearchResult
from rulewright.explain.dynamic_slice import DynamicSlice
from rulewright.explain.explained_subjects import (
    NO_VALUE,
    ExplainedSubject,
    ExpressionSubject,
    StepSubject,
    ValueGoal,
    build_subjects,
    find_steps,
)
from rulewright.explain.explanation import (
    CounterfactualReport,
    PlayExplanation,
    ReplayedPlay,
    explain_subject,
    find_counterfactuals,
)
from rulewright.odds.end_measures import prepare_measured_play
from rulewright.odds.measure_syntax import RESULT_NAME
from rulewright.play.play_story import Story
from rulewright.play.run_report import RunReport
from rulewright.play.session import AnsweredTurn, Session, run_to_end
from rulewright.play.session_views import is_fully_visible, restrict_to_player
from rulewright.play.turn_rendering import (
    punctuate_prompt,
    render_all_changes,
    render_ending,
    render_question,
    show_answer,
)
from rulewright.runtime.request import Faulted, Refused, Request
from rulewright.runtime.type_codecs import format_value
from rulewright.wording.condition_rendering import make_possessive, speak_name
from rulewright.wording.entry_rendering import last_address_part, render_reason, show_player

_MAX_NEW_STORY_LINES = 8
"""Limit of shown events that only the changed play has."""


_CHANGE_NOUNS = {1: ("single change", "single changes"), 2: ("pair of changes", "pairs of changes")}


def render_explanations(
    explanations: Sequence[PlayExplanation], not_: str | None, out: Output, most: int
) -> Iterator[str]:
    """Text of all explanations."""
    for number, play_explanation in enumerate(explanations):
        yield from [""] if number else []
        yield _render_subject(play_explanation, out)
        why = [*_render_cause_story(play_explanation, out.paint)]
        yield from (f"  {line}" for line in why)
        if play_explanation.counterfactuals is not None:
            yield ""
            yield from _render_counterfactuals(play_explanation, play_explanation.counterfactuals, why, out)
            yield from _render_no_change(play_explanation, play_explanation.counterfactuals, not_, most)


def _render_subject(explanation: PlayExplanation, out: Output) -> str:
    what = out.paint(make_visible(explanation.subject.text), "strong")
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


def _render_cause_story(explanation: PlayExplanation, paint: Painter) -> Iterator[str]:
    story = Story(explanation.session.start.names, "decisive", paint, shows_unmet=True)
    return (line for line in story.render_selected(explanation.session, explanation.cause_positions) if line)


# What would have been.


def _render_counterfactuals(
    explanation: PlayExplanation, otherwise: CounterfactualReport, why: Sequence[str], out: Output
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
        yield out.paint(would + _new_answers_hint(replayed, otherwise), "good")
        yield from _render_new_answers(replayed, otherwise, names)
        if not number:
            yield from _render_new_events(replayed, explanation, why, out)
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
    replayed: ReplayedPlay, explanation: PlayExplanation, why: Sequence[str], out: Output
) -> Iterator[str]:
    """Causes of the value that only the changed play has."""
    known = {item.strip() for item in why}
    story = Story(replayed.session.start.names, "decisive", out.paint, shows_unmet=True)
    iterator = story.render_selected(replayed.session, explanation.subject.trace_causes(DynamicSlice(replayed.session)))
    new = [line for line in iterator if line and line.strip() not in known]
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
        "why": [*_render_cause_story(explanation, PLAIN_PAINTER)],
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
    who = show_player(request.player, names)
    match request.sort:
        case "roll":
            return f"had {_describe_die(request, names)} shown {answers}"
        case "draw":
            return f"had {who} drawn {answers}"
        case "shuffle":
            return f"had `{_address_name(request, 'shuffle.')}` been shuffled to {answers}"
        case "external" | "value":
            return f"had “{make_visible(request.prompt or request.name)}” been {_changed_part(change, request, names)}{answers}"
        case _:
            return f"had {who} answered {_describe_request(request)} with {answers}"


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


_MAX_CHANGED_PLAYS = 4_000
_SAVE_SUFFIX = ".json"


@verb_command("why")
@play_options
@click.option("--of", multiple=True, metavar="EXPRESSION|STEP", help="the value or step to explain; repeatable")
@click.option("--not", "not_", metavar="VALUE", help="explain why it is not this value")
@click.option("--seed", type=WholeNumberOption(0, LARGEST_SEED), metavar="N", help="seed for the dice")
@policy_option
@click.option(
    "--most",
    type=WholeNumberOption(1),
    default=_MAX_CHANGED_PLAYS,
    metavar="N",
    help="try at most this many changed plays",
)
@view_option
@overlay_option
@limit_options
@format_option
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    of: tuple[str, ...],
    not_: str | None,
    seed: int | None,
    most: int,
    view: str | None,
    form: str | None,
    **given: Any,  # as `parse_play_request` takes them
) -> int:
    """Explains why a value ended as it did, or why a step was skipped, and what would have changed it.

    EXPRESSION is written as in the rules, with the ids of things, roles, terms and `result`: `--of "hammer.health"`.
    For a STEP, such as `--of strike/2`, it explains why the play enters, skips or never reaches it. It plays a
    scenario, or a ruleset with a state and a script, as `run` does; or it reads a saved play, a file ending in .json.

    It changes one die, answer or starting value, then two. Exits with 1 if the procedure cannot begin or met a fault,
    3 if it gave up the search for a change.

    Example, after `rulewright new skirmish`: `rulewright why skirmish/skirmish.scenario.yaml falls --of
    "mordred.health"`.
    """
    out = make_output(form)
    if not_ is not None and len(of) != 1:
        raise make_stop("RW1140", "`--not` asks about one value, so it needs one `--of`", "give one `--of EXPRESSION`")
    opening, session = _open_explained_play(parse_play_request(given), seed)
    viewer = None if view is None else require_player(view, opening.start.names)
    shown = session if viewer is None else restrict_to_player(session, viewer)
    if isinstance(session.outcome, Refused):
        _output_refused_start(session.outcome, shown, opening, out)
        return ExitCode.FINDINGS
    matters, is_it = _resolve_explained(of, not_, opening, session)
    explanations = _explain_all(matters, shown, masked=viewer is not None)
    if viewer is None or is_fully_visible(session, viewer):
        explanations = [
            _add_counterfactuals(play_explanation, session, not_, is_it, most) for play_explanation in explanations
        ]
    if out.form == "json":
        out.print_json(explanations_to_json(explanations, session, most))
    else:
        out.print_lines(render_explanations(explanations, not_, out, most))
        if isinstance(session.outcome, Faulted):
            _output_end(shown, opening, out)
    return _why_exit(explanations, session)


# The play.


def _open_explained_play(play_request: PlayRequest, seed: int | None) -> tuple[OpenedPlay, Session]:
    """The play as `run` plays it, or as it was saved."""
    if play_request.ruleset.endswith(_SAVE_SUFFIX):
        session, opening = resume_save(play_request.ruleset, replace(play_request, ruleset=""), seed=seed, rolls=True)
        return opening, session
    opening = open_play(replace(play_request, recording="full"))
    played = run_to_end(opening.start, opening.make_sources(seed))
    stop_on_errors(played.diagnostics, opening.texts)
    return opening, replace(played.session, sources=replace(played.session.sources, script=opening.script))


def _resolve_explained(
    of: tuple[str, ...], not_: str | None, opening: OpenedPlay, session: Session
) -> tuple[list[ExplainedSubject], ExpressionSubject | None]:
    """The subjects in order, and the value that `--not` excludes."""
    start = opening.start
    if not of and start.procedure.result is None:
        changed = [f"changed: {line}" for line in render_all_changes(session)]
        message = f"`{start.procedure.name}` has no result to explain"
        raise make_stop("RW1140", message, suggest_of_option(start), changed)
    expressions = of or (RESULT_NAME,)
    steps = {item: step for item in expressions if (step := _find_step_subject(item, session)) is not None}
    texts = [item for item in expressions if item not in steps]
    if not_ is not None and not texts:
        raise make_stop("RW1140", f"`{of[0]}` is a step, which has no value for `--not`", "leave out `--not`")
    compared = [] if not_ is None else [f"({of[0]}) = ({not_})"]
    items = _make_subjects([*texts, *compared], opening)
    is_it = items.pop() if compared else None
    values = iter(items)
    return [steps[item] if item in steps else next(values) for item in expressions], is_it


def _find_step_subject(text: str, session: Session) -> StepSubject | None:
    executable = session.start.executable
    meant = find_steps(text, executable.program, session.start.procedure.name)
    if len(meant) > 1:
        raise make_stop("RW1143", f"`{text}` stands for several steps", f"write {list_alternatives(meant)}")
    return StepSubject(text, meant[0], executable) if meant and not text.isdigit() else None


def _make_subjects(texts: Sequence[str], opening: OpenedPlay) -> list[ExpressionSubject]:
    if not texts:
        return []
    files = files_for(opening.ruleset, *opening.overlays)
    play = prepare_measured_play(
        opening.start,
        texts,
        opening.ruleset,
        opening.overlays,
        files,
        loading=opening.laid_policies.loader,
    )
    return [*build_subjects(unwrap_or_stop(play))]


def _explain_all(matters: Sequence[ExplainedSubject], shown: Session, *, masked: bool) -> list[PlayExplanation]:
    for matter in matters:
        if (
            masked
            and isinstance(matter, ExpressionSubject)
            and matter.executable.concealment.expression_looks_inside(matter.declared.value)
        ):
            message = f"`{matter.text}` looks into a bag or deck, which is hidden from this player"
            raise make_stop("RW1142", message, "ask without `--view`, or for something that all may see")
    return [explain_subject(shown, item) for item in matters]


def _add_counterfactuals(
    explanation: PlayExplanation, session: Session, not_: str | None, is_it: ExpressionSubject | None, most: int
) -> PlayExplanation:
    """Explanation with the smallest change that avoids the value."""
    if explanation.value is NO_VALUE:
        return explanation
    if is_it is not None and is_it.value_in_session(session) is True:
        message = f"`{explanation.subject.text}` is {not_} in this play"
        raise make_stop("RW1141", message, "ask with `--not` for a value that it does not have")
    goal = explanation.subject.goal_of_other_value(explanation.value) if is_it is None else ValueGoal(is_it, bool)
    return replace(explanation, counterfactuals=find_counterfactuals(session, explanation.subject, goal, most))


def _output_refused_start(refused: Refused, shown: Session, opening: OpenedPlay, out: Output) -> None:
    names, name = opening.start.names, opening.start.procedure.name
    if out.form == "json":
        reasons = [render_reason(reason, names) or make_visible(reason.address) for reason in refused.reasons]
        structured = RunReport(shown, (), opening.texts).run_report_json(events=False)["reasons"]
        out.print_json({"version": 1, "procedure": name, "refused": reasons, "reasons": structured})
        return
    _output_end(shown, opening, out)


def _output_end(shown: Session, opening: OpenedPlay, out: Output) -> None:
    out.print_lines(render_ending(shown.outcome, shown, out.paint, opening.texts))


def _why_exit(explanations: Sequence[PlayExplanation], session: Session) -> ExitCode:
    if any(
        play_explanation.counterfactuals is not None and not play_explanation.counterfactuals.search_result.is_sure
        for play_explanation in explanations
    ):
        return ExitCode.UNKNOWN
    return outcome_exit(session.outcome, ExitCode.SUCCESS)
