"""A play as a server of JSON lines: one request in, one reply out; `play --format json`.

Requests and replies are those of `studio/play_service.py`, and those that write files or work out advice, which are
here. A request that is refused gets a `problem` in words.
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from rulewright.base.diagnostics import Severity, make_visible
from rulewright.base.diagnostics.renderings import format_place
from rulewright.cli.command_files import require_overwritable, write_file
from rulewright.cli.main import find_lacking_resource, report_internal_error
from rulewright.cli.output import CommandStop, ExitCode, Output
from rulewright.cli.play_opening import OpenedPlay
from rulewright.cli.session_files import render_save, require_nameable_rules, require_recordable, write_recording
from rulewright.documents.answers import answer_to_json
from rulewright.documents.document_nodes import format_one_line
from rulewright.documents.saved_sessions import SAVE_PREFIX
from rulewright.play.player_prompts import PlayerPrompt, explain_unreadable_line
from rulewright.play.player_views import advance_to_person
from rulewright.play.session import Session
from rulewright.program.types import GRID_STEPS, INCHES
from rulewright.runtime.values import Value
from rulewright.scenarios.scenario_recording import name_by_file
from rulewright.studio.play_service import PlayLine, PlayService, RequestAction, RequestRefusedError, RequestView

_MAX_REQUEST_CHARS = 1_000_000
"""Limit of the characters of a request."""


@dataclass
class _DiskPlayService(PlayService):
    opening: OpenedPlay = field(kw_only=True)

    def list_actions(self) -> Mapping[str, RequestAction]:
        actions = (self.advise, self.record, self.save, self.sights)
        return {**super().list_actions(), **{action.__name__: action for action in actions}}

    def advise(self, at: RequestView, request: Mapping[str, Any]) -> dict[str, Any]:
        """Expected value of each answer for the player who is asked."""
        from rulewright.cli.advice import OPPONENTS_ASSUMPTION, compute_advice, format_answer_worth  # noqa: PLC0415 - seldom wanted
        from rulewright.odds.best_play_solver import AnswerAdvice  # noqa: PLC0415 - seldom wanted

        expression = str(request.get("of", "")).strip()
        if not expression:
            raise RequestRefusedError("say what is wanted the most of")
        question = self.require_question(at)
        answer_advice = compute_advice(self.lines[at.line].session, expression, at.viewer, self.opening)
        if not isinstance(answer_advice, AnswerAdvice):
            return {"says": [[("", item)] for item in answer_advice]}
        asks, names = answer_advice.request, question.names
        rows = [
            {
                "typed": _format_typed_answer(answer.answer, question) if asks == question.request else None,
                "shown": format_one_line(answer_to_json(asks, answer.answer, names)),
                "worth": format_answer_worth(answer_advice, answer),
                "best": answer_advice.is_best(answer),
            }
            for answer in answer_advice.answers
        ]
        what = f"`{answer_advice.measure.text}`, as far as {answer_advice.state_count:,} moments of play show it"
        return {
            "says": [[("", what)], *([[("", OPPONENTS_ASSUMPTION)]] if len(names.ids_of_kind("player")) > 1 else [])],
            "advice": rows,
        }

    def sights(self, at: RequestView, request: Mapping[str, Any]) -> dict[str, Any]:
        """What the base that is placed would see from a pose, and how far it may go."""
        from rulewright.play.plane_drawing import find_reach, find_sight_rules, list_sights  # noqa: PLC0415 - seldom wanted

        self.require_table_view(at, "it may show what is hidden")
        question, names = self.require_question(at), self.start.names
        pose, wrong = question.read_typed_answer(str(request.get("typed", "")).strip())
        if wrong:
            raise RequestRefusedError("; ".join(wrong))
        unit = next((board.unit for board in names.program.boards.values() if board.space not in GRID_STEPS), INCHES)
        situation = self.lines[at.line].session.situation
        seen = [
            {"thing": sight.thing, "at": list(sight.middle), "gap": sight.gap, "sees": sight.sees, "ahead": sight.ahead}
            for sight in list_sights(question.request, pose, names, unit)
        ]
        arc = find_sight_rules(names.program).arc
        reach = find_reach(question.request, situation, names, unit)
        return {"sights": {"reach": reach, "arc": None if arc is None else float(arc), "seen": seen}}

    def record(self, at: RequestView, request: Mapping[str, Any]) -> dict[str, Any]:
        self.require_table_view(at, "a scenario would show what is hidden")
        file, session = _requested_file(request), self.lines[at.line].session
        require_recordable(file)
        require_nameable_rules(file, self.opening.ruleset, self.opening.overlays)
        write_recording(file, session, self.opening.ruleset, self.opening.overlays, name_by_file(file))
        return {"says": [[("", f"the play is written down in {file}")]], "file": file}

    def save(self, at: RequestView, request: Mapping[str, Any]) -> dict[str, Any]:
        self.require_table_view(at, "a save holds what is hidden")
        file = _requested_file(request)
        require_overwritable(file, SAVE_PREFIX)
        write_file(Path(file), render_save(self.lines[at.line].session, file, self.opening), waits=False)
        return {"says": [[("", f"session written to {file}")]], "file": file}


LineHandler = Callable[[str], str]
"""The reply to a request, both in JSON."""
_LINE_CARRIERS: list[Callable[[LineHandler], object]] = []


def carry_lines_by(carrier: Callable[[LineHandler], object]) -> None:
    """Give what answers requests to a function, from now on, instead of reading standard input: for a page."""
    _LINE_CARRIERS[:] = [carrier]


def serve_play(begin: Callable[[], tuple[Session, OpenedPlay]], out: Output) -> ExitCode:
    """Answer requests until the input ends; if the play cannot begin, the first with the reason."""
    try:
        session, opening = begin()
    except CommandStop as stop:
        out.print_line(_format_reply({"problem": _format_first_problem(stop)}))
        return stop.exit
    session, items = advance_to_person(session)
    served = _DiskPlayService(
        opening.start,
        opening.texts,
        opening.ruleset,
        {0: PlayLine(session)},
        [one.message for one in items],
        shows_costs=True,
        opening=opening,
    )
    command_line = click.get_current_context().find_root().obj

    def handle_line(line: str) -> str:
        return _format_reply(_answer_line(served, line, command_line))

    if _LINE_CARRIERS:
        _LINE_CARRIERS[0](handle_line)
        return ExitCode.SUCCESS
    while line := sys.stdin.readline(_MAX_REQUEST_CHARS):
        out.print_line(handle_line(line))
    return ExitCode.SUCCESS


def _answer_line(served: PlayService, line: str, command_line: Sequence[str]) -> dict[str, Any]:
    try:
        request = json.loads(line)
        return served.handle_request(request if isinstance(request, dict) else {})
    except RequestRefusedError as unfit:
        return {"problem": str(unfit)}
    except CommandStop as stop:
        return {"problem": _format_first_problem(stop)}
    except (ValueError, RecursionError):
        return {"problem": "this is not a JSON document in one line"}
    except Exception as fault:  # noqa: BLE001 - whatever is asked, the play goes on
        lacking = find_lacking_resource(fault)
        if lacking is not None:
            return {"problem": f"{lacking.message}; {lacking.help}"}
        report_internal_error(fault, command_line)
        return {"problem": "this is a fault of rulewright itself, not of your rules; the play goes on as it was before"}


def _format_first_problem(stop: CommandStop) -> str:
    first = next((one for one in stop.diagnostics if one.severity is Severity.ERROR), stop.diagnostics[0])
    span = first.primary.span if first.primary is not None else None
    where = f" ({format_place(span, stop.texts)})" if span is not None and span.source in stop.texts else ""
    return "; ".join(filter(None, (f"{make_visible(first.message)}{where}", make_visible(first.help))))


def _format_reply(document: Mapping[str, Any]) -> str:
    return json.dumps(document, separators=(",", ":"))


def _requested_file(request: Mapping[str, Any]) -> str:
    file = str(request.get("file", "")).strip()
    if not file or explain_unreadable_line(file):
        raise RequestRefusedError("name a file")
    return file


def _format_typed_answer(answer: Value, question: PlayerPrompt) -> str:
    """Input for an answer: its number in the list, or its form in scripts."""
    listed = next((option.input_text for option in question.list_options() if option.value == answer), None)
    return listed or format_one_line(answer_to_json(question.request, answer, question.names))
