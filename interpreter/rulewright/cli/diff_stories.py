"""Witnesses as stories: both plays side by side, the same happening on one row, for a page and for a terminal."""

from collections.abc import Iterator, Sequence
from itertools import takewhile, zip_longest
from textwrap import wrap

from rulewright.cli.beside import Piece, blocks_of, pieces
from rulewright.cli.diff_found import Found
from rulewright.cli.diff_witnesses import ordered_as, stands, start_of, stored, subject
from rulewright.comparing.playing.data import DIFFERENCES, Witness
from rulewright.comparing.playing.spreading import Moment, moments
from rulewright.diagnostics.terminal import PLAIN, Paint, visible
from rulewright.frozen import dataclass
from rulewright.telling.conditions import spoken

_ROLES = {"OLD": "error", "NEW": "good"}
_GUTTER = len("  OLD  ")
_LEAST = 24


@dataclass(frozen=True, slots=True)
class StoryRow:
    """A line of each revision, or of one, or what both tell alike."""

    both: str = ""
    old: tuple[Piece, ...] = ()
    new: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True)
class Play:
    """A witness: its start and its story line by line."""

    title: str
    shows: tuple[str, ...]
    start: tuple[StoryRow, ...]
    story: tuple[StoryRow, ...]

    @property
    def told(self) -> tuple[str, ...]:
        """Both as text without colours, lines of any length."""
        return tuple(lines_of(self, PLAIN))


def lines_of(play: Play, paint: Paint, width: int | None = None) -> Iterator[str]:
    """A play as text: what both tell stands once, each other line behind the revision that tells it.

    Args:
        play: the play.
        paint: colours.
        width: the columns of a line; any number where none are given.
    """
    for title, rows in (("start", play.start), ("play", play.story)):
        if rows:
            yield f"  {paint(title, 'place')}"
        for row in rows:
            for sign, told in (("", (Piece(row.both),)), ("OLD", row.old), ("NEW", row.new)):
                text = "".join(each.text for each in told)
                yield from _behind(sign, text.split("\n") if text else (), paint, width)


def _behind(sign: str, lines: Sequence[str], paint: Paint, width: int | None) -> Iterator[str]:
    """Lines behind the revision that tells them, which stands before each once."""
    gutter = f"  {paint(sign, _ROLES[sign])}  " if sign else " " * _GUTTER
    for line in lines:
        first, *more = _fitted(visible(line), width)
        yield f"{gutter}{first}"
        yield from (f"{' ' * _GUTTER}{each}" for each in more)


def _fitted(line: str, width: int | None) -> list[str]:
    """A line in parts that fit behind the gutter, those after the first indented further."""
    if width is None:
        return [line]
    inside = line[: len(line) - len(line.lstrip())]
    room = max(width - _GUTTER, len(inside) + _LEAST)
    made = wrap(line, room, subsequent_indent=f"{inside}    ", break_long_words=False, break_on_hyphens=False)
    return made or [""]


def play_of(witness: Witness, found: Found) -> Play:
    """A witness, told line by line."""
    start = _lines([*start_of(witness.old)], [*start_of(ordered_as(witness.new, witness.old))])
    if witness.sort == "start":
        both = [stored(each) for each in (witness.old, witness.new)]
        was, now = ([line for line in each if line not in other] for each, other in (both, both[::-1]))
        story = _lines(was, now)
    else:
        old, new = stands(witness)
        story = _story(
            [*moments(witness.old.session, witness.addresses), old], [*moments(witness.new.session, {}), new]
        )
    programs = found.old.program, found.new.program
    begun = (
        program.procedures[each.procedure] for program, each in zip(programs, (witness.old, witness.new), strict=True)
    )
    called = " → ".join(dict.fromkeys(each.title or spoken(each.name) for each in begun))
    return Play(f"{called}: {DIFFERENCES[witness.sort]}", subject(witness, found), tuple(start), tuple(story))


def _story(old: Sequence[Moment], new: Sequence[Moment]) -> Iterator[StoryRow]:
    """All that happens until both part, then what still happens in both, and at last where both stand."""
    pairs = zip(old[:-1], new[:-1], strict=False)
    common = sum(1 for _ in takewhile(lambda pair: pair[0].is_like(pair[1]), pairs))
    for one, other in zip(old[:common], new[:common], strict=True):
        yield from _lines(one.lines, other.lines)
    yield from _aligned(_told(old[common:-1]), _told(new[common:-1]))
    yield from _lines(old[-1].lines, new[-1].lines)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a story, and where it happens; a heading is known by its words alone."""

    text: str
    place: object


def _told(moments: Sequence[Moment]) -> list[_Line]:
    return [
        _Line(text, (each.address, number) if number == 1 else text)
        for each in moments
        for number, text in zip(range(len(each.lines), 0, -1), each.lines, strict=True)
    ]


def _aligned(old: Sequence[_Line], new: Sequence[_Line]) -> Iterator[StoryRow]:
    """Lines that both tell on one row, then those that happen at one place; each other one opposite a gap."""
    for tag, first, end, start, stop in blocks_of([each.text for each in old], [each.text for each in new]):
        if tag == "equal":
            yield from (StoryRow(both=each.text) for each in old[first:end])
            continue
        was, now = old[first:end], new[start:stop]
        for same, one, after, other, last in blocks_of([each.place for each in was], [each.place for each in now]):
            if same == "equal":
                yield from (_row(a.text, b.text) for a, b in zip(was[one:after], now[other:last], strict=True))
            else:
                yield from _alone([each.text for each in was[one:after]], [each.text for each in now[other:last]])


def _alone(old: Sequence[str], new: Sequence[str]) -> Iterator[StoryRow]:
    if old:
        yield StoryRow(old=_whole(old))
    if new:
        yield StoryRow(new=_whole(new))


def _lines(old: Sequence[str], new: Sequence[str]) -> Iterator[StoryRow]:
    """The lines of one happening in both revisions; of those that are otherwise each beside the other."""
    for tag, first, end, start, stop in blocks_of(old, new):
        if tag == "equal":
            yield from (StoryRow(both=each) for each in old[first:end])
        else:
            yield from _apart(old[first:end], new[start:stop])


def _apart(old: Sequence[str], new: Sequence[str]) -> Iterator[StoryRow]:
    """Lines that differ: each beside the other, or all at once where no two have much in common."""
    rows = [_row(*pair) for pair in zip_longest(old, new)]
    if any(piece.is_marked for row in rows for piece in (*row.old, *row.new)):
        yield from rows
    else:
        yield StoryRow(old=_whole(old), new=_whole(new))


def _row(old: str | None, new: str | None) -> StoryRow:
    was, now = pieces(old or "", new or "")
    return StoryRow(old=was or _whole([old] if old else []), new=now or _whole([new] if new else []))


def _whole(lines: Sequence[str]) -> tuple[Piece, ...]:
    return (Piece("\n".join(lines)),) if lines else ()
