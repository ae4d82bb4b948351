"""The verb `why`: the causes of a value of a play, and the smallest change that would have made it another."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from rulewright.base.diagnostics import make_visible
from rulewright.cli.command_files import files_for
from rulewright.cli.odds_query import suggest_of_option
from rulewright.cli.options import (
    LimitOptions,
    PlayOptions,
    WholeNumberOption,
    format_option,
    option,
    options_of,
    overlay_option,
    play_seed_option,
    policy_option,
    several,
    verb_command,
    view_option,
)
from rulewright.cli.output import ExitCode, make_output, make_stop, stop_on_errors
from rulewright.cli.play_opening import (
    OpenedPlay,
    PlayRequest,
    make_play_request,
    open_play,
    outcome_exit,
    require_player,
)
from rulewright.cli.ruleset_loading import unwrap_or_stop
from rulewright.cli.session_files import resume_save
from rulewright.documents.findings import list_alternatives
from rulewright.explain.explained_subjects import (
    NO_VALUE,
    ExplainedSubject,
    ExpressionSubject,
    StepSubject,
    ValueGoal,
    build_subjects,
    find_steps,
)
from rulewright.explain.explanation import PlayExplanation, explain_subject, find_counterfactuals
from rulewright.explain.explanation_report import explanations_to_json, render_explanations
from rulewright.odds.end_measures import prepare_measured_play
from rulewright.odds.measure_syntax import RESULT_NAME
from rulewright.play.run_report import RunReport
from rulewright.play.session import Session, run_to_end
from rulewright.play.session_views import is_fully_visible, restrict_to_player
from rulewright.play.turn_rendering import render_all_changes, render_ending
from rulewright.runtime.request import Faulted, Refused
from rulewright.wording.entry_rendering import render_reason

_MAX_CHANGED_PLAYS = 4_000
_SAVE_SUFFIX = ".json"


@verb_command("why")
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    begins: PlayOptions = options_of(PlayOptions),
    of: tuple[str, ...] = several("--of", "EXPRESSION|STEP", "the value or step to explain; repeatable"),
    not_: str | None = option("--not", "VALUE", "explain why it is not this value"),
    seed: int | None = play_seed_option,
    policies: tuple[str, ...] = policy_option,
    most: int = option(
        "--most", "N", "try at most this many changed plays", WholeNumberOption(1), default=_MAX_CHANGED_PLAYS
    ),
    view: str | None = view_option,
    overlays: tuple[str, ...] = overlay_option,
    limits: LimitOptions = options_of(LimitOptions),
    form: str | None = format_option,
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
    opening, session = _open_explained_play(make_play_request(begins, overlays, limits, policies), seed)
    viewer = None if view is None else require_player(view, opening.start.names)
    shown = session if viewer is None else restrict_to_player(session, viewer)
    end = render_ending(shown.outcome, shown, out.paint, opening.texts)
    if isinstance(session.outcome, Refused):
        out.print_report(partial(_refused_start_json, session.outcome, shown, opening), end)
        return ExitCode.FINDINGS
    matters, is_it = _resolve_explained(of, not_, opening, session)
    explanations = _explain_all(matters, shown, masked=viewer is not None)
    if viewer is None or is_fully_visible(session, viewer):
        explanations = [_add_counterfactuals(one, session, not_, is_it, most) for one in explanations]
    lines = render_explanations(explanations, not_, out.paint, most)
    is_faulty = isinstance(session.outcome, Faulted)
    out.print_report(lambda: explanations_to_json(explanations, session, most), chain(lines, end if is_faulty else ()))
    return _why_exit(explanations, session)


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
        opening.start, texts, opening.ruleset, opening.overlays, files, loading=opening.laid_policies.loader
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


def _refused_start_json(refused: Refused, shown: Session, opening: OpenedPlay) -> dict[str, Any]:
    names, name = opening.start.names, opening.start.procedure.name
    reasons = [render_reason(reason, names) or make_visible(reason.address) for reason in refused.reasons]
    structured = RunReport(shown, (), opening.texts).run_report_json(events=False)["reasons"]
    return {"version": 1, "procedure": name, "refused": reasons, "reasons": structured}


def _why_exit(explanations: Sequence[PlayExplanation], session: Session) -> ExitCode:
    searches = (one.counterfactuals.search_result for one in explanations if one.counterfactuals is not None)
    if not all(search.is_sure for search in searches):
        return ExitCode.UNKNOWN
    return outcome_exit(session.outcome, ExitCode.SUCCESS)
