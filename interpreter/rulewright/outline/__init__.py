"""From a program to its outline."""

from collections.abc import Iterator, Mapping

from rulewright.outline.declaring import Declaring
from rulewright.outline.items import Item, Outline
from rulewright.outline.routines import routines
from rulewright.outline.things import externals, functions, measures, remarks, things
from rulewright.program.declarations import Program
from rulewright.source import Text


def outline(program: Program, texts: Mapping[str, Text]) -> Outline:
    """All declarations of a program with what stands in them, sort by sort.

    Lines are shown as their texts have them; where a text is not given, they are shown without.
    """
    return Outline(tuple(_items(Declaring(program, texts))))


def _items(declaring: Declaring) -> Iterator[Item]:
    for part in (things, functions, externals, measures, routines, remarks):
        yield from part(declaring)


__all__ = ["outline"]
