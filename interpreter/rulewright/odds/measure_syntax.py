"""Syntax of measures beyond expressions: counted events (`visits(step)` and others) and conditions (`given`)."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, TypeVar

from rulewright.base.diagnostics import Diagnostic, Severity
from rulewright.base.frozen import dataclass
from rulewright.documents.findings import quote_name
from rulewright.documents.name_table import RequestAddresses
from rulewright.program.declarations import Program
from rulewright.program.expressions import TallyRow
from rulewright.program.types import NumberType, Type
from rulewright.program.walk import list_computed_rows, list_step_addresses
from rulewright.runtime.random_values import RandomValue, collapse_if_constant, join_parts
from rulewright.runtime.request import TraceEntry
from rulewright.runtime.trace_record import TraceRecord
from rulewright.runtime.values import Value

RESULT_NAME = "result"
"""Name of the result of a procedure in what is asked of its end."""

_COUNT_PATTERN = re.compile(r"(?<![\w.])(visits|decided|applied|counted)\s*\(\s*([^()\s]+)\s*\)")
_COUNT_NAME_PREFIX = "asked_of_the_way_"
COUNT_WORDS = {"visits": "STEP", "decided": "ROW", "applied": "ROW", "counted": "TALLY"}
"""Words that count events, and what each counts."""
_COUNTED_NOUNS = {
    "visits": ("step {} to be visited", "steps"),
    "decided": ("decide or table, or row of one, {}", "decides, tables or rows of one"),
    "applied": ("row of a tally {}", "rows of a tally"),
    "counted": ("tally {}", "tallies"),
}
"""What an address may stand for: singular with a gap, and plural."""


@dataclass(frozen=True, slots=True)
class CountedEvent:
    """An event of the rules whose occurrences are counted."""

    word: str  # key of `COUNT_WORDS`
    address: str  # of the step, the procedure without steps, the row, or the list of rows

    def __str__(self) -> str:
        return f"{self.word}({self.address})"


def replace_counts(text: str, program: Program, render_count: Callable[[CountedEvent], str]) -> str:
    """Expression with each counted event replaced by the text that `render_count` gives for it.

    The event has its full address, where that exists.
    """

    def replace_count(match: re.Match[str]) -> str:
        if match[1] in program.functions:
            return match[0]
        address = RequestAddresses(_countable_addresses(match[1], program)).resolve(match[2])
        return render_count(CountedEvent(match[1], address if isinstance(address, str) else match[2]))

    return _COUNT_PATTERN.sub(replace_count, text)


def event_count_name(number: int) -> str:
    """Name that stands for the count of an event in an expression."""
    return f"{_COUNT_NAME_PREFIX}{number}"


def event_number_of_name(name: str) -> int | None:
    """Number of the event whose count a name stands for; None for other names."""
    number = name.removeprefix(_COUNT_NAME_PREFIX)
    return int(number) if number != name and number.isdigit() else None


def check_event_exists(event: CountedEvent, program: Program) -> Diagnostic | None:
    """RW1132, where an address stands for nothing or for several things."""
    unresolved_address, written = (
        RequestAddresses(_countable_addresses(event.word, program)).resolve(event.address),
        quote_name(event.address),
    )
    if isinstance(unresolved_address, str):
        return None
    one, several = _COUNTED_NOUNS[event.word]
    message = (
        f"{written} stands for several {several}"
        if unresolved_address.is_ambiguous
        else f"there is no {one.format(written)}"
    )
    return Diagnostic("RW1132", Severity.ERROR, message, help=unresolved_address.help or "there are none")


def _countable_addresses(word: str, program: Program) -> tuple[str, ...]:
    if word == "visits":
        steps = list_step_addresses(program)
        known = RequestAddresses(steps).spellings  # what a step is called goes on to mean the step
        return (
            *steps,
            *(name for name, procedure in program.procedures.items() if not procedure.steps and name not in known),
        )
    result = [row for row in list_computed_rows(program) if isinstance(row, TallyRow) is (word != "decided")]
    lists = [item.address.removesuffix(f"/{item.id}") for item in result]
    of_rows = [item.address for item in result]
    return tuple(dict.fromkeys({"decided": lists + of_rows, "applied": of_rows, "counted": lists}[word]))


def count_events(events: Sequence[CountedEvent], entries: Sequence[TraceEntry]) -> tuple[int, ...]:
    """Number of occurrences of each event in some trace entries."""
    if not events or not isinstance(entries, TraceRecord):
        return (0,) * len(events)
    words = {counted_event.word for counted_event in events}
    met: Mapping[CountedEvent, int] = Counter(
        [
            *(CountedEvent("visits", address) for address in (entries.entered_steps if "visits" in words else ())),
            *(CountedEvent(*judged_row) for judged_row in (entries.judged_rows if words != {"visits"} else ())),
        ]
    )
    return tuple(met.get(counted_event, 0) for counted_event in events)


_GIVEN_PATTERN = re.compile(r"\s+given\s+")


class ExcludedPlay(Enum):
    """Value of a measure in plays that do not fulfil its condition."""

    EXCLUDED = "not asked of"


class UndefinedConditionError(Exception):
    """A condition that has no value in some play."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text  # as written


_ShareT = TypeVar("_ShareT")


def drop_excluded_plays(shares: Mapping[Any, _ShareT]) -> dict[Value, _ShareT]:
    """Entries by value, without those of excluded plays."""
    return {value: share for value, share in shares.items() if value is not ExcludedPlay.EXCLUDED}


def apply_condition(holds: Any, value: Any) -> Any:
    """`value` if the condition holds, else `ExcludedPlay`; both may be random.

    Raises:
        NeedsConcreteValue: their joint distribution would be too large.
    """
    if not isinstance(holds, RandomValue):
        return value if holds else ExcludedPlay.EXCLUDED
    both = join_parts((holds, value))
    return collapse_if_constant(both.variables, [one if so else ExcludedPlay.EXCLUDED for so, one in both.values])


def split_condition(text: str) -> tuple[str, str]:
    """Expression and condition of `result given hammer.health > 0`; several conditions are joined by `and`."""
    expression, *conditions = _GIVEN_PATTERN.split(text)
    return expression, conditions[0] if len(conditions) == 1 else " and ".join(
        f"({condition})" for condition in conditions
    )


def report_non_flag_condition(text: str, type_: Type) -> Diagnostic:
    """RW1202, for a condition of another type."""
    message = f"{quote_name(text)} is {type_}; a condition must be yes or no"
    remedy = f"compare it: `{text} > 0`" if isinstance(type_, NumberType) else "compare it: `… = …` is yes or no"
    return Diagnostic("RW1202", Severity.ERROR, message, help=remedy)
