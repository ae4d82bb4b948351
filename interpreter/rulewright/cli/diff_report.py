"""What differs between two revisions, as text and as JSON data (`grammar/schemas/diff.schema.json`).

As text: the verdicts, then the edits below their steps; or one row in full.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from rulewright.cli import diff_odds
from rulewright.cli.diff_found import Found, Side, as_json, groups
from rulewright.cli.diff_screen import heading, headline, scenarios_told, unedited
from rulewright.cli.diff_stories import lines_of, play_of
from rulewright.cli.diff_warnings import warnings
from rulewright.cli.diff_witnesses import (
    BECAME,
    Left,
    beside,
    game_told,
    left,
    places,
    proof_of,
    scenarios,
    value_told,
)
from rulewright.cli.output import Output, stopped
from rulewright.comparing.edit_report import Told
from rulewright.comparing.edits import IMPLIED, SECTIONS, TITLES
from rulewright.comparing.playing.data import (
    DIFFERENCES,
    Behaviour,
    Evidence,
    Migrated,
    Side as Played,
    ValueWitness,
    Witness,
)
from rulewright.comparing.report.rows import GONE, Row
from rulewright.diagnostics.renderings import start_json
from rulewright.diagnostics.terminal import visible
from rulewright.outline.items import Name

VERSION = 2
_FOLDED = ("readings", "helpers", "same", "rewritten", "wording", "margins")
_EDITS = ("rules", "rewritten", "declarations", "names", "wording")
_ROLES = {"added": "good", "removed": "error", "changed": "warning", "moved": "warning"}
_GOOD = frozenset({"identical", "cosmetic", "renumbered", "equivalent"})


def document(found: Found) -> dict[str, Any]:
    """The whole document; every key is always there."""
    counted = [len(each.screen.rows) for each in found.parts]
    return {
        "version": VERSION,
        "old": side_data(found.old),
        "new": side_data(found.new),
        **_part(found, 0),
        "verdict": {"word": found.verdict.word, "how": found.verdict.how},
        "layers": dict(found.layers),
        "odds": diff_odds.document(found),
        "games": [_game(each) for each in found.games],
        "addresses": as_json(found.addresses),
        "amended": [
            {"called": each.called, "old": side_data(each.old), "new": side_data(each.new)}
            | _part(each, sum(counted[:number]))
            for number, each in enumerate(found.amended, 1)
        ],
        "scenarios": _scenarios(found.scenarios),
        "warnings": list(warnings(found)),
        "lone": list(found.lone),
        "open": list(found.open),
        "unread": list(found.unread),
    }


def _part(found: Found, before: int) -> dict[str, Any]:
    """What is told of two rulesets, or of them as they are amended; their rows come after so many others."""
    verdict, remaining = found.whole.verdict, found.whole.comparison.remaining
    return {
        "verdict": {"word": verdict.word, "how": verdict.how},
        "layers": found.whole.layers,
        "screen": _screen(found, before),
        "played": _played(found.whole.behaviour, found),
        "edits": [_edit(each, found) for each in found.told if each.section != IMPLIED],
        "unproved": {"old": [_name(each) for each in remaining.old], "new": [_name(each) for each in remaining.new]},
    }


def _screen(found: Found, before: int) -> dict[str, Any]:
    shown = found.screen
    return {
        "headline": headline(found),
        "rows": [
            {
                "number": number,
                "kind": each.kind,
                "shown": each.shown,
                "name": each.name,
                "was": each.was,
                "now": each.now,
                "more": list(each.more),
                "clauses": {"old": list(each.clauses[0]), "new": list(each.clauses[1])},
                "edits": places(each.edits, found),
            }
            for number, each in enumerate(shown.rows, before + 1)
        ],
        "also": [
            {"old": each.old or None, "new": each.new, "says": each.says} for each in (*shown.stated, *shown.reworded)
        ],
        "names": [{"old": old, "new": new} for old, new in shown.names],
        "folded": {name: places(getattr(shown.folded, name), found) for name in _FOLDED},
    }


def _played(behaviour: Behaviour | None, found: Found) -> dict[str, Any] | None:
    if behaviour is None:
        return None
    return {
        "seed": behaviour.seed,
        "work": behaviour.work,
        "cut": behaviour.cut,
        "plays": behaviour.plays,
        "limits": [{"code": code, "plays": plays} for code, plays in behaviour.limits],
        "entrances": [
            {"old": each.old, "new": each.new, "plays": each.plays, "exhausted": each.exhausted}
            for each in behaviour.entrances
        ],
        "space": list(behaviour.verdict.space),
        "spared": list(behaviour.spared),
        "functions": [
            {"old": each.old, "new": each.new, "number": each.number, "equal": each.equal, "space": each.space}
            for each in behaviour.functions
        ],
        "settled": [
            {"old": each.old, "new": each.new, "reads": list(each.reads), "combinations": each.number}
            for each in behaviour.settled
        ],
        "evidence": [_evidence(each) for each in behaviour.evidence],
        "values": [_value(each) for each in behaviour.values],
        "witnesses": [
            {
                "sort": each.sort,
                "says": DIFFERENCES[each.sort],
                "shows": places(each.subject.edits, found) if each.subject else [],
                "needs": places(each.subject.needed, found) if each.subject else [],
                "old": _play_json(each.old),
                "new": _play_json(each.new),
            }
            for each in behaviour.witnesses
        ],
        "separated": behaviour.separated
        and {name: places(getattr(behaviour.separated, name), found) for name in ("seen", *BECAME)},
        "scenarios": _scenarios(found.scenarios),
    }


def _scenarios(played: Sequence[Migrated]) -> dict[str, Any]:
    return {
        "same": sum(each.outcome == "same" for each in played),
        "differing": [_game(each) for each in played if each.outcome == "differs"],
        "incomparable": [_game(each) for each in played if each.outcome == "lost"],
    }


def _evidence(each: Evidence) -> dict[str, Any]:
    old, new = ({"address": at, "text": text} for at, text in zip(each.addresses, each.texts, strict=True))
    return {
        "old": old,
        "new": new,
        "plays": each.plays,
        "reads": list(each.reads),
        "combinations": each.combinations,
        "tried": each.tried,
        "differing": each.differing,
        "lacking": each.lacking,
    }


def _game(each: Migrated) -> dict[str, Any]:
    return {
        "name": each.name,
        "outcome": each.outcome,
        "sort": each.sort,
        "answers": each.answers,
        "old": each.addresses[0],
        "new": each.addresses[1],
        "message": each.message,
    }


def _value(each: ValueWitness) -> dict[str, Any]:
    states = each.states or (None, None)
    sides = zip((each.old, each.new), each.arguments, each.settings, states, each.values, strict=True)
    old, new = (
        {
            "function": name,
            "arguments": dict(given),
            "settings": dict(settings),
            "state": None if state is None else dict(state),
            "value": value,
        }
        for name, given, settings, state, value in sides
    )
    return {"old": old, "new": new}


def _play_json(side: Played) -> dict[str, Any]:
    return {
        "procedure": side.procedure,
        "state": dict(side.state),
        "roles": dict(side.roles),
        "answers": [{"at": each.at, "by": each.by, "answer": each.answer} for each in side.answers],
        "outcome": side.outcome,
        "address": side.address,
        "changes": dict(side.changes),
    }


def side_data(side: Side) -> dict[str, Any]:
    """What is compared, as data."""
    program = side.program
    return {
        "place": side.asked.written,
        "name": program.name,
        "title": program.title,
        "revision": program.revision,
        "overlays": [{"file": file, "revision": revision} for file, revision in side.overlays],
        "fingerprint": program.fingerprint,
    }


def _edit(each: Told, found: Found) -> dict[str, Any]:
    return {
        "section": each.section,
        "sort": each.sort,
        "group": each.group,
        "title": each.title,
        "place": each.place,
        "text": each.text,
        "cites": list(each.cites),
        "old": start_json(each.old, found.old.loaded.texts),
        "new": start_json(each.new, found.new.loaded.texts),
    }


def _name(name: Name) -> dict[str, str]:
    return {"sort": name.sort, "name": name.name}


def lines(found: Found, out: Output, *, whole: bool) -> Iterator[str]:
    """All that is known, at length; of margins only how many differ, unless the whole is asked for."""
    width = max(len(visible(side.asked.written)) for side in (found.old, found.new))
    for side in (found.old, found.new):
        title = f'{side.program.name} "{side.program.title}" revision {side.revision}'
        yield f"{side.asked.word} {out.paint(f'{visible(side.asked.written):<{width}}', 'place')}  {visible(title)}"
    yield ""
    yield from _verdicts(found, out)
    warned = tuple(map(visible, warnings(found)))
    yield from _listed([Left("Warnings:", warned)] if warned else (), out)
    before = 0
    for part in found.parts:
        if part.called:
            yield from ("", out.paint(f"{part.called[0].upper()}{part.called[1:]}:", "strong"), *_verdicts(part, out))
        yield from _sections(part, SECTIONS, out, folded=not whole)
        yield from _listed(unedited(part) if whole else (), out)
        behaviour = part.whole.behaviour
        if behaviour is not None and behaviour.values:
            yield from ("", out.paint("Values:", "strong"))
            yield from (f"  {value_told(each, part)}" for each in behaviour.values)
        for number, each in enumerate(behaviour.witnesses if behaviour else (), before + 1):
            yield ""
            yield from witness(f"Witness {number}", each, part, out)
        before += len(behaviour.witnesses) if behaviour else 0
        yield from _listed(left(part), out)
    yield from _listed(diff_odds.listed(found), out)
    yield from _old_plays(found, out)
    yield from _listed(
        [Left("Files that differ and do not belong to the rules:", found.unread)] * bool(found.unread), out
    )


def parts(found: Found, wanted: Collection[str], out: Output, *, headed: bool = True) -> Iterator[str]:
    """What was asked for by itself or after a row: `edits`, `readings`, `margins`, `scenarios`."""
    yield from heading(found, out) if headed else ()
    quiet = [frozenset(each.screen.folded.readings) for each in found.parts]
    if "edits" in wanted:
        yield from _each_section(found, _EDITS, out, quiet)
    if "readings" in wanted:
        told = [one for each, own in zip(found.parts, quiet, strict=True) for one in each.told if one.number in own]
        head = "Readings, and what only another one than the written brings" if told else "No change of a reading alone"
        yield from ("", out.paint(f"{head}:", "strong") if told else head, *_told(told, out))
    if "margins" in wanted:
        yield from _each_section(found, ("margins", "remarks"), out)
        yield from (line for part in found.parts for line in _listed(unedited(part), out))
    if "scenarios" in wanted:
        yield from ("", scenarios_told(found) or "No scenarios and scripts beside OLD")
        yield from _old_plays(found, out)


def _each_section(
    found: Found, names: Sequence[str], out: Output, without: Sequence[Collection[int]] = ()
) -> Iterator[str]:
    """Sections of the rules by themselves, then of them as they are amended."""
    for number, each in enumerate(found.parts):
        lines = [*_sections(each, names, out, without=without[number] if without else ())]
        if lines and each.called:
            yield from ("", out.paint(f"{each.called[0].upper()}{each.called[1:]}:", "strong"))
        yield from lines


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


def _verdicts(found: Found, out: Output) -> Iterator[str]:
    verdict, layers = (found.whole.verdict, found.whole.layers) if found.called else (found.verdict, found.layers)
    yield f"{_painted(str(verdict), verdict.word, out)}: {verdict.says}"
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
    play = play_of(each, found)
    yield f"{out.paint(f'{called}:', 'strong')} {visible(play.title)}"
    if play.shows:
        yield f"  {out.paint('shows', 'place')}"
        yield from (f"    {line}" for line in play.shows)
    yield from lines_of(play, out.paint, out.width if out.form == "human" else None)


def _said(each: Told, place: str, out: Output) -> str:
    text = out.paint(visible(each.text), _ROLES[each.sort]) if each.sort in _ROLES else visible(each.text)
    return f"{visible(place)}: {text}" if place else text


def row_lines(found: Found, number: int, out: Output) -> Iterator[str]:
    """All of a row, by its number from 1; stops with RW1109 where there is no such row."""
    every = [(each, row) for each in found.parts for row in each.screen.rows]
    if number > len(every):
        remedy = f"rows are numbered from 1 to {len(every)}" if every else "no edit may have changed play"
        raise stopped("RW1109", f"the comparison has no row {number}", remedy)
    part, row = every[number - 1]
    return _lines(part, number, row, out)


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
    proof = proof_of(row, found)
    if proof.lacking:
        yield proof.lacking
    if proof.play is not None:
        yield from witness(f"A play of row {number}", proof.play, found, out)
    yield from (f"Value: {each}" for each in proof.values)
