"""What is asked of the way: how often steps and procedures are entered, rows decide or apply, tallies are counted."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from rulewright.diagnostics import Diagnostic, Severity
from rulewright.frozen import dataclass
from rulewright.inputs.findings import quoted
from rulewright.inputs.names import Addresses
from rulewright.machine.entries import Record
from rulewright.machine.trace import Entry
from rulewright.program.declarations import Program
from rulewright.program.rows import TallyRow
from rulewright.program.walk import rows, step_addresses

_ASKED = re.compile(r"(?<![\w.])(visits|decided|applied|counted)\s*\(\s*([^()\s]+)\s*\)")
_TIMES = "asked_of_the_way_"
WORDS = {"visits": "STEP", "decided": "ROW", "applied": "ROW", "counted": "TALLY"}
"""What is asked of the way, and of what."""
_WHAT = {
    "visits": ("step {} to be visited", "steps"),
    "decided": ("decide or table, or row of one, {}", "decides, tables or rows of one"),
    "applied": ("row of a tally {}", "rows of a tally"),
    "counted": ("tally {}", "tallies"),
}
"""What there may be of an address, one and several."""


@dataclass(frozen=True, slots=True)
class Watched:
    """Something that happens on the way, each time of which is counted."""

    word: str  # `visits`, `decided`, `applied` or `counted`, as expectations of scenarios have it
    address: str  # of the step, the procedure without steps, the row, or the list of rows

    def __str__(self) -> str:
        return f"{self.word}({self.address})"


def with_way(text: str, program: Program, told: Callable[[Watched], str]) -> str:
    """An expression with other words in place of all that it asks of the way.

    `told` is given what is asked, by its whole address as far as there is one, and says the other words.
    """

    def instead(found: re.Match[str]) -> str:
        if found[1] in program.functions:
            return found[0]
        address = Addresses(_addresses(found[1], program)).resolve(found[2])
        return told(Watched(found[1], address if isinstance(address, str) else found[2]))

    return _ASKED.sub(instead, text)


def name_of_times(number: int) -> str:
    """What an expression calls how often the thing of a number came."""
    return f"{_TIMES}{number}"


def number_of_times(name: str) -> int | None:
    """Of what a name says how often it came, by its number; none of other names."""
    number = name.removeprefix(_TIMES)
    return int(number) if number != name and number.isdigit() else None


def missing(asked: Watched, program: Program) -> Diagnostic | None:
    """RW1132, where there is nothing of that address, or where several things end so; else none."""
    found, written = Addresses(_addresses(asked.word, program)).resolve(asked.address), quoted(asked.address)
    if isinstance(found, str):
        return None
    one, several = _WHAT[asked.word]
    message = f"{written} stands for several {several}" if found.several else f"there is no {one.format(written)}"
    return Diagnostic("RW1132", Severity.ERROR, message, help=found.help or "there are none")


def _addresses(word: str, program: Program) -> tuple[str, ...]:
    """Addresses that a word is asked of, in written order."""
    if word == "visits":
        steps = step_addresses(program)
        known = Addresses(steps).spellings  # what a step is called goes on to mean the step
        return (*steps, *(name for name, each in program.procedures.items() if not each.steps and name not in known))
    found = [each for each in rows(program) if isinstance(each, TallyRow) is (word != "decided")]
    lists = [each.address.removesuffix(f"/{each.id}") for each in found]
    of_rows = [each.address for each in found]
    return tuple(dict.fromkeys({"decided": lists + of_rows, "applied": of_rows, "counted": lists}[word]))


def times(asked: Sequence[Watched], entries: Sequence[Entry]) -> tuple[int, ...]:
    """How often each came in a stretch of play."""
    if not asked or not isinstance(entries, Record):
        return (0,) * len(asked)
    words = {each.word for each in asked}
    met: Mapping[Watched, int] = Counter(
        [
            *(Watched("visits", address) for address in (entries.entered if "visits" in words else ())),
            *(Watched(*each) for each in (entries.judged if words != {"visits"} else ())),
        ]
    )
    return tuple(met.get(each, 0) for each in asked)
