"""Conditions that a scenario wants to hold all through a play, as an overlay of its ruleset."""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, replace

from rulewright.diagnostics import Diagnostic, Label
from rulewright.files import Provider
from rulewright.files.providers import Relayed
from rulewright.inputs.nodes import Items, Scalar
from rulewright.scenarios.suite import Case
from rulewright.source import Text

_NAME = "scenario_always_"
_FILE = "always-of-a-scenario.rules"
_EACH = "for each "


def conditions(case: Case) -> tuple[Scalar, ...]:
    """The conditions of a case, in order, each on one line."""
    node = case.expect.get("always")
    return tuple(each for each in node.items if isinstance(each, Scalar)) if isinstance(node, Items) else ()


def number_of(address: str) -> int | None:
    """Which condition, from 0, a fault at an address is about; none where it is about another line."""
    return int(address.removeprefix(_NAME)) if address.startswith(_NAME) else None


@dataclass(frozen=True)
class Laid(Relayed):
    """Files with an overlay among them that asks for conditions; it stands beside a ruleset.

    Attributes:
        place: of the overlay.
        content: of the overlay.
    """

    place: str
    content: str

    def sort(self, place: str) -> str:
        """`file`, `folder`, or nothing where there is neither."""
        return "file" if place == self.place else super().sort(place)

    def read(self, place: str, most: int) -> bytes:
        """What a file holds, up to so many bytes."""
        return self.content.encode()[:most] if place == self.place else super().read(place, most)

    def identity(self, place: str) -> str:
        """The same for two places of one file."""
        return place if place == self.place else super().identity(place)


def laid(wanted: tuple[str, ...], ruleset: str, main: str, under: Provider) -> Laid:
    """The files of a ruleset, given by its name and main file, with the overlay of these conditions."""
    lines = [f'amends {ruleset} revision "scenario"', *map(_line, range(len(wanted)), wanted)]
    return Laid(under, posixpath.join(posixpath.dirname(main), _FILE), "\n".join(lines) + "\n")


def _line(number: int, condition: str) -> str:
    written = " ".join(condition.split())
    between = " " if written.startswith(_EACH) else ": "
    return f"always {_NAME}{number}{between}{written}"


def at_conditions(found: tuple[Diagnostic, ...], case: Case, texts: dict[str, Text]) -> Iterator[Diagnostic]:
    """Findings about the overlay, told at the conditions of the scenario."""
    nodes = conditions(case)
    for each in found:
        text = texts.get(each.primary.span.source) if each.primary else None
        if each.primary is None or text is None or posixpath.basename(text.name) != _FILE:
            yield each
            continue
        node = nodes[min(max(text.position(each.primary.span.start).line - 2, 0), len(nodes) - 1)]
        remedy = _WRITTEN if each.code == "RW0101" else each.help
        yield replace(
            each, primary=Label(node.span), secondary=(), edits=(), address="", pointer=node.pointer, help=remedy
        )


_WRITTEN = "write a condition, such as `u.health >= 0`, or `for each u in units: u.health >= 0`"
