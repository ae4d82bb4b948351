"""What the reports of `odds` and `simulate` share: text, JSON, CSV and plots of what is known of each start, and replays of faults."""

import shlex
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Generic, Protocol, TypeVar

from rulewright.base.diagnostics import make_visible
from rulewright.base.diagnostics.renderings import format_place
from rulewright.cli.odds_query import OddsArguments, OddsQuery
from rulewright.cli.output import Output
from rulewright.cli.plots import PlotWithTable, describe_unfinished_shares, make_heat_map, make_plots, write_plots
from rulewright.cli.result_tables import (
    GRID,
    MeasuredShares,
    OddsStyle,
    format_refusal_reasons,
    format_start_values,
    measure_value_text,
    output_refusal_reasons,
    render_csv_lines,
    render_sweep_table,
    render_text_grid,
)
from rulewright.documents.answer_scripts import PlayerPolicy
from rulewright.documents.document_nodes import Json
from rulewright.documents.name_table import NameTable
from rulewright.odds.end_measures import AskedMeasure, MeasuredPlay
from rulewright.play.session import run_to_end
from rulewright.program.types import FlagType, WordType, strip_optional
from rulewright.program.walk import find_address_span
from rulewright.runtime.faults import LIMIT_CODES
from rulewright.runtime.request import Faulted, RefusalReason
from rulewright.runtime.type_codecs import value_to_json
from rulewright.runtime.values import Value


class KnownStart(Protocol):
    """What is known of the plays from one start."""

    @property
    def axis_values(self) -> tuple[Value, ...]:
        """By axis of the sweep."""

    @property
    def play(self) -> MeasuredPlay: ...

    @property
    def refusal_reasons(self) -> tuple[RefusalReason, ...]:
        """Why the procedure cannot begin; empty where it can."""


_StartT = TypeVar("_StartT", bound=KnownStart)


class OutcomeReport(ABC, Generic[_StartT]):
    """The answer to a question about the ends of plays, from one start or several.

    A subclass says what stands on a line of each, the rest is here.
    """

    heads: tuple[str, ...]
    """Of the columns of `list_rows`."""
    refused_cells: tuple[object, ...]
    """Behind `cannot begin`, for a start."""

    def __init__(
        self, query: OddsQuery, starts: Sequence[_StartT], head: Mapping[str, Any], end_cells: Mapping[str, object]
    ) -> None:
        """`head` is the head of the JSON document; `end_cells` is what every row ends with, by heading."""
        self.query = query
        self.starts = starts
        self._head = head
        self._end_cells = end_cells

    @abstractmethod
    def render_lines(self, out: Output) -> Iterator[str]:
        """The report as text."""

    @abstractmethod
    def plot_measures(self) -> list[PlotWithTable]:
        """A plot with table for each measure."""

    @abstractmethod
    def start_to_json(self, start: _StartT) -> dict[str, Any]:
        """JSON of a start that can begin."""

    @abstractmethod
    def list_rows(self, start: _StartT) -> Iterator[tuple[object, ...]]:
        """A row for each value of each measure of a start that can begin; then unfinished shares."""

    def list_faults(self) -> Collection[tuple[str, str]]:
        """Codes and messages of the faults that a command may play again."""
        return ()

    def print_report(self, out: Output, written: OddsArguments) -> None:
        """Print the report in the form of the output."""
        first = self.starts[0]
        if not self.query.varied and first.refusal_reasons:
            output_refusal_reasons(first.refusal_reasons, first.play, out)
        elif out.form == "json":
            out.print_json(self.report_to_json())
        elif out.form == "csv":
            out.print_lines(render_csv_lines(self.all_heads, self.list_all_rows()))
        else:
            out.print_lines(self.render_lines(out))
            out.print_lines(_render_fault_replays(self.list_faults(), self.query, written))

    def write_picture(self, file: str | None) -> None:
        """Write the plots of all measures to a file, if one is named and some start can begin."""
        if file is not None and not all(start.refusal_reasons for start in self.starts):
            write_plots(file, self.plot_measures())

    def start_values(self, start: _StartT) -> tuple[str, ...]:
        """Values of the varied things at a start, as text."""
        return format_start_values(self.query.varied, start.axis_values, start.play.start.names)

    def report_to_json(self) -> dict[str, Any]:
        """JSON of one start, or of a sweep."""
        if not self.query.varied:
            return {**self._head, **self._known_start_to_json(self.starts[0])}
        varied, names = self.query.varied, self.query.play.start.names
        starts = []
        for start in self.starts:
            values = zip(varied, start.axis_values, strict=True)
            at = [value_to_json(value, axis.type, names) for axis, value in values]
            starts.append({"at": at, **self._known_start_to_json(start)})
        return {**self._head, "vary": [axis.path for axis in varied], "starts": starts}

    def _known_start_to_json(self, start: _StartT) -> dict[str, Any]:
        if start.refusal_reasons:
            return {"refused": format_refusal_reasons(start.refusal_reasons, start.play)}
        return self.start_to_json(start)

    @property
    def all_heads(self) -> tuple[str, ...]:
        """Headings of `list_all_rows`."""
        return (*(axis.path for axis in self.query.varied), *self.heads, *self._end_cells)

    def list_all_rows(self) -> Iterator[tuple[object, ...]]:
        """The rows of all starts, each with the values of its start."""
        for start in self.starts:
            refused = ("", "cannot begin", *self.refused_cells)
            rows = (refused,) if start.refusal_reasons else self.list_rows(start)
            yield from ((*self.start_values(start), *row, *self._end_cells.values()) for row in rows)


class SharesReport(OutcomeReport[_StartT]):
    """A report in which each measure has a share for each of its values: a table of one start, and one of a sweep."""

    def __init__(  # noqa: PLR0913, PLR0917 - with the layout of the shares
        self,
        query: OddsQuery,
        starts: Sequence[_StartT],
        head: Mapping[str, Any],
        end_cells: Mapping[str, object],
        odds_style: OddsStyle,
        sweep_heading: str,
    ) -> None:
        """`sweep_heading` follows the title of the procedure."""
        super().__init__(query, starts, head, end_cells)
        self.odds_style = odds_style
        self._sweep_heading = sweep_heading
        self._measures = query.play.measures[: query.play.reported_count]

    @abstractmethod
    def measure_start(self, start: _StartT, number: int) -> MeasuredShares:
        """Shares of the measure of a number."""

    @abstractmethod
    def list_unfinished(self, start: _StartT) -> Mapping[str, Fraction]:
        """Shares of plays without a value, by their fate in words."""

    @abstractmethod
    def render_start(self, start: _StartT, out: Output) -> Iterator[str]:
        """Text of a single start."""

    def render_measure_notes(self, number: int) -> Iterator[str]:
        """Lines below the table of a measure."""
        del number
        yield from ()

    def render_sweep_notes(self) -> Iterator[str]:
        """Lines below all tables."""
        yield from ()

    def render_lines(self, out: Output) -> Iterator[str]:
        """Text: of several starts a table for each measure."""
        if not self.query.varied:
            yield from self.render_start(self.starts[0], out)
            return
        yield f"{out.paint(make_visible(self.query.play.start.procedure.heading), 'strong')}: {self._sweep_heading}"
        style, layout = self.odds_style
        note = describe_unfinished_shares(self._list_all_unfinished()) if layout == GRID else ""
        for number, measure in enumerate(self._measures):
            yield ""
            starts = self._measure_starts(number)
            if layout == GRID:
                yield from render_text_grid(make_heat_map(measure, starts, self.query, style, note), out)
            else:
                yield from render_sweep_table(measure, starts, self.query, out, self.odds_style)
                yield from self.render_measure_notes(number)
        yield from self.render_sweep_notes()

    def plot_measures(self) -> list[PlotWithTable]:
        """A plot with table for each measure."""
        shares = [self._measure_starts(number) for number in range(len(self._measures))]
        return make_plots(shares, self.query, self.odds_style, self._list_all_unfinished())

    def _measure_starts(self, number: int) -> list[MeasuredShares]:
        return [
            MeasuredShares(self.start_values(start), {}, None, "", {"cannot begin": join_reasons(start)})
            if start.refusal_reasons
            else self.measure_start(start, number)
            for start in self.starts
        ]

    def _list_all_unfinished(self) -> list[tuple[str, Fraction]]:
        refused = {"cannot begin": Fraction(1)}
        each = (refused if start.refusal_reasons else self.list_unfinished(start) for start in self.starts)
        return [item for shares in each for item in shares.items()]


def format_start_count(number: int) -> str:
    """Number of starts in words."""
    return "one start" if number == 1 else f"{number:,} starts"


def join_reasons(start: KnownStart) -> str:
    """Why a start cannot begin."""
    return "; ".join(format_refusal_reasons(start.refusal_reasons, start.play))


def measure_to_json(
    measure: AskedMeasure, names: NameTable, shares: Iterable[tuple[Value, Mapping[str, Any]]], mean: Json
) -> dict[str, Any]:
    """JSON of a measure; `shares` has what is known of each value, by key."""
    return {
        "of": measure.text,
        "values": [{**_value_to_json(value, measure, names), **share} for value, share in shares],
        "scale": [_value_to_json(value, measure, names) for value in _list_scale(measure, names)],
        "mean": mean,
    }


def _value_to_json(value: Value, measure: AskedMeasure, names: NameTable) -> dict[str, Any]:
    written = None if value is None else value_to_json(value, measure.type, names)
    return {"value": written, "says": measure_value_text(value, measure, names)}


def _list_scale(measure: AskedMeasure, names: NameTable) -> Sequence[Value]:
    """All values of a measure of words or of yes and no, in the order of their list; empty for any other."""
    match strip_optional(measure.type):
        case WordType(values):
            return range(len(names.program.values[values].words))
        case FlagType():
            return (False, True)
        case _:
            return ()


_MAX_TRIED_SEEDS = 500
"""Limit of seeds tried per fault; heuristic."""
_MAX_REPLAY_WORK = 50_000
"""Limit of the length of one tried play, in counted work; heuristic."""


def _render_fault_replays(faults: Iterable[tuple[str, str]], query: OddsQuery, written: OddsArguments) -> Iterator[str]:
    """For each fault, by code and message: its line, and a `run` command that reproduces it.

    Left out are faults that no seed reproduces soon, and plays whose answerers `run` cannot have.
    """
    unexplained, opening = {fault for fault in faults if fault[0] not in LIMIT_CODES}, query.opening
    if query.varied or query.saved_run or query.answers.maximizing_players or written.external or written.play.limits:
        return
    start = replace(query.play.start, limits=replace(query.play.start.limits, work=_MAX_REPLAY_WORK))
    for seed in range(_MAX_TRIED_SEEDS if unexplained else 0):
        end = run_to_end(start, opening.make_sources(seed)).session.outcome
        if isinstance(end, Faulted) and (end.code, end.message) in unexplained:
            unexplained.remove((end.code, end.message))
            span = find_address_span(end.address, start.executable.program)
            yield ""
            yield make_visible(f"{end.code} stops at {end.address}")
            if span is not None:
                yield f"  --> {format_place(span, query.texts)}"
            yield make_visible(f"  `{_replay_command_line(written, opening.policies, seed)}` plays it")
            if not unexplained:
                return


def _replay_command_line(written: OddsArguments, policies: Sequence[PlayerPolicy], seed: int) -> str:
    play = written.play
    words = ["rulewright", "run", play.ruleset, *([play.procedure] if play.procedure else [])]
    chosen = [policy.written for policy in reversed(policies)]
    several = (("--overlay", play.overlays), ("--with", play.roles), ("--set", play.settings), ("--policy", chosen))
    once = (("--state", play.state), ("--script", play.script))
    words += [word for option, values in several for item in values for word in (option, item)]
    words += [word for option, value in once if value for word in (option, value)]
    return shlex.join([*words, *(["--no-script"] if play.unscripted else []), "--seed", str(seed)])
