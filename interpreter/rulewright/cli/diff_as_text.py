"""What differs between two revisions, as text: the verdicts, then the edits below their steps; or one row in full."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from rulewright.cli.diff_found import Found, Side, groups
from rulewright.cli.diff_screen import heading, scenarios_told
from rulewright.cli.diff_witnesses import (
    BECAME,
    Left,
    Stretch,
    beside,
    game_told,
    left,
    scenarios,
    subject,
    tale,
    value_told,
)
from rulewright.cli.exits import Stop, complaint
from rulewright.cli.output import Output
from rulewright.comparing.edit_report import Told
from rulewright.comparing.edits import SECTIONS, TITLES
from rulewright.comparing.playing.data import Witness
from rulewright.comparing.report.rows import GONE, Row
from rulewright.diagnostics.visible import visible

_EDITS = ("rules", "rewritten", "declarations", "names", "wording")
_ROLES = {"added": "good", "removed": "error", "changed": "warning", "moved": "warning"}
_GOOD = frozenset({"identical", "cosmetic", "renumbered", "equivalent"})


def lines(found: Found, out: Output, *, whole: bool) -> Iterator[str]:
    """All that is known, at length; of margins only how many differ, unless the whole is asked for."""
    yield from _sides(found, out)
    yield ""
    yield from _verdicts(found, out)
    yield from _sections(found, SECTIONS, out, folded=not whole)
    behaviour = found.whole.behaviour
    if behaviour is not None and behaviour.values:
        yield from ("", out.paint("Values:", "strong"))
        yield from (f"  {value_told(each)}" for each in behaviour.values)
    for number, each in enumerate(behaviour.witnesses if behaviour else (), 1):
        yield ""
        yield from witness(f"Witness {number}", each, found, out)
    yield from _listed(left(found), out)
    yield from _old_plays(found, out)


def parts(found: Found, wanted: Collection[str], out: Output) -> Iterator[str]:
    """What was asked for by itself: `edits`, `readings`, `margins`, `scenarios`."""
    yield from heading(found, out)
    quiet = frozenset(found.screen.folded.readings)
    if "edits" in wanted:
        yield from _sections(found, _EDITS, out, without=quiet)
    if "readings" in wanted:
        yield from ("", out.paint("Readings, and what only another one than the written brings:", "strong"))
        yield from _told([each for each in found.told if each.number in quiet], out)
    if "margins" in wanted:
        yield from _sections(found, ("margins", "remarks"), out)
    if "scenarios" in wanted:
        yield from ("", scenarios_told(found) or "No scenarios and scripts beside OLD")
        yield from _old_plays(found, out)


def _old_plays(found: Found, out: Output) -> Iterator[str]:
    """What becomes of scenarios, scripts and games of the old revision."""
    yield from _listed(scenarios(found), out)
    if found.addresses:
        yield ""
        yield out.paint("Addresses in scripts and scenarios beside OLD:", "strong")
        yield from (f"  {visible(f'{beside(each.file)}: {each.told}')}" for each in found.addresses)
    if found.games:
        yield ""
        yield out.paint("Games:", "strong")
        yield from (f"  {game_told(each)}" for each in found.games)


def _listed(many: Iterable[Left], out: Output) -> Iterator[str]:
    for one in many:
        yield from ("", out.paint(one.title, "strong"), *(f"  {edit}" for edit in one.edits))


def _sections(
    found: Found, names: Iterable[str], out: Output, *, folded: bool = False, without: Collection[int] = ()
) -> Iterator[str]:
    for name in names:
        told = tuple(each for each in found.section(name) if each.number not in without)
        if told:
            yield ""
            yield from _section(name, told, out, folded=folded and name == "margins")


def _sides(found: Found, out: Output) -> Iterator[str]:
    width = max(len(visible(side.asked.written)) for side in (found.old, found.new))
    for side in (found.old, found.new):
        yield f"{side.asked.word} {out.paint(f'{visible(side.asked.written):<{width}}', 'place')}  {_title(side)}"


def _title(side: Side) -> str:
    return visible(f'{side.program.name} "{side.program.title}" revision {side.revision}')


def _verdicts(found: Found, out: Output) -> Iterator[str]:
    verdict = found.whole.verdict
    yield f"{_painted(str(verdict), verdict.word, out)}: {verdict.says}"
    layers = found.whole.layers
    notes = {"structure": found.counts, "meaning": f"not proved alike: {found.unproved}" if found.unproved else ""}
    notes["behaviour"] = found.effort
    width = max(map(len, layers.values()))
    for layer, word in layers.items():
        note = notes.get(layer, "")
        padded = f"{word:<{width}}" if note else word
        yield f"  {layer:<9}  {_painted(padded, word, out)}{out.paint(f'  {visible(note)}', 'dim') if note else ''}"


def _painted(text: str, word: str, out: Output) -> str:
    return out.paint(text, "good" if word in _GOOD else "warning")


def _section(name: str, told: tuple[Told, ...], out: Output, *, folded: bool) -> Iterator[str]:
    title = out.paint(f"{TITLES.get(name, name.capitalize())}:", "strong")
    if folded:
        yield f"{title} {len(told)}, shown with --all"
        return
    yield title
    yield from _told(told, out)


def _told(told: Sequence[Told], out: Output) -> Iterator[str]:
    """Edits below their steps and declarations."""
    for inside in groups(tuple(told)):
        if len(inside) == 1:
            yield f"  {_said(inside[0], inside[0].head, out)}"
            continue
        yield f"  {visible(inside[0].heading)}"
        yield from (f"    {_said(each, each.inner, out)}" for each in inside)


def witness(called: str, each: Witness, found: Found, out: Output) -> Iterator[str]:
    """A play by which both differ, under a name."""
    told = tale(each, out.paint)
    yield f"{out.paint(f'{called}:', 'strong')} {visible(told.title)}"
    for part in (Stretch("shows", subject(each, found)), *told.start, *told.story):
        if part.lines:
            yield f"  {out.paint(part.where, 'place')}"
            yield from (f"    {line}" for line in part.lines)


def _said(each: Told, place: str, out: Output) -> str:
    text = out.paint(visible(each.text), _ROLES[each.sort]) if each.sort in _ROLES else visible(each.text)
    return f"{visible(place)}: {text}" if place else text


def row_lines(found: Found, number: int, out: Output) -> Iterator[str]:
    """All of a row, by its number from 1.

    Raises:
        Stop: RW1109, there is no such row.
    """
    rows = found.screen.rows
    if number > len(rows):
        remedy = f"rows are numbered from 1 to {len(rows)}" if rows else "no edit may have changed play"
        raise Stop([complaint("RW1109", f"the comparison has no row {number}", remedy)])
    return _lines(found, number, rows[number - 1], out)


def _lines(found: Found, number: int, row: Row, out: Output) -> Iterator[str]:
    yield from heading(found, out)
    yield ""
    yield out.paint(visible(f"{number} {'*' if row.shown else '?'} {row.name}"), "strong")
    old, new = (
        ((row.was, *row.more), (row.now,)) if row.kind == GONE else ((row.was or row.meant,), (row.now, *row.more))
    )
    for label, said, clauses in (("was", old, row.clauses[0]), ("is", new, row.clauses[1])):
        for place, each in enumerate(filter(None, said)):
            cite = f"   {clauses[place]}" if place < len(clauses) else ""
            yield visible(f"  {label if not place else '':<4} {each}{cite}")
    yield from ("", out.paint("Edits:", "strong"))
    yield from (f"  {visible(str(each))}" for each in found.told if each.number in row.edits)
    yield ""
    yield from _play(found, number, row, out)


def _play(found: Found, number: int, row: Row, out: Output) -> Iterator[str]:
    """The play that shows a row; else what is known instead."""
    behaviour = found.whole.behaviour
    if behaviour is None:
        yield "No play: nothing was played"
        return
    alone = len(found.screen.rows) == 1
    own = [each for each in behaviour.witnesses if each.subject and not set(each.subject.edits).isdisjoint(row.edits)]
    shown = own or (behaviour.witnesses if alone else ())
    if shown:
        yield from witness(f"A play of row {number}", shown[0], found, out)
        return
    valued = [value_told(each) for each in behaviour.values if row.shown and (alone or _is_about(row, each.old, found))]
    if valued:
        yield from (f"Value: {each}" for each in valued)
        return
    yield f"No play to show: {_why(found, row)}"


def _is_about(row: Row, function: str, found: Found) -> bool:
    places = [each.place.replace("/", ".") for each in found.told if each.number in row.edits]
    return any(function in each for each in places)


def _why(found: Found, row: Row) -> str:
    separated = found.whole.behaviour.separated if found.whole.behaviour else None
    for outcome, (_, why) in BECAME.items() if separated is not None else ():
        if not set(row.edits).isdisjoint(getattr(separated, outcome)):
            return why
    return "the edits could not be told apart by plays; --all has those that were found"
