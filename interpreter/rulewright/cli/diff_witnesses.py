"""Witness plays of `diff`: start, last common position, first difference, and the edits they show."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from rulewright.base.diagnostics import PLAIN_PAINTER, format_counted_noun, make_visible
from rulewright.base.files import get_resource_folder
from rulewright.base.frozen import dataclass
from rulewright.cli.diff_result import DiffResult
from rulewright.cli.text_layout import TitledList
from rulewright.diff.change_rows import ChangeRow
from rulewright.diff.differential_testing.replays import TracedEvent, trace_events
from rulewright.diff.differential_testing.results import (
    DIFFERENCE_KINDS,
    MigratedPlay,
    PlayWitness,
    ValueWitness,
    WitnessSide,
)
from rulewright.diff.differential_testing.shared_questions import withheld_part
from rulewright.diff.edit_report import RenderedEdit
from rulewright.diff.edits import IMPLIED_SECTION
from rulewright.documents.answers import answer_type, item_type, name_offered_dice
from rulewright.documents.document_nodes import Json, format_one_line
from rulewright.documents.name_table import NameTable
from rulewright.documents.state_json import state_to_json
from rulewright.play.session import Session
from rulewright.play.turn_rendering import render_ending, render_question, show_answer
from rulewright.program.declarations import Function, Measure, Program
from rulewright.program.types import Type, WordType, strip_optional
from rulewright.runtime.request import EXTERNAL_SORTS, ITEM_SORTS
from rulewright.runtime.run import Outcome, Paused
from rulewright.runtime.type_codecs import format_value
from rulewright.scenarios.scenario_recording import format_yaml_lines
from rulewright.wording.english import join_words
from rulewright.wording.entry_rendering import show_player

_MAX_LISTED_ANSWERS = 12
_CHANGE_PATTERN = re.compile(r"(?P<what>.+): (?P<before>.+?) → (?P<after>.+)")
_DESTINATION_WORDS = {"moves": "to", "move": "to", "placed": "at", "turns": "to", "turn": "to"}
_NUMBER_PATTERN = re.compile(r"-?[0-9][0-9/.]*")
UNSHOWN_EDIT_REASONS = {
    "hidden": (
        "Found only in plays without other edits:",
        "a play of OLD with this edit alone shows it; in those found between OLD and NEW something else differs first",
    ),
    "whole": (
        "These cannot be made without others:",
        "it cannot be made without others, so no play of its own was looked for",
    ),
    "silent": ("No play of their own was found for:", "no play of its own was found"),
    "untried": ("Not tried, for lack of work (more --work):", "no work was left to look for a play (more --work)"),
}
"""By field of `SeparatedEdits`: the heading of edits that no play shows, and the reason for one of them."""


def first_difference(witness: PlayWitness) -> str:
    """First differing event after both plays part: `a loses 1 army → b loses 1 army`; or empty.

    Empty too if one of the two events only happens later in the other revision.
    """
    old, new = list(trace_events(witness.old.session, witness.addresses)), list(trace_events(witness.new.session, {}))
    common = sum(1 for _ in takewhile(lambda pair: pair[0].is_same_event(pair[1]), zip(old, new, strict=False)))
    was, now = ([_describe_change(one) for one in events[common:] if one.changes] for events in (old, new))
    if not was or not now or was[0] in now or now[0] in was:
        return ""
    return f"{was[0]} → {now[0]}"


def _describe_change(moment: TracedEvent) -> str:
    """Text of an event; without values before and after if its sentence has the difference."""
    return "; ".join(_CHANGE_PATTERN.sub(_shorten_change, line.strip()) for line in moment.lines)


def _shorten_change(match: re.Match[str]) -> str:
    """`alaska loses 1 army` of `alaska loses 1 army: 3 → 2`, `a.failed becomes yes` of `a.failed: no → yes`."""
    if (verb := match["what"].rpartition(" ")[2]) in _DESTINATION_WORDS:
        return f"{match['what']} {_DESTINATION_WORDS[verb]} {match['after']}"
    is_counted = " " in match["what"] and all(_NUMBER_PATTERN.fullmatch(match[item]) for item in ("before", "after"))
    return match["what"] if is_counted else f"{match['what']} becomes {match['after']}"


def render_start(side: WitnessSide) -> Iterator[str]:
    """Lines of the initial state and roles of one side."""
    for key, data in side.state.items():
        yield from format_yaml_lines(key, data, 0) if data else ()
    if side.roles:
        yield f"with: {format_one_line(dict(side.roles))}"


def order_start_like(side: WitnessSide, other: WitnessSide) -> WitnessSide:
    """The side with the lines of its start in the order of the other side."""
    state, roles = (
        _order_keys_like(dict(own_data), dict(other_data))
        for own_data, other_data in ((side.state, other.state), (side.roles, other.roles))
    )
    return replace(side, state=state, roles=roles)


def _order_keys_like(data: dict[str, Json], other: dict[str, Json]) -> dict[str, Json]:
    ordered = dict[str, Json]()
    for key in (*(key for key in other if key in data), *(key for key in data if key not in other)):
        own, others = data[key], other.get(key)
        ordered[key] = _order_keys_like(own, others) if isinstance(own, dict) and isinstance(others, dict) else own
    return ordered


def flatten_start_state(side: WitnessSide) -> tuple[str, ...]:
    """All values of the initial state, defaults included, one line each."""
    start = side.session.start
    return tuple(flatten_json(state_to_json(start.situation, start.executable.program), ()))


def flatten_json(data: Json, path: tuple[str, ...]) -> Iterator[str]:
    """All values of a state, one line each; `path` stands before them."""
    if isinstance(data, dict) and data:
        for key, inner in data.items():
            yield from flatten_json(inner, (*path, key))
    else:
        yield make_visible(f"{'.'.join(path[1:] or path)}: {format_one_line(data)}")


def final_moments(witness: PlayWitness) -> tuple[TracedEvent, TracedEvent]:
    """Last events of both revisions, with the pending dice or answers where these differ."""
    sessions, sort = (witness.old.session, witness.new.session), witness.sort
    offered = [_offered_answers(one.outcome, one.start.names) if sort == "options" else None for one in sessions]
    old, new = (
        TracedEvent("", "end", (*_final_moment_lines(one, other), *_list_dice(one, sort)))
        for one, other in zip(sessions, offered[::-1], strict=True)
    )
    return old, new


def _list_dice(session: Session, sort: str) -> Iterator[str]:
    outcome, names = session.outcome, session.start.names
    for die in outcome.request.dice if isinstance(outcome, Paused) and sort == "dice" else ():
        faces = ", ".join(format_value(face, die.face, names) for face in die.faces)
        yield f"    {format_counted_noun(die.count, 'die', 'dice')} with {faces}"


def _offered_answers(outcome: Outcome, names: NameTable) -> list[str]:
    if not isinstance(outcome, Paused):
        return []
    request = outcome.request
    if request.choices:
        return [show_answer(request, choice.value, names) for choice in request.choices if choice.reason is None]
    if request.sort not in ITEM_SORTS:
        return []
    members = name_offered_dice(request, names)
    return [format_value(item, item_type(answer_type(request)), members) for item in request.items]


def _select_answers(offered: Sequence[str], other: Sequence[str] | None) -> str:
    """At most a glanceable number of answers, those that only this side has first."""
    only_here = [] if other is None else [item for item in offered[_MAX_LISTED_ANSWERS:] if item not in other]
    last = only_here[: _MAX_LISTED_ANSWERS // 2]
    first = offered[: _MAX_LISTED_ANSWERS - len(last)]
    return ", ".join([*first, *(["…"] if len(offered) > len(first) + len(last) else []), *last])


def _final_moment_lines(session: Session, other: Sequence[str] | None) -> Iterator[str]:
    outcome, names = session.outcome, session.start.names
    if not isinstance(outcome, Paused):
        yield from render_ending(outcome, session, PLAIN_PAINTER)
        return
    request = outcome.request
    who = f"{show_player(request.player, names)}: " if request.player is not None else ""
    open_ = _select_answers(_offered_answers(outcome, names), other) if request.choices or other is not None else ""
    if open_ and request.sort in ITEM_SORTS:
        low, high = request.low, request.high
        sizes = {"pick": f"{low} of " if low == high else f"{low} to {high} of ", "split": f"{high} over "}
        open_ = f"{sizes.get(request.sort, '')}{open_}"
    given = [f"{name} {format_value(value, type_, names)}" for name, (value, type_) in request.arguments.items()]
    question = render_question(request, names)
    if given and request.sort in EXTERNAL_SORTS:
        question = f"{question.removesuffix(':')} ({', '.join(given)})"
    secret = " (in secret)" if withheld_part(outcome.asked) == "answer" else ""
    yield f"  {who}{question}{secret}{f' ({open_})' if open_ else ''}"


def describe_migrated_game(game: MigratedPlay) -> str:
    """One line on a replayed save or recording."""
    number = format_counted_noun(game.answers, "answer")
    match game.outcome:
        case "same":
            what = f"runs on as before, {number}"
        case "lost":
            what = f"cannot be begun any more: {game.message}"
        case _:
            where = " → ".join(dict.fromkeys(filter(None, game.addresses)))
            without = explain_unknown_attributes(game.unknown_attributes) if game.unknown_attributes else ""
            differs = f"differs after {number}{f', at {where}' if where else ''}: {DIFFERENCE_KINDS[game.sort]}"
            what = "; ".join(filter(None, (differs, without)))
    return make_visible(f"{game.name}: {what}")


def explain_unknown_attributes(attributes: Sequence[str]) -> str:
    """What the old revision plays without: `OLD does not know `hill` of a cell, and plays without it`."""
    it = "it" if len(attributes) == 1 else "them"
    return f"OLD does not know {join_words(attributes)}, and plays without {it}"


def describe_value_witness(witness: ValueWitness, diff: DiffResult) -> str:
    """Arguments for which a function has two values, in one line, with titles for words."""
    new = diff.new.program
    types = {name: setting.type for name, setting in new.settings.items()}
    computed = _find_computed(new, witness.new)
    types |= {one.name: one.type for one in computed.parameters} if computed else {}
    given = [
        f"{name} {_format_typed_json(value, types.get(name), new)}"
        for name, value in ({**witness.settings[1], **witness.arguments[1]}).items()
    ]
    for_ = f" for {', '.join(given)}" if given else ""
    in_ = f" in {format_one_line(dict(witness.states[0]))}" if witness.states else ""
    was, now = (
        _format_typed_json(value, computed.type if computed else None, program)
        for program, name, value in zip(
            (diff.old.program, new), (witness.old, witness.new), witness.values, strict=True
        )
        for computed in [_find_computed(program, name)]
    )
    called = " → ".join(dict.fromkeys((witness.old, witness.new)))
    return make_visible(f"{called}: {was} in OLD, {now} in NEW{for_}{in_}")


def _find_computed(program: Program, name: str) -> Function | Measure | None:
    return program.functions.get(name) or program.measures.get(name)


def _format_typed_json(value: Json, type_: Type | None, program: Program) -> str:
    match type_ and strip_optional(type_):
        case WordType(values) if isinstance(value, str):
            titles = program.values[values].titles
            at = titles.spellings.get(value)
            return value if at is None else titles.display_names[at]
        case _:
            return format_one_line(value)


@dataclass(frozen=True, slots=True)
class RowProof:
    """Evidence for a row of the first screen: a play, else function values, else the reason why there is none."""

    play: PlayWitness | None = None
    values: tuple[str, ...] = ()
    missing_reason: str = ""  # why there is neither, or which rows share the play


def find_row_proof(row: ChangeRow, diff: DiffResult) -> RowProof:
    """Evidence for a row of the first screen."""
    shows = row.evidence
    if shows.plays:
        return RowProof(shows.plays[0])
    if shows.values:
        return RowProof(values=tuple(describe_value_witness(value, diff) for value in shows.values))
    if shows.shared and not shows.has_evidence:
        rows = enumerate(diff.screen.rows, 1)
        others = [str(number) for number, one in rows if one is not row and shows.shared[0] in one.evidence.shared]
        called = f"rows {', '.join(others[:-1])} and {others[-1]}" if others[1:] else f"row {others[0]}"
        return RowProof(shows.shared[0], missing_reason=f"No play of its own; this one shows it together with {called}")
    # by which the revisions differ, and of which no single edit is known to be the cause
    together = next((one for one in diff.witnesses if one.subject is None), None)
    if together is not None and (not shows.has_evidence or shows.unkept_outcome == "hidden"):
        own = "A play of OLD with this edit alone shows it" if shows.unkept_outcome else "No play of its own"
        return RowProof(together, missing_reason=f"{own}; in this one OLD and NEW differ by all edits together")
    return RowProof(missing_reason=_explain_missing_play(diff, row))


def _explain_missing_play(diff: DiffResult, row: ChangeRow) -> str:
    behaviour, shows = diff.whole.behaviour, row.evidence
    if behaviour is None:
        return "No play to show: nothing was played"
    if shows.scenarios:
        return f"A scenario shows it: {describe_migrated_game(shows.scenarios[0])}"
    if shows.unkept_outcome:
        return _KNOWN_EVIDENCE_NOTES[shows.unkept_outcome]
    separated = behaviour.separated
    for outcome, (_, why) in UNSHOWN_EDIT_REASONS.items() if separated is not None else ():
        if not set(row.edits).isdisjoint(getattr(separated, outcome)):
            return f"No play to show: {why}"
    return f"No play to show: {_NOT_SEPARATED if behaviour.witnesses else 'none was found'}"


_KNOWN_EVIDENCE_NOTES = {
    "shown": "A play shows it; --show and --html print it, unless no short one is found (more --work)",
    "hidden": f"Found so far: {UNSHOWN_EDIT_REASONS['hidden'][1]}",
}
_NOT_SEPARATED = "the edits could not be told apart by plays; --all has those that were found"


def witness_subject_lines(witness: PlayWitness, diff: DiffResult) -> tuple[str, ...]:
    """The edits a witness shows, one line each, and how many it needs; nothing if the comparison has one edit."""
    about, separated = witness.subject, diff.separated
    if about is None or separated is None:
        return ()
    number = len(separated.shown) + sum(len(getattr(separated, outcome)) for outcome in UNSHOWN_EDIT_REASONS)
    if number == len(about.edits) == 1:
        return ()
    more = len(_edit_lines(about.needed, diff))
    needs = (f"with {format_counted_noun(more, 'edit')} that it needs",) if more else ()
    return (*_edit_lines(about.edits, diff), *needs)


def list_unshown_edits(diff: DiffResult) -> Iterator[TitledList]:
    """Edits without a witness, by reason."""
    separated = diff.separated
    if separated is None:
        return
    shown = {number for witness in diff.witnesses if witness.subject for number in witness.subject.edits}
    unshown = {"Plays show these too (more --witnesses):": [one for one in separated.shown if one not in shown]}
    unshown |= {title: getattr(separated, outcome) for outcome, (title, _) in UNSHOWN_EDIT_REASONS.items()}
    for title, numbers in unshown.items():
        if lines := _edit_lines(numbers, diff):
            yield TitledList(title, lines)


def list_migrated_scenarios(diff: DiffResult, *, every: bool = False) -> Iterator[TitledList]:
    """Scenarios of the old revision that differ, or cannot be compared, under the new one.

    Unless `every`, only the first of those with the same reason is named.
    """
    differing, lost = list[str](), dict[str, list[str]]()
    for play in diff.scenarios:
        name = shorten_shipped_path(play.name)
        if play.outcome == "differs":
            differing.append(describe_migrated_game(replace(play, name=name)))
        elif play.outcome == "lost":
            lost.setdefault(play.message, []).append(name)
    if differing:
        yield TitledList("Scenarios that play differently:", tuple(differing))
    lines = list[str]()
    for why, names in lost.items():
        more = f", and {len(names) - 1} more" if len(names) > 1 else ""
        lines += (f"{name}: {why}" for name in names) if every else [f"{names[0]}{more}: {why}"]
    if lines:
        yield TitledList("Scenarios that cannot be compared:", tuple(map(make_visible, lines)))


def shorten_shipped_path(file: str) -> str:
    """Display path of a file: for a shipped ruleset relative to the shipped ones."""
    return file.removeprefix(f"{get_resource_folder('rulesets').as_posix()}/")


def edit_positions(numbers: Sequence[int], diff: DiffResult) -> list[int]:
    """Indexes, from 0, of edits among those that are shown."""
    known = {edit.number: place for place, edit in enumerate(_shown_edits(diff))}
    return sorted(known[number] for number in numbers if number in known)


def _shown_edits(diff: DiffResult) -> list[RenderedEdit]:
    return [edit for edit in diff.worded_edits if edit.section != IMPLIED_SECTION]


def _edit_lines(numbers: Sequence[int], diff: DiffResult) -> tuple[str, ...]:
    shown = _shown_edits(diff)
    return tuple(make_visible(str(shown[place])) for place in edit_positions(numbers, diff))
