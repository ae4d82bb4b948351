"""Reads a whole text, with or without mistakes, and builds its nodes."""

from collections.abc import Iterable

from lark import Token, Tree

from rulewright.diagnostics.model import Diagnostic
from rulewright.frozen import dataclass
from rulewright.syntax.builder import Builder, Places
from rulewright.syntax.engine import Reading, engine
from rulewright.syntax.layout import NESTING
from rulewright.syntax.node_table import TABLE
from rulewright.syntax.nodes.declarations import Declaration, Header


class NestedTooDeep(Exception):  # noqa: N818 - names what is wrong with the text
    """A text nests beyond the limit."""

    def __init__(self, offset: int) -> None:
        super().__init__(offset)
        self.offset = offset  # where


@dataclass(frozen=True, slots=True)
class Found:
    """The nodes of a text and its mistakes."""

    headers: tuple[Header, ...]
    declarations: tuple[Declaration, ...]
    diagnostics: tuple[Diagnostic, ...]


def read(source: str, content: str) -> Found:
    """The nodes of a text that ends with a line end.

    Raises:
        NestedTooDeep: before anything recursive runs.
    """
    whole = engine().read(content)
    if isinstance(whole, Reading):
        return _build(source, content, [(whole, 0)], ())
    if whole.sort == "deep":
        raise NestedTooDeep(whole.start)
    from rulewright.syntax.recovery import salvage  # noqa: PLC0415 - only where there are mistakes

    salvaged = salvage(source, content, whole)
    return _build(source, content, salvaged.readings, salvaged.diagnostics)


def read_part(source: str, content: str, start: int) -> tuple[Declaration, ...] | None:
    """The declarations of a text from the offset on at which one begins; none where there is a mistake in them.

    Raises:
        NestedTooDeep: before anything recursive runs.
    """
    part = engine().read(content[start:])
    if not isinstance(part, Reading):
        return None
    found = _build(source, content, [(part, start)], ())
    return None if found.headers else found.declarations


def _build(
    source: str, content: str, readings: Iterable[tuple[Reading, int]], diagnostics: tuple[Diagnostic, ...]
) -> Found:
    made: list[Header | Declaration] = []
    for reading, shift in readings:
        _refuse_deep(reading.tree, shift)
        builder = Builder(TABLE, Places(source, content[shift:] if shift else content, reading.lines, shift))
        made.extend(builder.made(each) for each in reading.tree.children if isinstance(each, Tree))
    found = tuple(each for each in made if isinstance(each, Header))
    return Found(found, tuple(each for each in made if not isinstance(each, Header)), diagnostics)


def _refuse_deep(tree: Tree[Token], shift: int) -> None:
    """Raise where a tree is deeper than the limit."""
    level: list[Tree[Token]] = [tree]
    depth = 0
    while level:
        if depth > NESTING:
            raise NestedTooDeep(shift + (0 if level[0].meta.empty else level[0].meta.start_pos))
        level = [each for parent in level for each in parent.children if isinstance(each, Tree)]
        depth += 1
