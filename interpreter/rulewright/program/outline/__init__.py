"""A program as its author wrote it, for all that tells: sections, rules and sentences, with ids, titles and clauses.

Comparing reads it, and so does whatever shows a ruleset in another form. It knows nothing of plays.
"""

from collections.abc import Iterator, Mapping

from rulewright.base.source import Text
from rulewright.program.declarations import Program
from rulewright.program.outline.declaration_items import (
    DeclarationItemBuilder,
    build_external_items,
    build_function_items,
    build_measure_items,
    build_remark_items,
    build_routine_items,
    build_thing_items,
)
from rulewright.program.outline.items import CommentIndex, DeclaredName, ItemPart, Outline, OutlineItem


def build_outline(program: Program, texts: Mapping[str, Text]) -> Outline:
    """All declarations of a program with what stands in them, sort by sort.

    Lines are shown as their texts have them, with the comments that belong to them; where a text is not given, they
    are shown without.
    """
    noted = CommentIndex(texts)
    return Outline(tuple(map(noted.add_comments, _build_items(DeclarationItemBuilder(program, texts)))))


def _build_items(declaring: DeclarationItemBuilder) -> Iterator[OutlineItem]:
    for part in (
        build_thing_items,
        build_function_items,
        build_external_items,
        build_measure_items,
        build_routine_items,
        build_remark_items,
    ):
        yield from part(declaring)


__all__ = ["DeclaredName", "ItemPart", "Outline", "OutlineItem", "build_outline"]
