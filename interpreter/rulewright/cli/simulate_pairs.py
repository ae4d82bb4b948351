"""`simulate` of pairs: what the second of them is, what is told of the differences, and pictures of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import click

from rulewright.cli.asked_odds import AskedOdds, AskedPlay
from rulewright.cli.named_files import read_text
from rulewright.cli.odds_values import PERCENT, reasons_told
from rulewright.cli.opening import Asked, is_scenario
from rulewright.cli.options import PolicyOf, together
from rulewright.cli.output import Output, stopped
from rulewright.cli.pictures import Curves, Drawn, Line
from rulewright.cli.sweep_tables import aligned, at_start
from rulewright.codecs.table import exactly_written
from rulewright.diagnostics.terminal import visible
from rulewright.files import DISK, Provider
from rulewright.files.providers import Laid
from rulewright.inputs.nodes import Json
from rulewright.odds.measures import AskedMeasure
from rulewright.odds.odds import from_least
from rulewright.odds.pairs import Difference, Joint, Told, differences, differing, means
from rulewright.odds.simulation import CONFIDENCE, CountedFrom, Middle, confidence_interval
from rulewright.scenarios.loading import resolved

pair_options = together(
    click.option("--against", metavar="RULESET|SCENARIO|REV:PLACE", help="also play by these rules, on the same dice"),
    click.option(
        "--against-overlay",
        "against_overlays",
        multiple=True,
        metavar="FILE",
        help="an overlay for --against; repeatable",
    ),
    click.option(
        "--against-set",
        "against_settings",
        multiple=True,
        metavar="SETTING=VALUE",
        help="a reading for --against; repeatable",
    ),
    click.option(
        "--against-policy",
        "against_policies",
        type=PolicyOf(),
        multiple=True,
        metavar="[PLAYER[/QUESTION]=]POLICY",
        help="how players choose for --against; repeatable",
    ),
    click.option("--against-first", is_flag=True, help="compare each start of --vary with the first"),
)
"""What the second of a pair is."""
AGAINST = ("against", "against_overlays", "against_settings", "against_policies")
PAIR_HEADS = ("of", "value", "first", "other", "of pairs", "difference", "low", "high")


def other_of(asked: AskedOdds, given: Mapping[str, Any], *, first: bool) -> AskedOdds | None:
    """What the second of each pair is asked; none where plays are not paired, or with those of the first start.

    Stops with RW1135 where it is not well said what is beside what.
    """
    said = [each for each in AGAINST if given[each]]
    if first and (said or not asked.vary):
        message = "`--against-first` compares the starts of one sweep with the first of them"
        remedy = "leave out the other `--against` options" if said else "add `--vary PATH=VALUES`"
        raise stopped("RW1135", message, remedy)
    if not said:
        return None
    play, place = asked.play, given["against"]
    play = replace(
        play,
        overlays=(*play.overlays, *given["against_overlays"]),
        settings=(*play.settings, *given["against_settings"]),
    )
    if place is not None:
        place, revision = _revision(place, play)
        play = replace(play, revision=revision)
    if place is not None and (is_scenario(place) or not is_scenario(play.ruleset)):
        play = replace(play, ruleset=place)
    elif place is not None:
        play = replace(play, rules=place)
    return replace(asked, play=play, policies=given["against_policies"] or asked.policies)


def _revision(place: str, play: Asked) -> tuple[str, Provider | None]:
    """What a place names, and where it is read: REV:PLACE in a revision of git, but for the scenario that is played."""
    from rulewright.cli.diff_found import asked_for  # noqa: PLC0415 - seldom wanted

    if DISK.sort(place) or ":" not in place:
        return place, None
    found = asked_for("--against", place, ())
    if not is_scenario(play.ruleset) or is_scenario(found.place):
        return found.place, found.provider
    scenario = resolved(play.ruleset, DISK)
    return found.place, Laid(found.provider, scenario, read_text(scenario).content)


def told_as(given: Mapping[str, Any]) -> str:
    """What the second of each pair is, as it was written."""
    parts = [f"{given['against']}"] if given["against"] else []
    parts += [f"with {each}" for each in given["against_overlays"]]
    parts += [f"by {each}" for each in given["against_settings"]]
    parts += [f"policy {each}" for each in given["against_policies"]]
    return " ".join(parts)


def pair_lines(found: Sequence[CountedFrom], asked: AskedPlay, other: str, seed: int, out: Output) -> Iterator[str]:
    """What was counted of pairs, for people: of each start and measure the shares beside each other."""
    procedure, names = asked.play.begun.procedure, asked.play.begun.names
    title = out.paint(visible(procedure.heading), "strong")
    yield f"{title}: pairs of plays on the same dice, seed {seed}; intervals hold {CONFIDENCE:.0%} of the time"
    if other:
        yield visible(f"other: {other}")
    for each in found:
        at = ", ".join(
            f"{path.path} = {value}"
            for path, value in zip(asked.varied, at_start(asked.varied, each.at, names), strict=True)
        )
        if each.refused:
            why = "; ".join(reasons_told(each.refused, each.play))
            yield from ("", visible(f"{f'{at}: ' if at else ''}cannot begin: {why}"))
            continue
        for measure, joint in zip(each.play.measures, each.counted.values, strict=True):
            yield ""
            yield out.paint(visible(f"{measure.text}{f', {at}' if at else ''}"), "strong")
            yield from _table(joint, each.counted.plays, measure)


def pair_cells(joint: Joint, plays: int) -> list[list[str]]:
    """A row for each value below the heads."""
    rows = [["", "first", "other", "other - first", ""]]
    for each in differences(joint, plays):
        low, high = each.low * PERCENT, each.high * PERCENT
        shares = [f"{number / plays:.2%}".replace("%", " %") for number in (each.first, each.other)]
        apart = (each.other - each.first) / plays * PERCENT
        rows.append([said(each.value), *shares, f"{apart:+.2f} %", f"{low:+.2f} to {high:+.2f} %"])
    return rows


def _table(joint: Joint, plays: int, measure: AskedMeasure) -> Iterator[str]:
    yield from aligned(pair_cells(joint, plays))
    about = means(joint, measure.bounds)
    if about is not None and differing(joint):
        yield f"  on average {about.first:.4g} → {about.other:.4g}: {said_middle(about.difference, '+')}"
    apart_in = differing(joint)
    most = f"; at most {confidence_interval(0, plays)[1] * PERCENT:.2g} % do" if not apart_in else ""
    yield f"  {apart_in:,} of {plays:,} pairs differ{most}"


def said_middle(found: Middle, sign: str = "") -> str:
    """A mean, how far from it the true one may be, and what that comes to where something rarer lies far away."""
    told = f"{found.about:{sign}.4g} ± {found.within:.2g}"
    if found.is_whole:
        return told
    if found.anywhere is None:
        return f"{told}, unless something rarer lies far away"
    low, high = found.anywhere
    return f"{told}, or {low:{sign}.4g} to {high:{sign}.4g} if something rarer lies far away"


def middle_json(found: Middle) -> dict[str, Any]:
    """The same as data, without the mean."""
    return {"within": found.within, "anywhere": found.anywhere}


def said(value: Told) -> str:
    """A value as people say it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "no value" if value is None else visible(str(value))


def pair_data(found: CountedFrom) -> dict[str, Any]:
    """What was counted of pairs from one start, as data."""
    if found.refused:
        return {"refused": reasons_told(found.refused, found.play)}
    pairs = zip(found.play.measures, found.counted.values, strict=True)
    return {"pairs": found.counted.plays, "measures": [_measure(*each, found.counted.plays) for each in pairs]}


def _measure(measure: AskedMeasure, joint: Joint, plays: int) -> dict[str, Any]:
    about = means(joint, measure.bounds)
    return {
        "of": measure.text,
        "values": [
            {
                "value": value_json(each.value),
                "first": each.first,
                "other": each.other,
                "interval": [each.low, each.high],
            }
            for each in differences(joint, plays)
        ],
        "means": None
        if about is None
        else {
            "first": about.first,
            "other": about.other,
            "difference": about.difference.about,
            **middle_json(about.difference),
        },
        "differ": differing(joint),
    }


def value_json(value: Told) -> Json:
    """A value of a pair as data."""
    return exactly_written(value) if isinstance(value, Fraction) else value


def pair_rows(found: CountedFrom) -> Iterator[tuple[object, ...]]:
    """A row for each value of each measure."""
    plays = found.counted.plays
    if found.refused:
        yield "", "cannot begin", 0, 0, 0, None, None, None
        return
    for measure, joint in zip(found.play.measures, found.counted.values, strict=True):
        for each in differences(joint, plays):
            yield (
                measure.text,
                said(each.value),
                each.first,
                each.other,
                plays,
                apart(each, plays),
                each.low,
                each.high,
            )


def apart(each: Difference, plays: int) -> float:
    """How much larger its share is in the second."""
    return (each.other - each.first) / plays


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
    by_mean = measure.is_number and all(means(each, measure.bounds) for each in joints if each)
    values = from_least(dict.fromkeys(value for joint in joints for pair in joint for value in pair))
    shown = values[1:] if values == [False, True] else values
    lines = (_means(joints, measure),) if by_mean else tuple(_shares(each, found, joints) for each in shown)  # type: ignore[arg-type]
    across = ", ".join(visible(each.path) for each in asked.varied)
    starts = tuple(", ".join(at_start(asked.varied, each.at, asked.play.begun.names)) for each in found)
    up = f"{visible(measure.text)}: {other} - first{', on average' if by_mean else ''}"
    note = f"{CONFIDENCE:.0%} intervals of {max(each.counted.plays for each in found):,} pairs"
    picture = Curves(_title(asked), across, up, starts, lines, is_share=not by_mean, is_apart=True, note=note)
    rows = ((start, *(_far(each, at, by_mean=by_mean) for each in lines)) for at, start in enumerate(starts))
    return Drawn(_title(asked), up, picture, (across, *(each.label or "other - first" for each in lines)), tuple(rows))


def _means(joints: Iterable[Joint], measure: AskedMeasure) -> Line:
    found = [means(each, measure.bounds) for each in joints]
    apart_by = [(each.difference.about, each.difference.within) if each else None for each in found]
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
    return visible(procedure.heading)
