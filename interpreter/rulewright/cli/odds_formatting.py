"""Text and JSON of values of a measure with their likelihood, for `odds` and `simulate`."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from operator import itemgetter
from typing import Any, TypeAlias

from rulewright.base.diagnostics.terminal import make_visible
from rulewright.cli.output import Output
from rulewright.documents.document_nodes import Json
from rulewright.documents.name_table import NameTable
from rulewright.odds.end_measures import AskedMeasure, MeasuredPlay
from rulewright.program.types import FlagType, WordType, strip_optional
from rulewright.runtime.request import RefusalReason
from rulewright.runtime.type_codecs import format_value, value_to_json
from rulewright.runtime.values import Value
from rulewright.wording.entry_rendering import render_reason

PERCENT = 100
_MAX_READABLE_DENOMINATOR = 10**6
MAX_REQUESTED_DENOMINATOR = 10**30
"""Limit of the denominator of a fraction if fractions are requested."""
NO_FRACTION = "…"
"""Placeholder for a fraction too long to be read."""
_BAR_WIDTH = 30
_MAX_UNORDERED_VALUES = 2
_MAX_NAMED_ROLLS = 3
"""Limit of scripted rolls and draws that are named."""
_MIN_FIXED_PERCENT = 0.001


VALUES = "values"
GRID = "grid"
CUMULATIVE = ("at-least", "at-most")
LAYOUTS = (VALUES, *CUMULATIVE, GRID)
"""Layouts of values: each alone, at least, at most, or one number for each pair of varied values."""
OddsStyle: TypeAlias = tuple[str, str]
"""One of `STYLES`, or empty for percentage and fraction; and one of `LAYOUTS`."""
_AT_MOST_LAYOUT = "at-most"
STYLES = ("fraction", "percent", "odds")
"""Formats of likelihoods on request."""


def cumulate_likelihoods(likely: Mapping[Any, Fraction], values: Sequence[Any], layout: str) -> dict[Any, Fraction]:
    """Likelihood of each value, cumulated upwards or downwards if `layout` says so."""
    if layout not in CUMULATIVE:
        return {item: likely.get(item, Fraction(0)) for item in values}
    known = sorted(((value, item) for value, item in likely.items() if value is not None), key=itemgetter(0))
    places, sums = [value for value, _ in known], [Fraction(0), *accumulate(item for _, item in known)]
    nothing = likely.get(None, Fraction(0))
    if layout == _AT_MOST_LAYOUT:
        return {item: nothing if item is None else sums[bisect_right(places, item)] for item in values}
    return {item: nothing if item is None else sums[-1] - sums[bisect_left(places, item)] for item in values}


def layout_heading(shown: str, layout: str) -> str:
    """Label of a value: `3`, `3 or more` or `3 or less`."""
    return shown + {"at-least": " or more", _AT_MOST_LAYOUT: " or less"}.get(layout, "")


def render_value_table(
    measure: AskedMeasure,
    rows: Sequence[tuple[Value, Fraction, str]],
    names: NameTable,
    out: Output,
    layout: str = VALUES,
) -> Iterator[str]:
    """Table of values with likelihood and bar; of numbers also cumulated."""
    likely = {value: share for value, share, _ in rows}
    shown = [measure_value_text(value, measure, names) for value in likely]
    width, wide = max(map(len, shown), default=0), max((len(item) for _, _, item in rows), default=0)
    is_summed = layout != VALUES or is_ordered(measure, likely)
    word, sums = ("less", _AT_MOST_LAYOUT) if layout == _AT_MOST_LAYOUT else ("more", "at-least")
    cumulative = cumulate_likelihoods(likely, [*likely], sums) if is_summed else {}
    for text, (value, share, likelihood) in zip(shown, rows, strict=True):
        beyond = f"  or {word} {format_percent(cumulative[value])}" if is_summed and value is not None else ""
        bar = out.paint("█" * round(_BAR_WIDTH * share), "dim")
        yield f"  {text:>{width}}  {likelihood:<{wide}}{beyond}  {bar}".rstrip()


def measure_value_json(value: Value, measure: AskedMeasure, names: NameTable) -> Json:
    """A value of a measure as JSON; `null` stands for a missing value."""
    return None if value is None else value_to_json(value, measure.type, names)


def measure_value_text(value: Value, measure: AskedMeasure, names: NameTable) -> str:
    """A value of a measure as players read it."""
    return "no value" if value is None else format_value(value, measure.type, names)


def measure_scale_json(measure: AskedMeasure, names: NameTable) -> list[dict[str, Any]]:
    """All values of a measure of words or of yes and no, in the order of their list; empty for any other."""
    match strip_optional(measure.type):
        case WordType(values):
            scale: Sequence[Value] = range(len(names.program.values[values].words))
        case FlagType():
            scale = (False, True)
        case _:
            scale = ()
    return [
        {"value": measure_value_json(value, measure, names), "says": measure_value_text(value, measure, names)}
        for value in scale
    ]


def is_ordered(measure: AskedMeasure, values: Mapping[Value, Fraction]) -> bool:
    """Whether values are three numbers or more."""
    return measure.is_number and None not in values and len(values) > _MAX_UNORDERED_VALUES


def describe_scripted_chance(given: Mapping[str, str], *, by_script: bool) -> Iterator[str]:
    """Sentence on rolls and draws that a script answers, of its own file (`by_script`) or of a case."""
    if given:
        first = ", ".join(f"`{at}`: {answer}" for at, answer in [*given.items()][:_MAX_NAMED_ROLLS])
        more = f" and {len(given) - _MAX_NAMED_ROLLS} more" if len(given) > _MAX_NAMED_ROLLS else ""
        them = "it" if len(given) == 1 else "them"
        remedy = f"leave {them} out of `--script` to have odds of {them}"
        remedy = remedy if by_script else f"`--no-script` leaves {them} to chance"
        yield make_visible(f"the script gives {first}{more}; {remedy}")


def output_refusal_reasons(reasons: Sequence[RefusalReason], play: MeasuredPlay, out: Output) -> None:
    """Print why the procedure cannot begin."""
    name = play.start.procedure.name
    lines = format_refusal_reasons(reasons, play)
    if out.form == "json":
        out.print_json({"version": 1, "procedure": name, "refused": lines})
        return
    out.print_line(out.paint(f"{make_visible(name)} cannot begin", "error"))
    out.print_lines(f"  {item}" for item in lines)


def format_refusal_reasons(reasons: Sequence[RefusalReason], play: MeasuredPlay) -> list[str]:
    """Reasons why the procedure cannot begin, as lines."""
    return [render_reason(reason, play.start.names) or make_visible(reason.address) for reason in reasons]


def format_percent(likely: Fraction) -> str:
    """`  4.167 %`; a tiny share with its first significant digit."""
    number = float(likely * 100)
    return f"{number:7.3f} %" if number >= _MIN_FIXED_PERCENT or not likely else f"{number:7.1e} %"


def format_likelihood(likely: Fraction, style: str) -> str:
    """`7/12`, `58.333 %` or `7 in 12`, rounded if too long."""
    if style == "percent":
        return format_percent(likely).strip()
    if style == "fraction":
        return (
            str(likely)
            if likely.denominator <= MAX_REQUESTED_DENOMINATOR
            else f"about {format_percent(likely).strip()}"
        )
    if likely in {0, 1}:
        return "always" if likely else "never"
    if likely.denominator > _MAX_READABLE_DENOMINATOR:
        return f"about 1 in {float(1 / likely):.3g}"
    return f"{likely.numerator} in {likely.denominator}"


def format_mean(mean: Fraction) -> str:
    """A mean in decimals, and exactly if that differs and is short enough: `8.142 (57/7)`."""
    about, exact = f"{float(mean):.4g}", format_fraction(mean)
    return about if mean.denominator == 1 or exact == NO_FRACTION else f"{about} ({exact})"


def format_fraction(likely: Fraction) -> str:
    """A fraction, or `NO_FRACTION` if it is too long to be read."""
    return str(likely) if likely.denominator <= _MAX_READABLE_DENOMINATOR else NO_FRACTION
