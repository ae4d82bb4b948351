"""How `odds` and `simulate` tell values of a measure with their likelihood, and why a procedure cannot begin."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from operator import itemgetter
from typing import Any, TypeAlias

from rulewright.cli.output import Output
from rulewright.codecs.table import show, to_json
from rulewright.diagnostics.terminal import visible
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json
from rulewright.machine.request import Reason
from rulewright.machine.values import Value
from rulewright.odds.measures import AskedMeasure, PlayToMeasure
from rulewright.telling.happenings import reason

PERCENT = 100
_LONGEST = 10**6
LONGEST_ASKED = 10**30
"""A fraction that is asked for is told with so large a denominator at most."""
NO_FRACTION = "…"
"""In place of a fraction too long to be read."""
_BAR = 30
_TWO = 2
_NAMED = 3
"""So many rolls and draws that a script answers are named."""
_SEEN = 0.001


VALUES = "values"
GRID = "grid"
CUMULATIVE = ("at-least", "at-most")
LAYOUTS = (VALUES, *CUMULATIVE, GRID)
"""How values are laid out: each alone, so much or more, so much or less, or one number for each pair that varies."""
Telling: TypeAlias = tuple[str, str]
"""How odds are told: one of `STYLES`, or nothing for percentage and fraction; one of `LAYOUTS`."""
_LESS = "at-most"
STYLES = ("fraction", "percent", "odds")
"""How likelihoods are told on request."""


def cumulated(likely: Mapping[Any, Fraction], values: Sequence[Any], layout: str) -> dict[Any, Fraction]:
    """How likely each value is; or it or more, or it or less, as one of `LAYOUTS` says."""
    if layout not in CUMULATIVE:
        return {each: likely.get(each, Fraction(0)) for each in values}
    known = sorted(((value, each) for value, each in likely.items() if value is not None), key=itemgetter(0))
    places, sums = [value for value, _ in known], [Fraction(0), *accumulate(each for _, each in known)]
    nothing = likely.get(None, Fraction(0))
    if layout == _LESS:
        return {each: nothing if each is None else sums[bisect_right(places, each)] for each in values}
    return {each: nothing if each is None else sums[-1] - sums[bisect_left(places, each)] for each in values}


def head_of(shown: str, layout: str) -> str:
    """What stands at a value: `3`, `3 or more` or `3 or less`."""
    return shown + {"at-least": " or more", _LESS: " or less"}.get(layout, "")


def table(
    measure: AskedMeasure,
    told: Sequence[tuple[Value, Fraction, str]],
    names: Names,
    out: Output,
    layout: str = VALUES,
) -> Iterator[str]:
    """Values with their likelihood as it is told, and a bar; of numbers how likely so much or more, or less, is."""
    likely = {value: share for value, share, _ in told}
    shown = ["no value" if value is None else show(value, measure.type, names) for value in likely]
    width, wide = max(map(len, shown), default=0), max((len(each) for _, _, each in told), default=0)
    is_summed = layout != VALUES or is_ordered(measure, likely)
    word, sums = ("less", _LESS) if layout == _LESS else ("more", "at-least")
    cumulative = cumulated(likely, [*likely], sums) if is_summed else {}
    for text, (value, share, said) in zip(shown, told, strict=True):
        beyond = f"  or {word} {percent(cumulative[value])}" if is_summed and value is not None else ""
        bar = out.paint("█" * round(_BAR * share), "dim")
        yield f"  {text:>{width}}  {said:<{wide}}{beyond}  {bar}".rstrip()


def value_json(value: Value, measure: AskedMeasure, names: Names) -> Json:
    """A value of a measure as data; `null` is not a value."""
    return None if value is None else to_json(value, measure.type, names)


def is_ordered(measure: AskedMeasure, values: Mapping[Value, Fraction]) -> bool:
    """Whether values are three numbers or more."""
    return measure.is_number and None not in values and len(values) > _TWO


def scripted_chance(given: Mapping[str, str], *, by_script: bool) -> Iterator[str]:
    """Says which rolls or draws a script answers, so that they are not left to chance; a file of its own, or a case."""
    if given:
        first = ", ".join(f"`{at}`: {answer}" for at, answer in [*given.items()][:_NAMED])
        more = f" and {len(given) - _NAMED} more" if len(given) > _NAMED else ""
        them = "it" if len(given) == 1 else "them"
        left = f"leave {them} out of `--script` to have odds of {them}"
        left = left if by_script else f"`--no-script` leaves {them} to chance"
        yield visible(f"the script gives {first}{more}; {left}")


def tell_refused(reasons: Sequence[Reason], play: PlayToMeasure, out: Output) -> None:
    """Tells that the procedure cannot begin, and why."""
    name = play.begun.procedure.name
    told = reasons_told(reasons, play)
    if out.form == "json":
        out.data({"version": 1, "procedure": name, "refused": told})
        return
    out.say(out.paint(f"{visible(name)} cannot begin", "error"))
    out.tell(f"  {each}" for each in told)


def reasons_told(reasons: Sequence[Reason], play: PlayToMeasure) -> list[str]:
    """Why the procedure cannot begin, in words."""
    return [reason(each, play.begun.names) or visible(each.address) for each in reasons]


def percent(likely: Fraction) -> str:
    """`  4.167 %`; what is tiny by its first digit."""
    number = float(likely * 100)
    return f"{number:7.3f} %" if number >= _SEEN or not likely else f"{number:7.1e} %"


def likelihood(likely: Fraction, style: str) -> str:
    """A likelihood alone: `7/12`, `58.333 %` or `7 in 12`; what is too long for that about so."""
    if style == "percent":
        return percent(likely).strip()
    if style == "fraction":
        return str(likely) if likely.denominator <= LONGEST_ASKED else f"about {percent(likely).strip()}"
    if likely in {0, 1}:
        return "always" if likely else "never"
    if likely.denominator > _LONGEST:
        return f"about 1 in {float(1 / likely):.3g}"
    return f"{likely.numerator} in {likely.denominator}"


def mean_told(mean: Fraction) -> str:
    """A mean in figures, and exactly where those are not it and the fraction can be read: `8.142 (57/7)`."""
    about, exact = f"{float(mean):.4g}", exactly(mean)
    return about if mean.denominator == 1 or exact == NO_FRACTION else f"{about} ({exact})"


def exactly(likely: Fraction) -> str:
    """A fraction that people can read; `…` for others."""
    return str(likely) if likely.denominator <= _LONGEST else NO_FRACTION
