"""Counts of plays as JSON, for a file from which a simulation goes on."""

from fractions import Fraction
from typing import Any

from rulewright.documents.document_nodes import Json, data_to_node
from rulewright.documents.value_reader import read_value
from rulewright.odds.end_measures import AskedMeasure, MeasuredPlay
from rulewright.odds.measure_syntax import ExcludedPlay
from rulewright.odds.monte_carlo import PlayCounts
from rulewright.runtime.type_codecs import value_to_json

_OUT_KEY = "not asked of"


def counts_to_json(counted: PlayCounts, play: MeasuredPlay, *, paired: bool) -> dict[str, Any]:
    """Counts of plays, or of pairs of plays, from one start."""
    return {
        "plays": counted.play_count,
        "values": [
            [[_counted_value_json(value, measure, play, paired=paired), often] for value, often in counts.items()]
            for counts, measure in zip(counted.value_counts, play.measures, strict=True)
        ],
        "faults": [[code, message, often] for (code, message), often in counted.fault_counts.items()],
        "left": None if counted.unused_lines is None else sorted(counted.unused_lines),
    }


def _counted_value_json(value: Any, measure: AskedMeasure, play: MeasuredPlay, *, paired: bool) -> Json:
    if paired:
        return [{"fraction": str(item)} if isinstance(item, Fraction) else item for item in value]
    return (
        {_OUT_KEY: True}
        if value is ExcludedPlay.EXCLUDED
        else None
        if value is None
        else value_to_json(value, measure.type, play.start.names)
    )


def parse_counts(data: Any, play: MeasuredPlay, *, paired: bool) -> PlayCounts:
    """The inverse of `counts_to_json`.

    Raises:
        ValueError, KeyError, TypeError, IndexError: the data are of another kind.
    """
    values = tuple(
        {_parse_counted_value(value, measure, play, paired=paired): int(often) for value, often in counts}
        for counts, measure in zip(data["values"], play.measures, strict=True)
    )
    faults = {(code, message): int(often) for code, message, often in data["faults"]}
    unused_lines = data.get("left")
    return PlayCounts(
        int(data["plays"]), values, faults, None if unused_lines is None else frozenset(map(int, unused_lines))
    )


def _parse_counted_value(data: Any, measure: AskedMeasure, play: MeasuredPlay, *, paired: bool) -> Any:
    if paired:
        first, other = (Fraction(item["fraction"]) if isinstance(item, dict) else item for item in data)
        return first, other
    if data is None or data == {_OUT_KEY: True}:
        return ExcludedPlay.EXCLUDED if data else None
    result = read_value(data_to_node(data), measure.type, play.start.names)
    if result.value is None:
        raise ValueError
    return result.value
