"""What `odds` and `simulate` are asked, the play it is asked of, and how values are told with their likelihood."""

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import click

from rulewright.cli.loading import value_of
from rulewright.cli.named_files import files_for, read_text
from rulewright.cli.opening import Asked, Opening, limits_of, open_play
from rulewright.cli.options import OneOf, limit_options, overlay_option, play_options
from rulewright.cli.output import FORMATS, Output, Stop, complaint
from rulewright.codecs.table import show, to_json
from rulewright.diagnostics.terminal import visible
from rulewright.drivers.session import Begun
from rulewright.frozen import dataclass
from rulewright.inputs.document_schemas import POLICIES
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json
from rulewright.inputs.nodes import Mapping as Written
from rulewright.inputs.state_file import read_flags
from rulewright.inputs.yaml_places import read
from rulewright.machine.request import Reason
from rulewright.machine.values import Value
from rulewright.odds.answering import Answers
from rulewright.odds.elsewhere import Elsewhere, read_elsewhere
from rulewright.odds.measures import RESULT, Measure, PlayToMeasure, play_to_measure
from rulewright.odds.sweeps import Varied, read_varied, starts
from rulewright.scenarios.loading import ENDING
from rulewright.telling.happenings import reason

_LONGEST = 10**6
_BAR = 30
_TWO = 2
_SEEN = 0.001
_Command = TypeVar("_Command", bound=Callable[..., object])

_OPTIONS: Sequence[Callable[[Any], Any]] = (
    play_options,
    click.option("--of", "of", multiple=True, metavar="EXPRESSION", help="what to ask of the end; repeatable"),
    click.option("--vary", "vary", multiple=True, metavar="PATH[=VALUES]", help="begin with each of these; repeatable"),
    click.option(
        "--external", "external", multiple=True, metavar="NAME={ANSWER: 1/2, …}", help="what comes of it; repeatable"
    ),
    click.option("--policy", type=OneOf(POLICIES), help="who chooses what the script does not"),
    overlay_option,
    limit_options,
    click.option("--format", "form", type=OneOf((*FORMATS, "csv")), help="human, plain, json or csv"),
)


def asking_options(command: _Command) -> _Command:
    """The play that is asked about, what is asked of its end, where it begins, who answers, and the form of it all."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class AskedOdds:
    """What a command line asks.

    Attributes:
        play: where it begins.
        of: expressions, as they were written.
        vary: what differs between starts, as it was written.
        external: what externals come to, as it was written.
        policy: who chooses what no script does; empty where nobody does.
    """

    play: Asked
    of: tuple[str, ...]
    vary: tuple[str, ...]
    external: tuple[str, ...]
    policy: str


def asked_by(given: Mapping[str, Any]) -> AskedOdds:
    """What the options say."""
    fixed = ("ruleset", "procedure", "overlays", "state", "roles", "settings", "script", "unscripted")
    limits = {name: each for name, each in given.items() if name not in {*fixed, "of", "vary", "external", "policy"}}
    play = Asked(**{name: given[name] for name in fixed}, limits=limits_of(limits), recording="none")
    return AskedOdds(play, given["of"], given["vary"], given["external"], given["policy"] or "")


@dataclass(frozen=True, slots=True)
class AskedPlay:
    """What is asked, read and judged.

    Attributes:
        opening: the play as it was opened.
        play: it, with what is asked of its end.
        varied: what differs between its starts.
        starts: every start: the value of each thing that is varied, and what begins there.
        answers: who answers what is asked on the way.
    """

    opening: Opening
    play: PlayToMeasure
    varied: tuple[Varied, ...]
    starts: tuple[tuple[tuple[Value, ...], PlayToMeasure], ...]
    answers: Answers


def opened(asked: AskedOdds) -> AskedPlay:
    """The play with what is asked of its end; of nothing the result.

    Raises:
        Stop: RW1120, nothing is asked and there is no result; what is wrong with an expression; what `open_play` and
            `read_varied` and `read_elsewhere` report.
    """
    opening = open_play(asked.play)
    procedure = opening.begun.procedure
    if not asked.of and procedure.result is None:
        remedy = 'add `--of EXPRESSION`, such as `--of "hammer.health"`'
        raise Stop([complaint("RW1120", f"`{procedure.name}` has no result, and nothing else is asked", remedy)])
    varied = value_of(read_varied(asked.vary, opening.begun))
    answers = Answers(opening.begun.names, opening.script, asked.policy, _elsewhere(asked, opening.begun))
    files = files_for(opening.ruleset, *opening.overlays)
    texts = asked.of or (RESULT,)
    play = value_of(play_to_measure(opening.begun, texts, opening.ruleset, opening.overlays, files))
    begun = tuple((each.at, play.beginning(each.begun)) for each in starts(varied, opening.begun))
    return AskedPlay(opening, play, varied, begun, answers)


def _elsewhere(asked: AskedOdds, begun: Begun) -> Elsewhere:
    """What externals come to: as the options say, else as the file beside the state does."""
    said = value_of(read_flags("--external", asked.external))
    beside = _beside(asked.play.state or asked.play.ruleset)
    if not Path(beside).is_file():
        return value_of(read_elsewhere(said, begun.executable.program, begun.names))
    text = read_text(beside)
    found = value_of(read(text), text)
    if not isinstance(found, Written):
        message = f"`{beside}` is no mapping from externals to answers with likelihoods"
        raise Stop([complaint("RW1126", message, "write lines such as `attack_test: {hit: 2/3, miss: 1/3}`")])
    kept = tuple((key, node) for key, node in found if key.text not in said)
    whole = Written((*said.entries, *kept), found.span, found.pointer)
    return value_of(read_elsewhere(whole, begun.executable.program, begun.names), text)


def _beside(place: str) -> str:
    """The file of likelihoods that belongs to a state or scenario: `border.odds.yaml` to `border.yaml`."""
    stem = place.removesuffix(ENDING) if place.endswith(ENDING) else posixpath.splitext(place)[0]
    return f"{stem}.odds.yaml"


def table(
    measure: Measure, likely: Mapping[Value, Fraction], beside: Sequence[str], names: Names, out: Output
) -> Iterator[str]:
    """Values with their likelihood, something beside each, and a bar; of numbers how likely so much or more is."""
    shown = ["no value" if value is None else show(value, measure.type, names) for value in likely]
    width, wide = (max(map(len, each), default=0) for each in (shown, beside))
    for value, text, more in zip(likely, shown, beside, strict=True):
        beyond = f"  or more {percent(_from(likely, value))}" if is_ordered(measure, likely) else ""
        bar = out.paint("█" * round(_BAR * likely[value]), "dim")
        yield f"  {text:>{width}}  {percent(likely[value])}  {more:<{wide}}{beyond}  {bar}".rstrip()


def value_json(value: Value, measure: Measure, names: Names) -> Json:
    """A value of a measure as data; `null` is no value."""
    return None if value is None else to_json(value, measure.type, names)


def is_ordered(measure: Measure, values: Mapping[Value, Fraction]) -> bool:
    """Whether values are three numbers or more."""
    return measure.is_number and None not in values and len(values) > _TWO


def tell_refused(reasons: Sequence[Reason], play: PlayToMeasure, out: Output) -> None:
    """That the procedure cannot begin, and why."""
    name = play.begun.procedure.name
    told = reasons_told(reasons, play)
    if out.form == "json":
        out.data({"version": 1, "procedure": name, "refused": told})
        return
    out.say(out.paint(f"{visible(name)} cannot begin", "error"))
    for each in told:
        out.say(f"  {each}")


def reasons_told(reasons: Sequence[Reason], play: PlayToMeasure) -> list[str]:
    """Why the procedure cannot begin, in words."""
    return [reason(each, play.begun.names) or visible(each.address) for each in reasons]


def _from(likely: Mapping[Value, Fraction], least: Any) -> Fraction:  # noqa: ANN401 - a number
    return sum((each for value, each in likely.items() if value >= least), Fraction(0))


def percent(likely: Fraction) -> str:
    """`  4.167 %`; what is tiny by its first digit."""
    number = float(likely * 100)
    return f"{number:7.3f} %" if number >= _SEEN or not likely else f"{number:7.1e} %"


def exactly(likely: Fraction) -> str:
    """A fraction that people can read; `…` for others."""
    return str(likely) if likely.denominator <= _LONGEST else "…"
