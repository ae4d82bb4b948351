"""What the plays allow to be said."""

from collections import Counter
from collections.abc import Mapping, Sequence

from rulewright.comparing.playing.data import Entrance, Reach, Tried, ValueWitness, Verdict, Witness
from rulewright.comparing.playing.listening import Hit, wanted

_SIDES = ("old", "new")
Texts = Mapping[tuple[str, str, int], str]
"""Conditions of changed places by revision, address and number, as they are written."""


def reached(possible: Sequence[tuple[int, Hit]], hits: Counter[tuple[int, Hit]]) -> tuple[Reach, ...]:
    """How often what changed was reached."""
    return tuple(
        Reach(_SIDES[side], address, what, hits[side, (address, what)], wanted((address, what)))
        for side, (address, what) in possible
    )


def verdict(  # noqa: PLR0913
    *,
    witnesses: Sequence[Witness],
    values: Sequence[ValueWitness],
    entrances: Sequence[Entrance],
    functions: Sequence[Tried],
    reach: Sequence[Reach],
    differed: bool,
    strayed: str,
    plays: int,
    wanted_plays: int,
    seed: int,
    unsure: str,
    texts: Texts,
) -> Verdict:
    """Changed where anything differs; equivalent where all was tried, or what changed was reached often; else unknown.

    Plays that were all tried prove more than drawn ones: `exhausted` counts arguments of functions and plays.
    """
    if witnesses or values:
        return Verdict("changed")
    again = "plays differed that do not differ when they are played again" if differed else ""
    if again or unsure:
        return Verdict("unknown", limit=again or unsure)
    tried = sum(each.number for each in functions if each.equal)
    if not entrances:
        return Verdict("equivalent", "exhausted" if tried else "unreached", tried)
    if all(each.exhausted for each in entrances):
        return Verdict("equivalent", "exhausted", tried + sum(each.plays for each in entrances))
    if strayed:
        return Verdict("unknown", limit=f"nothing differed in {plays} plays but the way past `{strayed}`")
    limit = _lacking(entrances, reach, plays, wanted_plays, texts)
    return Verdict("unknown", limit=limit) if limit else Verdict("equivalent", "sampled", plays, seed)


def _lacking(entrances: Sequence[Entrance], reach: Sequence[Reach], plays: int, wanted_plays: int, texts: Texts) -> str:
    """Why the plays do not suffice, in words; empty where they do."""
    silent = next((each for each in entrances if each.plays == 0), None)
    if silent is not None:
        return f"`{silent.new}` never began"
    seldom = [each for each in reach if each.plays < each.wanted]
    if seldom:
        first = min(seldom, key=lambda each: each.plays / each.wanted)
        return f"{_said(first, texts)} in {plays} plays"
    return f"only {plays} plays" if plays < wanted_plays else ""


def _said(each: Reach, texts: Texts) -> str:
    """Where something happened seldom, what, and how seldom; conditions by their text."""
    number, _, what = each.what.rpartition(" ")
    never, seldom = _COMES_OUT[what]
    text = f"`{texts[each.side, each.address, int(number)]}` at " if number else ""
    often = {1: "once", 2: "twice"}.get(each.plays, f"{each.plays} times")
    return f"{text}`{each.address}` {f'{seldom} only {often}' if each.plays else never}"


_COMES_OUT = {
    "reached": ("was never reached", "was reached"),
    "holds": ("never held", "held"),
    "fails": ("never failed", "failed"),
    "=": ("was never tried with both numbers equal", "was tried with both numbers equal"),
    "<": ("was never tried with the first number lower", "was tried with the first number lower"),
    ">": ("was never tried with the first number higher", "was tried with the first number higher"),
}
"""What to say of what never happened, and of what seldom did."""
