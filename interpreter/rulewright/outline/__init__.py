"""A program as its author wrote it, for all that tells: sections, rules and sentences, with ids, titles and clauses.

Comparing reads it, and so does whatever shows a ruleset in another form. It knows nothing of plays.
"""

from collections.abc import Iterator, Mapping

from rulewright.outline.declarations import Declaring, externals, functions, measures, remarks, routines, things
from rulewright.outline.items import Item, Name, Notes, Outline, Part
from rulewright.program.declarations import Program
from rulewright.source import Text


def outline(program: Program, texts: Mapping[str, Text]) -> Outline:
    """All declarations of a program with what stands in them, sort by sort.

    Lines are shown as their texts have them, with the comments that belong to them; where a text is not given, they
    are shown without.
    """
    noted = Notes(texts)
    return Outline(tuple(map(noted.on, _items(Declaring(program, texts)))))


def _items(declaring: Declaring) -> Iterator[Item]:
    for part in (things, functions, externals, measures, routines, remarks):
        yield from part(declaring)


__all__ = ["Item", "Name", "Outline", "Part", "outline"]
