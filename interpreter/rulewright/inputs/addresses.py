"""Addresses at which a program can ask, and the ways to write them."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from rulewright.inputs.wording import did_you_mean, one_of, quoted
from rulewright.program.declarations import Program
from rulewright.program.statements import Ask, Draw, Line, PerformExternal, Rank, Remove, Reroll, Roll, Shuffle, Trigger
from rulewright.program.walk import shared_address
from rulewright.roles import nodes

_ASKING = Ask | Draw | PerformExternal | Reroll | Roll | Shuffle


def request_addresses(program: Program) -> tuple[str, ...]:
    """Every address a request can have, in order of declaration.

    Lines that ask, roll, draw, perform an external or open a window, those of one step and name once; external terms
    by their names.
    """
    routines = (program.procedures, program.handlers, program.rules)
    found = (node for group in routines for node in nodes(tuple(group.values())) if isinstance(node, Line))
    asking = (shared_address(address) for line in found for address in _asking(line, program))
    return tuple(dict.fromkeys([*asking, *program.external_terms]))


def _asking(line: Line, program: Program) -> tuple[str, ...]:
    """Where a line asks: at itself, a rank at its keys that roll or ask."""
    if isinstance(line, Rank):
        return tuple(each.address for each in line.keys if each.requests)
    return (line.address,) if _asks(line, program) else ()


def _asks(line: Line, program: Program) -> bool:
    """Whether a line can ask: a trigger or removal where its event has handlers, for their order and leave."""
    match line:
        case Trigger(event=event):
            return program.events[event].holders is not None
        case Remove(events=events):
            return bool(events)
        case _:
            return isinstance(line, _ASKING)


@dataclass(frozen=True)
class Unresolved:
    """Why a written address stands for nothing: several candidates, or none and perhaps a near one."""

    message: str
    help: str
    several: bool


@dataclass(frozen=True)
class Addresses:
    """The addresses of requests of one program.

    A whole address may be shortened to any unambiguous end of it (`60/push`), and to anything around it that
    holds no other request (`30` for `fight/30/test`).
    """

    all: tuple[str, ...]

    @cached_property
    def spellings(self) -> Mapping[str, str]:
        """Every accepted way to write an address, with the whole of it; whole ones win over ends, ends over parts."""
        ends = _unambiguous((end, address) for address in self.all for end in _ends(address))
        parts = _unambiguous((part, address) for address in self.all for part in _parts(address))
        return parts | ends | {address: address for address in self.all}

    def resolve(self, written: str) -> str | Unresolved:
        """The whole address that is meant."""
        found = self.spellings.get(written)
        if found is not None:
            return found
        candidates = [each for each in self.all if written in _ends(each)] or [
            each for each in self.all if written in _parts(each)
        ]
        if candidates:
            return Unresolved(
                f"{quoted(written)} stands for several questions", f"write {one_of(candidates)}", several=True
            )
        remedy = did_you_mean(written, self.spellings)
        return Unresolved(f"nothing is asked at {quoted(written)}", remedy, several=False)


def _ends(address: str) -> Iterator[str]:
    segments = address.split("/")
    yield from ("/".join(segments[first:]) for first in range(len(segments)))
    if len(segments) == 1 and "." in address:
        yield address.rpartition(".")[2]


def _parts(address: str) -> Iterator[str]:
    segments = address.split("/")
    for first in range(len(segments)):
        yield from ("/".join(segments[first:last]) for last in range(first + 1, len(segments)))


def _unambiguous(pairs: Iterator[tuple[str, str]]) -> dict[str, str]:
    known = dict.fromkeys(pairs)
    counts = Counter(written for written, _ in known)
    return {written: address for written, address in known if counts[written] == 1}
