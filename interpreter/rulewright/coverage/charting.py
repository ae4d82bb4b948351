"""A chart coloured by what scenarios reach of it."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from rulewright.charts.chart import PLAIN, Box, Chart, Mark, Note
from rulewright.coverage.listing import FAILS, HOLDS, Unit, listing
from rulewright.coverage.reach import Played
from rulewright.coverage.report import excluded, gathered
from rulewright.frozen import dataclass
from rulewright.program.declarations import Program
from rulewright.scenarios.suite import Reason, in_numbers

_LEGEND = (
    ("full", "exercised"),
    ("part", "exercised in part, with what never is"),
    ("none", "never exercised"),
    ("left", "left out on purpose, or out of reach"),
)
_PASSED = "passed over"
_ENDS = {HOLDS: "true", FAILS: "false", _PASSED: "false"}
_ONE: Mapping[str, str] = {
    "steps": "step",
    "lines": "other line",
    "edges": "way on",
    "conditions": "outcome of a condition",
    "atoms": "part of a condition",
    "rows": "row",
    "modifiers": "modifier",
    "answers": "answer",
    "options": "option",
}
_MORE = {
    "lines": "other lines",
    "edges": "ways on",
    "conditions": "outcomes of conditions",
    "atoms": "parts of conditions",
}


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a unit: `reached`, `missing`, or `left` where it is left out or cannot be reached."""

    unit: Unit
    fate: str


def known_units(
    program: Program, played: Sequence[Played], exclusions: Sequence[Reason], identity: Callable[[str], object]
) -> tuple[tuple[Known, ...], tuple[Played, ...]]:
    """The units of a program with what became of them, and the cases that play any of it.

    `identity` is what texts of two names that are one file have in common.
    """

    def place(unit: Unit) -> object:
        sort, detail, span = unit.key
        return sort, detail, span and (identity(span.source), span.start, span.end)

    units = listing(program).units
    here = {place(each) for each in units if each.span}
    playing = {
        id(each.listing)
        for each in {id(one.listing): one for one in played}.values()
        if each.listing is not None and any(place(unit) in here for unit in each.listing.units)
    }
    mine = tuple(each for each in played if id(each.listing) in playing)
    keys = {each.key: each for one in mine if one.listing is not None for each in one.listing.units}
    reached = {place(keys[key]) for key in gathered(mine)}
    left, _ = excluded(exclusions, units, [each.key for each in units if place(each) in reached])

    def fate(unit: Unit) -> str:
        if place(unit) in reached:
            return "reached"
        return "left" if unit.dead or unit.key in left else "missing"

    return tuple(Known(each, fate(each)) for each in units), mine


def covered(made: Chart, units: Sequence[Known], played: Sequence[Played]) -> Chart:
    """The chart with every box and line marked by what cases reach of it, and what of it none does."""
    colouring = _Colouring(made, units)
    told = in_numbers(each.result for each in played)
    return replace(
        made,
        boxes=tuple(map(colouring.box, made.boxes)),
        legend=_LEGEND,
        remarks=(f"{len(played)} {'scenario' if len(played) == 1 else 'scenarios'}: {told}",),
    )


class _Colouring:
    def __init__(self, made: Chart, units: Sequence[Known]) -> None:
        self._boxes = {box.address for box in made.boxes}
        self._lines = {note.address for box in made.boxes for note in box.notes} - self._boxes
        self._at: dict[str, list[Known]] = {}
        for each in units:
            self._at.setdefault(self._owner(each.unit.address), []).append(each)

    def _owner(self, address: str) -> str:
        """The address of the line, else of the box, that shows something."""
        while address and address not in self._lines and address not in self._boxes:
            address = address.rpartition("/")[0]
        return address

    def box(self, box: Box) -> Box:
        here = self._at.get(box.address, [])
        guard = [each for each in here if _is_of_guard(each.unit)]
        own = [each for each in here if each not in guard]
        notes = tuple(self._note(note, guard if note.address == box.address else None) for note in box.notes)
        inside = [each for note in box.notes for each in self._at.get(note.address, ()) if note.address != box.address]
        sort = _sort([*own, *inside])
        sort = "part" if sort == "full" and _sort(guard) not in {"full", ""} else sort or _sort(guard)
        lacking = ", ".join(_counted([each.unit for each in own if each.fate == "missing"]))
        said = (f"never: {lacking}",) if lacking and sort == "part" else ()
        return replace(box, notes=notes, mark=Mark(sort, said), onward=_onward(here))

    def _note(self, note: Note, guard: list[Known] | None) -> Note:
        units = self._at.get(note.address, []) if guard is None else guard
        sort = _sort(units)
        return replace(note, mark=Mark(sort, tuple(_missing(units, note.address)) if sort == "part" else ()))


def _is_of_guard(unit: Unit) -> bool:
    """Whether something of a step is about the condition on which it is carried out."""
    return unit.detail == _PASSED or unit.detail.split()[:1] == ["when"]


def _sort(units: Sequence[Known]) -> str:
    fates = {each.fate for each in units}
    if "missing" in fates:
        return "part" if "reached" in fates else "none"
    return "full" if "reached" in fates else "left" if fates else ""


def _onward(units: Sequence[Known]) -> Mark:
    """The way to the next box: exercised where a play came to the end of the step, or passed it over."""
    ways = [each for each in units if each.unit.sort == "edges" and each.unit.detail in {"ends", _PASSED}]
    sort = _sort(ways)
    return Mark(sort) if sort in {"none", "left"} else PLAIN


def _missing(units: Sequence[Known], address: str) -> Iterator[str]:
    """What no case reaches of a line of which some reach something."""
    missing = [each.unit for each in units if each.fate == "missing"]
    named = {each.key: said for each in missing if (said := _never(each, address))}
    parts = [each.text for each in missing if each.sort == "atoms" and each.address == address]
    lost = {each.address for each in missing if each.sort in {"rows", "options", "lines"}} - {address}
    others = [
        each
        for each in missing
        if each.key not in named and each.address not in lost and not (each.sort == "atoms" and each.address == address)
    ]
    told = [*dict.fromkeys(named.values()), *_counted(others)]
    if told:
        yield f"never: {', '.join(told)}"
    if parts:
        yield f"never decided by: {', '.join(parts)}"


def _never(unit: Unit, address: str) -> str:
    """A part of a line in a word; empty where it has none."""
    if unit.sort in {"conditions", "edges"} and unit.address == address:
        return _ENDS.get(unit.detail.removeprefix("when").strip(), "")
    if unit.sort in {"rows", "modifiers", "options"}:
        title = f"“{unit.text}”" if unit.text else unit.address.rpartition("/")[2].replace("_", " ")
        return f"{title} {unit.detail}".strip()
    return unit.detail if unit.sort == "answers" else ""


def _counted(units: Sequence[Unit]) -> Iterator[str]:
    """How many of what has no word of its own, by sorts."""
    for sort, number in Counter(each.sort for each in units).items():
        yield f"{number} {_ONE[sort] if number == 1 else _MORE.get(sort, sort)}"
