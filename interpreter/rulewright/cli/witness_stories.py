"""Witnesses of `diff` for pages and terminals: as stories, both plays line by line with equal events on one row; as pictures.

Pictures show their boards, their stories a little beyond the difference, and the scenario most like each.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import takewhile, zip_longest
from textwrap import wrap
from typing import Any, TypeVar

from rulewright.base.diagnostics import PLAIN_PAINTER, Painter, make_visible
from rulewright.base.frozen import dataclass
from rulewright.cli.diff_result import ComparedSide, DiffResult, read_cases_beside
from rulewright.cli.diff_witnesses import (
    final_moments,
    flatten_json,
    flatten_start_state,
    order_start_like,
    render_start,
    witness_subject_lines,
)
from rulewright.diff.differential_testing.replays import TracedEvent, trace_events
from rulewright.diff.differential_testing.results import DIFFERENCE_KINDS, PlayWitness, WitnessSide
from rulewright.diff.differential_testing.scenario_migration import filter_own_cases
from rulewright.documents.state_json import state_to_json
from rulewright.play.public_position import list_session_boards
from rulewright.play.session import Session
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.request import CHANCE_SORTS, EXTERNAL_SORTS, Refused
from rulewright.runtime.run import Paused
from rulewright.scenarios.case_opening import CompiledRuleset, RulesetLoader, open_case_under
from rulewright.scenarios.case_play import excerpt_play
from rulewright.scenarios.suite import ScenarioCase
from rulewright.wording.english import speak_name

_T = TypeVar("_T")
_WORD_PATTERN = re.compile(r"\(-?\d+, -?\d+\)|\s+|\w+|[^\w\s]")
_MIN_SIMILARITY_RATIO = 0.5


@dataclass(frozen=True, slots=True)
class MarkedPiece:
    """A part of a line, marked if the opposite line differs."""

    text: str
    is_marked: bool = False


def mark_differing_words(old: str, new: str) -> tuple[tuple[MarkedPiece, ...], tuple[MarkedPiece, ...]]:
    """Two lines in pieces with differing words marked; nothing if they have little in common."""
    was, now = _WORD_PATTERN.findall(old), _WORD_PATTERN.findall(new)
    matcher = SequenceMatcher(None, was, now, autojunk=False)
    if matcher.ratio() < _MIN_SIMILARITY_RATIO:
        return (), ()
    blocks = matcher.get_opcodes()
    return (
        tuple(_make_piece(was[first:end], tag) for tag, first, end, _, _ in blocks if end > first),
        tuple(_make_piece(now[start:stop], tag) for tag, _, _, start, stop in blocks if stop > start),
    )


def _make_piece(words: Sequence[str], tag: str) -> MarkedPiece:
    return MarkedPiece("".join(words), is_marked=tag != "equal")


def find_matching_blocks(old: Sequence[_T], new: Sequence[_T]) -> Sequence[tuple[str, int, int, int, int]]:
    """Opcodes of `difflib` for two sequences."""
    return SequenceMatcher(None, old, new, autojunk=False).get_opcodes()


_SIDE_ROLES = {"OLD": "error", "NEW": "good"}
_GUTTER_WIDTH = len("  OLD  ")
_MIN_TEXT_WIDTH = 24


@dataclass(frozen=True, slots=True)
class StoryRow:
    """A line of each revision, of one, or of both alike."""

    both: str = ""
    old: tuple[MarkedPiece, ...] = ()
    new: tuple[MarkedPiece, ...] = ()


@dataclass(frozen=True, slots=True)
class WitnessStory:
    """A witness: its start, and its story line by line."""

    title: str
    shows: tuple[str, ...]
    start: tuple[StoryRow, ...]
    story: tuple[StoryRow, ...]

    @property
    def text_lines(self) -> tuple[str, ...]:
        """Text without colours and without wrapping."""
        return tuple(render_story(self, PLAIN_PAINTER))


def render_story(play: WitnessStory, paint: Painter, width: int | None = None) -> Iterator[str]:
    """A witness as text: common lines once, other lines behind the sign of their revision.

    Args:
        play: the witness.
        paint: colours.
        width: columns of a line; None: unlimited.
    """
    for title, rows in (("start", play.start), ("play", play.story)):
        if rows:
            yield f"  {paint(title, 'place')}"
        for row in rows:
            for sign, pieces in (("", (MarkedPiece(row.both),)), ("OLD", row.old), ("NEW", row.new)):
                text = "".join(one.text for one in pieces)
                yield from _render_behind_gutter(sign, text.split("\n") if text else (), paint, width)


def _render_behind_gutter(sign: str, lines: Sequence[str], paint: Painter, width: int | None) -> Iterator[str]:
    """Lines behind the sign of their revision, wrapped with a hanging indent."""
    blank = " " * _GUTTER_WIDTH
    for line in map(make_visible, lines):
        inside = line[: len(line) - len(line.lstrip())]
        wrapped = [line]
        if width is not None:
            room = max(width - _GUTTER_WIDTH, len(inside) + _MIN_TEXT_WIDTH)
            wrapped = wrap(
                line, room, subsequent_indent=f"{inside}    ", break_long_words=False, break_on_hyphens=False
            ) or [""]
        first, *more = wrapped
        yield f"{f'  {paint(sign, _SIDE_ROLES[sign])}  ' if sign else blank}{first}"
        yield from (f"{blank}{item}" for item in more)


def make_witness_story(witness: PlayWitness, diff: DiffResult) -> WitnessStory:
    """The story of a witness."""
    start = _pair_lines([*render_start(witness.old)], [*render_start(order_start_like(witness.new, witness.old))])
    if witness.sort == "start":
        both = [flatten_start_state(side) for side in (witness.old, witness.new)]
        story = _pair_lines(*([line for line in one if line not in other] for one, other in (both, both[::-1])))
    else:
        old, new = final_moments(witness)
        story = _pair_moments(
            [*trace_events(witness.old.session, witness.addresses), old], [*trace_events(witness.new.session, {}), new]
        )
    sides = ((diff.old.program, witness.old), (diff.new.program, witness.new))
    procedures = [program.procedures[side.procedure] for program, side in sides]
    called = " → ".join(dict.fromkeys(item.title or speak_name(item.name) for item in procedures))
    return WitnessStory(
        f"{called}: {DIFFERENCE_KINDS[witness.sort]}", witness_subject_lines(witness, diff), tuple(start), tuple(story)
    )


def _pair_moments(old: Sequence[TracedEvent], new: Sequence[TracedEvent]) -> Iterator[StoryRow]:
    """Rows up to the parting, then events that both still have, and the final positions."""
    pairs = zip(old[:-1], new[:-1], strict=False)
    common = sum(1 for _ in takewhile(lambda pair: pair[0].is_same_event(pair[1]), pairs))
    for one, other in zip(old[:common], new[:common], strict=True):
        yield from _pair_lines(one.lines, other.lines)
    yield from _align_lines(_collect_story_lines(old[common:-1]), _collect_story_lines(new[common:-1]))
    yield from _pair_lines(old[-1].lines, new[-1].lines)


@dataclass(frozen=True, slots=True)
class _StoryLine:
    """A line of a story with its address; headings are compared by text alone."""

    text: str
    place: object


def _collect_story_lines(moments: Sequence[TracedEvent]) -> list[_StoryLine]:
    return [
        _StoryLine(text, (moment.address, number) if number == 1 else text)
        for moment in moments
        for number, text in zip(range(len(moment.lines), 0, -1), moment.lines, strict=True)
    ]


def _align_lines(old: Sequence[_StoryLine], new: Sequence[_StoryLine]) -> Iterator[StoryRow]:
    """Rows of equal lines, then of lines with equal addresses; others opposite a gap."""
    texts, places = ([[getattr(line, name) for line in side] for side in (old, new)] for name in ("text", "place"))
    for tag, first, end, start, stop in find_matching_blocks(*texts):
        if tag == "equal":
            yield from (StoryRow(both=text) for text in texts[0][first:end])
            continue
        was, now = texts[0][first:end], texts[1][start:stop]
        for same, one, after, other, last in find_matching_blocks(places[0][first:end], places[1][start:stop]):
            if same == "equal":
                yield from map(_mark_row, was[one:after], now[other:last])
                continue
            if after > one:
                yield StoryRow(old=_unmarked_piece(was[one:after]))
            if last > other:
                yield StoryRow(new=_unmarked_piece(now[other:last]))


def _pair_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[StoryRow]:
    """Rows of one event in both revisions, differing lines beside each other."""
    for tag, first, end, start, stop in find_matching_blocks(old, new):
        if tag == "equal":
            yield from (StoryRow(both=item) for item in old[first:end])
            continue
        # differing lines beside each other, or all at once if no two are similar
        was, now = old[first:end], new[start:stop]
        rows = [_mark_row(*pair) for pair in zip_longest(was, now)]
        if any(piece.is_marked for row in rows for piece in (*row.old, *row.new)):
            yield from rows
        else:
            yield StoryRow(old=_unmarked_piece(was), new=_unmarked_piece(now))


def _mark_row(old: str | None, new: str | None) -> StoryRow:
    was, now = mark_differing_words(old or "", new or "")
    return StoryRow(old=was or _unmarked_piece([old] if old else []), new=now or _unmarked_piece([new] if new else []))


def _unmarked_piece(lines: Sequence[str]) -> tuple[MarkedPiece, ...]:
    return (MarkedPiece("\n".join(lines)),) if lines else ()


_MAX_FURTHER_ANSWERS = 3
"""Answers given beyond the difference, so that a board shows what came of it."""
_MIN_LIKENESS = 0.5
"""Share of the values of a start that a scenario must have to be called like it."""


def witness_scene_json(side: WitnessSide) -> dict[str, Any]:
    """The boards before and after, and the story; beyond the difference each choice gets its first legal answer."""
    session = _play_further(side.session)
    return {"boards": list_session_boards(session), "told": list(excerpt_play(session).lines)}


def _play_further(session: Session) -> Session:
    for _ in range(_MAX_FURTHER_ANSWERS):
        if not isinstance(session.outcome, Paused) or session.outcome.request.sort in CHANCE_SORTS | EXTERNAL_SORTS:
            break
        sources = replace(session.sources, script=None, seen_answers=(), policy="first", policies={})
        reply = sources.answer_without_script(session.outcome, session.turns.count_occasions(session.outcome.asked))
        after = None if reply is None or reply.answer is None else session.apply_answer(reply.answer, sources)
        if after is None or isinstance(after, Refused):
            break
        session = after
    return session


class LikeScenarioFinder:
    """Finds for a witness the scenario beside OLD that begins most like it."""

    def __init__(self, old: ComparedSide, preferred: Collection[str]) -> None:
        """`preferred`: names of scenarios, after their file, that go before others which are as much alike."""
        self._starts = sorted(
            _scenario_starts(old), key=lambda start: not any(name.endswith(f": {start[0].name}") for name in preferred)
        )

    def find_like_scenario(self, witness: PlayWitness) -> dict[str, Any] | None:
        """File and name of the scenario, and whether the witness begins exactly as it does; None if none is like it."""
        side = witness.old
        values, own_roles = frozenset(flatten_start_state(side)), dict(side.roles)
        document, most = None, 0.0
        for case, roles, known in self._starts:
            shared = len(values & known) + len(values) * (roles == own_roles)
            likeness = shared / (2 * len(values))
            if case.procedure.text == side.procedure and likeness > most:
                is_exact = values <= known and roles == own_roles
                document, most = {"file": case.file, "name": case.name, "exact": is_exact}, likeness
        return None if most < _MIN_LIKENESS else document


def _scenario_starts(old: ComparedSide) -> Iterator[tuple[ScenarioCase, dict[str, Any], frozenset[str]]]:
    """Scenarios of the old revision, each with its roles and the values of its start."""
    rules = RulesetLoader(old.request.provider)
    ruled: CompiledRuleset | None = None
    for case in filter_own_cases(read_cases_beside(old), old.beside):
        ruled = ruled or rules.compile_for_case(case).value
        opened = None if ruled is None else open_case_under(replace(case, covers=()), ruled, RunLimits()).value
        if opened is not None:
            state = state_to_json(opened.start.situation, opened.start.executable.program)
            yield case, opened.start.arguments_to_json(), frozenset(flatten_json(state, ()))
