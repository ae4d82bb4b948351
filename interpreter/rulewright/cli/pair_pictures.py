"""Pictures of pairs of plays: both shares of each value, or along several starts how far apart the two are."""

from collections.abc import Iterable, Sequence

from rulewright.cli.asked_odds import AskedPlay
from rulewright.cli.odds_values import PERCENT
from rulewright.cli.pictures import Curves, Drawn, Line
from rulewright.cli.simulate_pairs import apart, pair_cells, said
from rulewright.cli.sweep_tables import at_start
from rulewright.diagnostics.terminal import visible
from rulewright.odds.odds import from_least
from rulewright.odds.pairs import Joint, Told, differences, differing, means
from rulewright.odds.simulation import CONFIDENCE, CountedFrom, confidence_interval


def pair_pictures(found: Sequence[CountedFrom], asked: AskedPlay, other: str) -> list[Drawn]:
    """A picture of each measure, with its table; `other` says what the second of each pair is."""
    drawn = _along if asked.varied else _side_by_side
    return [drawn(number, found, asked, visible(other) or "other") for number in range(len(asked.play.measures))]


def _side_by_side(number: int, found: Sequence[CountedFrom], asked: AskedPlay, other: str) -> Drawn:
    (only,) = found
    plays, joint = only.counted.plays, only.counted.values[number]
    every = differences(joint, plays)
    first, second = [each.first for each in every], [each.other for each in every]
    of = visible(asked.play.measures[number].text)
    note = f"{CONFIDENCE:.0%} intervals of {plays:,} pairs, of which {differing(joint):,} differ"
    lines = _counted("first", first, plays), _counted(other, second, plays)
    picture = Curves(_title(asked), of, "how likely", tuple(said(each.value) for each in every), lines, note=note)
    head, *rows = pair_cells(joint, plays)
    return Drawn(_title(asked), of, picture, tuple(head), tuple(map(tuple, rows)))


def _counted(label: str, often: Sequence[int], plays: int) -> Line:
    between = [confidence_interval(each, plays) for each in often]
    heights = tuple(each / plays for each in often)
    return Line(label, heights, tuple(low for low, _ in between), tuple(high for _, high in between))


def _along(number: int, found: Sequence[CountedFrom], asked: AskedPlay, other: str) -> Drawn:
    """Of numbers how far their means are apart, of all else the shares of each value; of flags that of `yes`."""
    measure = asked.play.measures[number]
    joints: list[Joint] = [each.counted.values[number] for each in found]
    by_mean = measure.is_number and all(means(each) for each in joints if each)
    values = from_least(dict.fromkeys(value for joint in joints for pair in joint for value in pair))
    shown = values[1:] if values == [False, True] else values
    lines = (_means(joints),) if by_mean else tuple(_shares(each, found, joints) for each in shown)  # type: ignore[arg-type]
    across = ", ".join(visible(each.path) for each in asked.varied)
    starts = tuple(", ".join(at_start(asked.varied, each.at, asked.play.begun.names)) for each in found)
    up = f"{visible(measure.text)}: {other} - first{', on average' if by_mean else ''}"
    note = f"{CONFIDENCE:.0%} intervals of {max(each.counted.plays for each in found):,} pairs"
    picture = Curves(_title(asked), across, up, starts, lines, is_share=not by_mean, is_apart=True, note=note)
    rows = ((start, *(_far(each, at, by_mean=by_mean) for each in lines)) for at, start in enumerate(starts))
    return Drawn(_title(asked), up, picture, (across, *(each.label or "other - first" for each in lines)), tuple(rows))


def _means(joints: Iterable[Joint]) -> Line:
    apart_by = [(each.difference, each.within) if each else None for each in map(means, joints)]
    return _line("", [each and (each[0], each[0] - each[1], each[0] + each[1]) for each in apart_by])


def _shares(value: Told, found: Iterable[CountedFrom], joints: Iterable[Joint]) -> Line:
    told: list[tuple[float, float, float] | None] = []
    for each, joint in zip(found, joints, strict=True):
        one = next((one for one in differences(joint, each.counted.plays) if one.value == value), None)
        nowhere = (0.0, 0.0, 0.0) if joint else None
        told.append(nowhere if one is None else (apart(one, each.counted.plays), one.low, one.high))
    return _line(said(value), told)


def _line(label: str, told: Sequence[tuple[float, float, float] | None]) -> Line:
    """What is so far apart, and between what that is; none where a play cannot begin."""
    lows, highs = (tuple(each[end] if each else 0.0 for each in told) for end in (1, 2))
    return Line(label, tuple(each[0] if each else None for each in told), lows, highs)


def _far(line: Line, at: int, *, by_mean: bool) -> str:
    if line.heights[at] is None:
        return ""
    told = (line.heights[at] or 0.0, line.low[at], line.high[at])
    middle, low, high = (f"{each:+.3g}" if by_mean else f"{each * PERCENT:+.2f} %" for each in told)
    return f"{middle} ({low} to {high})"


def _title(asked: AskedPlay) -> str:
    procedure = asked.play.begun.procedure
    return visible(procedure.title or procedure.name)
