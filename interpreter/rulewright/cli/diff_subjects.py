"""Which edits witnesses are about, and what became of the others."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rulewright.cli.diff_found import Found
from rulewright.cli.diff_witnesses import game_told
from rulewright.comparing.edits import IMPLIED
from rulewright.comparing.playing.data import Separated, Witness
from rulewright.comparing.telling import Told
from rulewright.diagnostics.visible import visible
from rulewright.frozen import dataclass
from rulewright.resources import folder

BECAME = {
    "hidden": (
        "Plays show these only without other edits:",
        "a play of OLD with this edit alone shows it; between OLD and NEW something else differs first",
    ),
    "whole": (
        "These cannot be made without others:",
        "it cannot be made without others, so no play of its own was looked for",
    ),
    "silent": ("No play of their own was found for:", "no play of its own was found"),
    "untried": (
        "Not tried, for lack of work (more --work):",
        "no work was left to look for a play (more --work)",
    ),
}
"""What became of edits that no play shows, by the field of `Separated`: said of several, and of one."""


@dataclass(frozen=True, slots=True)
class Left:
    """Edits that no witness is about, or scenarios: what became of them, and each in one line."""

    title: str
    edits: tuple[str, ...]


def subject(witness: Witness, found: Found) -> tuple[str, ...]:
    """The edits a witness is about, one line each, and how many it needs; nothing where there is but one edit."""
    about, separated = witness.subject, _separated(found)
    if about is None or separated is None or len(_every(separated)) == len(about.edits) == 1:
        return ()
    more = len(_said(about.needed, found))
    needs = (f"with {more} edit{'' if more == 1 else 's'} that it needs",) if more else ()
    return (*_said(about.edits, found), *needs)


def left(found: Found) -> Iterator[Left]:
    """The edits that no shown witness is about."""
    separated = _separated(found)
    if separated is None or found.whole.behaviour is None:
        return
    shown = {number for each in found.whole.behaviour.witnesses if each.subject for number in each.subject.edits}
    unshown = _said([each for each in separated.seen if each not in shown], found)
    if unshown:
        yield Left("Plays show these too (more --witnesses):", unshown)
    for outcome, (title, _) in BECAME.items():
        edits = _said(getattr(separated, outcome), found)
        if edits:
            yield Left(title, edits)


def scenarios(found: Found) -> Iterator[Left]:
    """The scenarios of the old revision that differ under the new one, and those that cannot be compared."""
    played = found.whole.behaviour.scenarios if found.whole.behaviour else ()
    differing = tuple(game_told(replace(each, name=beside(each.name))) for each in played if each.outcome == "differs")
    if differing:
        yield Left("Scenarios of OLD that NEW plays otherwise:", differing)
    lost = tuple(visible(f"{beside(each.name)}: {each.message}") for each in played if each.outcome == "lost")
    if lost:
        yield Left("Scenarios of OLD that cannot be compared:", lost)


def beside(file: str) -> str:
    """A file as people name it: one of a shipped ruleset by its place among them, any other as it is."""
    return file.removeprefix(f"{folder('rulesets').as_posix()}/")


def places(numbers: Sequence[int], found: Found) -> list[int]:
    """Where edits stand among those that are shown, from 0."""
    known = {each.number: place for place, each in enumerate(_shown(found))}
    return sorted(known[each] for each in numbers if each in known)


def _shown(found: Found) -> list[Told]:
    return [each for each in found.told if each.section != IMPLIED]


def _separated(found: Found) -> Separated | None:
    return found.whole.behaviour.separated if found.whole.behaviour else None


def _every(separated: Separated) -> tuple[int, ...]:
    return (*separated.seen, *separated.hidden, *separated.whole, *separated.silent, *separated.untried)


def _said(numbers: Sequence[int], found: Found) -> tuple[str, ...]:
    shown = _shown(found)
    return tuple(visible(str(shown[place])) for place in places(numbers, found))
