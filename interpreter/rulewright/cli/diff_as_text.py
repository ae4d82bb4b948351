"""What differs between two revisions, as text: the verdicts, then the edits below their steps and declarations."""

from collections.abc import Iterator

from rulewright.cli.diff_found import Found, groups
from rulewright.cli.diff_sides import Side
from rulewright.cli.diff_subjects import left, scenarios, subject
from rulewright.cli.diff_witnesses import Stretch, Tale, game_told, tale, value_told
from rulewright.cli.output import Output
from rulewright.comparing.sections import SECTIONS, TITLES
from rulewright.comparing.telling import Told
from rulewright.diagnostics.visible import visible

_ROLES = {"added": "good", "removed": "error", "changed": "warning", "moved": "warning"}
_GOOD = frozenset({"identical", "cosmetic", "renumbered", "equivalent"})


def lines(found: Found, out: Output, *, whole: bool) -> Iterator[str]:
    """The lines to print; of margins only how many differ, unless the whole is asked for."""
    yield from _sides(found, out)
    yield ""
    yield from _verdicts(found, out)
    for name in SECTIONS:
        told = found.section(name)
        if told:
            yield ""
            yield from _section(name, told, out, folded=name == "margins" and not whole)
    behaviour = found.whole.behaviour
    if behaviour is not None and behaviour.values:
        yield from ("", out.paint("Values:", "strong"))
        yield from (f"  {value_told(each)}" for each in behaviour.values)
    for number, each in enumerate(behaviour.witnesses if behaviour else (), 1):
        yield ""
        yield from _witness(number, tale(each, out.paint), subject(each, found), out)
    for one in (*left(found), *scenarios(found)):
        yield from ("", out.paint(one.title, "strong"), *(f"  {edit}" for edit in one.edits))
    if found.addresses:
        yield ""
        yield out.paint("Addresses in scripts and scenarios beside OLD:", "strong")
        yield from (f"  {visible(f'{each.file}: {each.told}')}" for each in found.addresses)
    if found.games:
        yield ""
        yield out.paint("Games:", "strong")
        yield from (f"  {game_told(each)}" for each in found.games)


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
    for inside in groups(told):
        if len(inside) == 1:
            yield f"  {_said(inside[0], inside[0].head, out)}"
            continue
        yield f"  {visible(inside[0].heading)}"
        yield from (f"    {_said(each, each.inner, out)}" for each in inside)


def _witness(number: int, told: Tale, shows: tuple[str, ...], out: Output) -> Iterator[str]:
    yield f"{out.paint(f'Witness {number}:', 'strong')} {visible(told.title)}"
    for each in (Stretch("shows", shows), *told.start, *told.story):
        if each.lines:
            yield f"  {out.paint(each.where, 'place')}"
            yield from (f"    {line}" for line in each.lines)


def _said(each: Told, place: str, out: Output) -> str:
    text = out.paint(visible(each.text), _ROLES[each.sort]) if each.sort in _ROLES else visible(each.text)
    return f"{visible(place)}: {text}" if place else text
