"""The verb `why`: why a value of a play is what it is, and the smallest change that would have made it another."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from rulewright.cli.asked_odds import add_of
from rulewright.cli.loading import value_of
from rulewright.cli.named_files import files_for
from rulewright.cli.opening import Asked, PlayToBegin, asked_play, exit_at, open_play, player_of
from rulewright.cli.options import (
    LARGEST_SEED,
    WholeNumber,
    format_option,
    limit_options,
    overlay_option,
    play_options,
    policy_option,
    verb,
    view_option,
)
from rulewright.cli.output import Exit, Output, output, stop_on, stopped
from rulewright.cli.session_files import resume
from rulewright.cli.why_report import document, lines
from rulewright.diagnostics.terminal import visible
from rulewright.drivers.report import Report
from rulewright.drivers.run import run
from rulewright.drivers.session import Session
from rulewright.drivers.turns import all_changed, ending
from rulewright.drivers.views import is_open, seen
from rulewright.inputs.findings import one_of
from rulewright.inquiry.explaining import Explained, explain, otherwise
from rulewright.inquiry.steps import NO_VALUE, StepSubject, steps_called
from rulewright.inquiry.values import Matter, Subject, Worth, subjects
from rulewright.machine.request import Faulted, Refused
from rulewright.odds.measures import RESULT, play_to_measure
from rulewright.telling.happenings import reason

_MOST = 4_000
_SAVE = ".json"


@verb("why")
@play_options
@click.option("--of", multiple=True, metavar="EXPRESSION|STEP", help="the value or step to explain; repeatable")
@click.option("--not", "not_", metavar="VALUE", help="explain why it is not this value")
@click.option("--seed", type=WholeNumber(0, LARGEST_SEED), metavar="N", help="seed for the dice")
@policy_option
@click.option("--most", type=WholeNumber(1), default=_MOST, metavar="N", help="try at most this many changed plays")
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
    **given: Any,  # as `asked_play` takes them
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
    out = output(form)
    if not_ is not None and len(of) != 1:
        raise stopped("RW1140", "`--not` asks about one value, so it needs one `--of`", "give one `--of EXPRESSION`")
    opening, session = _played(asked_play(given), seed)
    viewer = None if view is None else player_of(view, opening.begun.names)
    shown = session if viewer is None else seen(session, viewer)
    if isinstance(session.outcome, Refused):
        _tell_refused(session.outcome, shown, opening, out)
        return Exit.FOUND
    matters, is_it = _matters(of, not_, opening, session)
    told = _explained(matters, shown, masked=viewer is not None)
    if viewer is None or is_open(session, viewer):
        told = [_with_changes(each, session, not_, is_it, most) for each in told]
    if out.form == "json":
        out.data(document(told, session, most))
    else:
        out.tell(lines(told, not_, out, most))
        if isinstance(session.outcome, Faulted):
            _tell_end(shown, opening, out)
    return _exit(told, session)


# The play.


def _played(asked: Asked, seed: int | None) -> tuple[PlayToBegin, Session]:
    """The play that is asked about, as `run` plays it, or as it was saved."""
    if asked.ruleset.endswith(_SAVE):
        session, opening = resume(asked.ruleset, replace(asked, ruleset=""), seed=seed, rolls=True)
        return opening, session
    opening = open_play(replace(asked, recording="full"))
    played = run(opening.begun, opening.sources(seed))
    stop_on(played.diagnostics, opening.texts)
    return opening, replace(played.session, sources=replace(played.session.sources, script=opening.script))


def _matters(
    of: tuple[str, ...], not_: str | None, opening: PlayToBegin, session: Session
) -> tuple[list[Matter], Subject | None]:
    """What is asked about, in order, and whether it is what it is asked not to be."""
    begun = opening.begun
    if not of and begun.procedure.result is None:
        changed = [f"changed: {line}" for line in all_changed(session)]
        message = f"`{begun.procedure.name}` has no result to explain"
        raise stopped("RW1140", message, add_of(begun), changed)
    asked = of or (RESULT,)
    steps = {each: step for each in asked if (step := _step(each, session)) is not None}
    texts = [each for each in asked if each not in steps]
    if not_ is not None and not texts:
        raise stopped("RW1140", f"`{of[0]}` is a step, which has no value for `--not`", "leave out `--not`")
    compared = [] if not_ is None else [f"({of[0]}) = ({not_})"]
    found = _subjects([*texts, *compared], opening)
    is_it = found.pop() if compared else None
    values = iter(found)
    return [steps[each] if each in steps else next(values) for each in asked], is_it


def _step(text: str, session: Session) -> StepSubject | None:
    executable = session.begun.executable
    meant = steps_called(text, executable.program, session.begun.procedure.name)
    if len(meant) > 1:
        raise stopped("RW1143", f"`{text}` stands for several steps", f"write {one_of(meant)}")
    return StepSubject(text, meant[0], executable) if meant and not text.isdigit() else None


def _subjects(texts: Sequence[str], opening: PlayToBegin) -> list[Subject]:
    if not texts:
        return []
    files = files_for(opening.ruleset, *opening.overlays)
    play = play_to_measure(opening.begun, texts, opening.ruleset, opening.overlays, files, loading=opening.laid.load)
    return [*subjects(value_of(play))]


def _explained(matters: Sequence[Matter], shown: Session, *, masked: bool) -> list[Explained]:
    for each in matters:
        if masked and isinstance(each, Subject) and each.executable.concealed.looks(each.declared.value):
            message = f"`{each.text}` looks into a bag or deck, which is hidden from this player"
            raise stopped("RW1142", message, "ask without `--view`, or for something that all may see")
    return [explain(shown, each) for each in matters]


def _with_changes(told: Explained, session: Session, not_: str | None, is_it: Subject | None, most: int) -> Explained:
    """The same with the smallest change by which it would be otherwise."""
    if told.value is NO_VALUE:
        return told
    if is_it is not None and is_it.value(session) is True:
        message = f"`{told.matter.text}` is {not_} in this play"
        raise stopped("RW1141", message, "ask with `--not` for a value that it does not have")
    goal = told.matter.unlike(told.value) if is_it is None else Worth(is_it, bool)
    return replace(told, otherwise=otherwise(session, told.matter, goal, most))


def _tell_refused(refused: Refused, shown: Session, opening: PlayToBegin, out: Output) -> None:
    names, name = opening.begun.names, opening.begun.procedure.name
    if out.form == "json":
        reasons = [reason(each, names) or visible(each.address) for each in refused.reasons]
        structured = Report(shown, (), opening.texts).document(events=False)["reasons"]
        out.data({"version": 1, "procedure": name, "refused": reasons, "reasons": structured})
        return
    _tell_end(shown, opening, out)


def _tell_end(shown: Session, opening: PlayToBegin, out: Output) -> None:
    out.tell(ending(shown.outcome, shown, out.paint, opening.texts))


def _exit(told: Sequence[Explained], session: Session) -> Exit:
    if any(each.otherwise is not None and not each.otherwise.searched.is_sure for each in told):
        return Exit.UNKNOWN
    return exit_at(session.outcome, Exit.FINE)
