"""What the plays allow to be said."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rulewright.comparing.playing.bench import Bench
from rulewright.comparing.playing.data import Entrance, Evidence, Settled, Tried, ValueWitness, Verdict, Witness
from rulewright.comparing.playing.listening import COMBINED, DIFFERS, REACHED, WANTED, Hit
from rulewright.comparing.playing.points import Point
from rulewright.comparing.playing.side_by_side import LIMITS
from rulewright.comparing.quoting import listed
from rulewright.machine import codes

Hits = Counter[tuple[int, Hit]]


def evidence(bench: Bench, hits: Hits, plays: int) -> tuple[Evidence, ...]:
    """What plays came to of every changed place, then of every expression that is held against another."""
    return (*_places(bench, hits, plays), *(_of_point(*each, hits) for each in enumerate(bench.points)))


def _places(bench: Bench, hits: Hits, plays: int) -> Iterator[Evidence]:
    for side, addresses in enumerate(bench.changed):
        for address in sorted(addresses):
            number = hits[side, (address, REACHED)]
            often = {0: "was never reached", 1: "was reached only once", 2: "was reached only twice"}
            said = often.get(number, f"was reached only {number} times")
            lacking = "" if number >= WANTED[REACHED] else f"`{address}` {said} in {plays} plays"
            at = (address, "") if side == 0 else ("", address)
            yield Evidence(at, plays=number, lacking=lacking)


def _of_point(number: int, point: Point, hits: Hits) -> Evidence:
    side = 0 if point.roots[1] is None and not point.role else 1
    address = point.addresses[side]
    reached, differing = hits[side, (address, REACHED)], hits[side, (address, f"{number} {DIFFERS}")]
    found = Evidence(point.addresses, point.texts, differing=differing, plays=reached)
    if point.open:
        return replace(found, lacking=point.open)
    if point.role:
        return replace(found, lacking=f"plays without `{point.role}`, whose default is another, did not differ")
    if differing:
        return replace(found, lacking=f"`{point.texts[side]}` at `{address}` {_COMES_OTHERWISE.format(differing)}")
    if point.table is None:
        lacking = "" if point.is_pair else f"`{point.texts[side]}` at `{address}` reads more than can be tried"
        return replace(found, lacking=lacking)
    if not point.table.atoms and point.is_pair:
        said = f"`{point.texts[1]}` in place of `{point.texts[0]}`" if all(point.texts) else "the change"
        return replace(found, lacking=f"{said} at `{address}` made no difference in {reached} plays that came there")
    wanted = [each for each in range(point.table.count) if point.table.differing >> each & 1]
    met = [each for each in wanted if hits[side, (address, f"{number} {each}")] >= COMBINED]
    reads = tuple(dict.fromkeys(each.text for each in point.table.atoms))
    missing = next((each for each in wanted if each not in met), None)
    lacking = "" if missing is None else _missing(point, side, missing, hits[side, (address, f"{number} {missing}")])
    return replace(found, reads=reads, combinations=len(wanted), tried=len(met), lacking=lacking)


_COMES_OTHERWISE = "came out otherwise in {} plays, and none of them differed"


def _missing(point: Point, side: int, combination: int, times: int) -> str:
    assert point.table is not None
    often = {0: "was never tried", 1: "was tried only once"}.get(times, "was tried only twice")
    words = point.table.told(combination)
    return f"`{point.texts[side]}` at `{point.addresses[side]}` {often}{f' with {words}' if words else ''}"


def verdict(  # noqa: PLR0913
    *,
    witnesses: Sequence[Witness],
    values: Sequence[ValueWitness],
    entrances: Sequence[Entrance],
    spaces: Mapping[tuple[str, str], str],
    functions: Sequence[Tried],
    settled: Sequence[Settled],
    evidence: Sequence[Evidence],
    differed: bool,
    strayed: str,
    limits: Mapping[str, int],
    plays: int,
    seed: int,
    unsure: str,
) -> Verdict:
    """Changed where anything differs; equivalent where all was tried, or enough came to what changed; else unknown.

    What was tried in every way proves more than drawn plays: `exhausted` counts arguments, combinations and plays.
    """
    if witnesses or values:
        return Verdict("changed")
    again = "plays differed that do not differ when they are played again" if differed else ""
    if again or unsure:
        return Verdict("unknown", limit=again or unsure)
    equal = [each for each in functions if each.equal]
    tried = sum(each.number for each in equal) + sum(each.number for each in settled)
    space = (*(each.space for each in equal), *dict.fromkeys(map(_space, settled)))
    if not entrances:
        return Verdict("equivalent", "exhausted" if tried else "unreached", tried, space=space)
    if all(each.exhausted for each in entrances):
        number = tried + sum(each.plays for each in entrances)
        return Verdict("equivalent", "exhausted", number, space=(*space, *spaces.values()))
    if limits or strayed:
        ended = f"{stopped_plays(limits, plays)}; nothing differed until then" if limits else ""
        return Verdict("unknown", limit=ended or f"nothing differed in {plays} plays but the way past `{strayed}`")
    limit = _lacking([each for each in entrances if not each.exhausted], evidence)
    return Verdict("unknown", limit=limit) if limit else Verdict("equivalent", "sampled", plays, seed)


_STOPPED = {
    codes.WORK: f"{LIMITS.work:,} steps (`--max-steps`, {codes.WORK})",
    codes.DEPTH: f"{LIMITS.depth:,} calls inside each other (`--max-depth`, {codes.DEPTH})",
    codes.MEMBERS: f"{LIMITS.members:,} members of a collection (`--max-members`, {codes.MEMBERS})",
    codes.DICE: f"{LIMITS.dice:,} dice of a roll (`--max-dice`, {codes.DICE})",
    codes.SIZE: f"a size of {LIMITS.size:,} or 4,000 digits (`--max-size`, {codes.SIZE})",
    codes.WAYS: f"10,000 cells of a path ({codes.WAYS})",
}
"""The limits of plays that are compared, in words, with the options of `run` that are called so."""


def stopped_plays(limits: Mapping[str, int], plays: int) -> str:
    """How many plays each limit of the machine ended: `8 of 9 plays ended at 300,000 steps (…)`."""
    ended = [f"{number} of {plays} plays ended at {_STOPPED[code]}" for code, number in sorted(limits.items())]
    return listed(ended)


def _space(each: Settled) -> str:
    """Of what a place that is settled was computed, in words."""
    reads, kept = listed([f"`{one}`" for one in each.reads]), listed([f"`{one}`" for one in each.kept])
    every = f" for every {'combination of ' if len(each.reads) > 1 else ''}{reads}" if reads else ""
    return f"`{each.new}`{every}" + (f", with {kept} as written" if kept else "")


def _lacking(entrances: Sequence[Entrance], evidence: Sequence[Evidence]) -> str:
    """Why the plays do not suffice, in words; empty where they do."""
    silent = next((each for each in entrances if each.plays == 0), None)
    if silent is not None:
        return f"`{silent.new}` never began"
    lacking = [each for each in evidence if each.lacking]
    first = min(lacking, key=_shortfall, default=None)
    return "" if first is None else first.lacking


def _shortfall(each: Evidence) -> tuple[bool, bool, bool, int]:
    """What was never reached comes first, then what came out otherwise, then combinations, then what was seldom met."""
    return each.plays > 0, each.differing == 0, each.combinations == each.tried, each.plays
