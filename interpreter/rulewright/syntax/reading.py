"""Reads a whole text, with or without mistakes, and builds its nodes."""

from collections.abc import Iterable

from lark import Token, Tree

from rulewright.base.diagnostics.model import Diagnostic
from rulewright.base.frozen import dataclass
from rulewright.syntax.builder import NodeBuilder, OffsetMap
from rulewright.syntax.engine import ParseTree, get_engine
from rulewright.syntax.layout import MAX_NESTING
from rulewright.syntax.node_table import NODE_TABLE
from rulewright.syntax.nodes.declarations import Declaration, Header


class NestingError(Exception):
    """A text nests beyond the limit."""

    def __init__(self, offset: int) -> None:
        super().__init__(offset)
        self.offset = offset  # where


@dataclass(frozen=True, slots=True)
class ParsedNodes:
    """The nodes of a text and its mistakes."""

    headers: tuple[Header, ...]
    declarations: tuple[Declaration, ...]
    diagnostics: tuple[Diagnostic, ...]


def parse_nodes(source: str, content: str) -> ParsedNodes:
    """The nodes of a text that ends with a line end.

    Raises:
        NestedTooDeep: before anything recursive runs.
    """
    whole = get_engine().parse_tree(content)
    if isinstance(whole, ParseTree):
        return _build_nodes(source, content, [(whole, 0)], ())
    if whole.sort == "deep":
        raise NestingError(whole.start)
    from rulewright.syntax.recovery import salvage_text  # noqa: PLC0415 - only where there are mistakes

    salvaged = salvage_text(source, content, whole)
    return _build_nodes(source, content, salvaged.trees, salvaged.diagnostics)


def parse_declarations(source: str, content: str, start: int) -> tuple[Declaration, ...] | None:
    """The declarations of a text from the offset on at which one begins; none where there is a mistake in them.

    Raises:
        NestedTooDeep: before anything recursive runs.
    """
    part = get_engine().parse_tree(content[start:])
    if not isinstance(part, ParseTree):
        return None
    parsed_nodes = _build_nodes(source, content, [(part, start)], ())
    return None if parsed_nodes.headers else parsed_nodes.declarations


def _build_nodes(
    source: str, content: str, readings: Iterable[tuple[ParseTree, int]], diagnostics: tuple[Diagnostic, ...]
) -> ParsedNodes:
    made: list[Header | Declaration] = []
    for reading, shift in readings:
        _refuse_deep_tree(reading.tree, shift)
        builder = NodeBuilder(
            NODE_TABLE, OffsetMap(source, content[shift:] if shift else content, reading.lines, shift)
        )
        made.extend(builder.build_child(child) for child in reading.tree.children if isinstance(child, Tree))
    items = tuple(item for item in made if isinstance(item, Header))
    return ParsedNodes(items, tuple(item for item in made if not isinstance(item, Header)), diagnostics)


def _refuse_deep_tree(tree: Tree[Token], shift: int) -> None:
    """Raise where a tree is deeper than the limit."""
    level: list[Tree[Token]] = [tree]
    depth = 0
    while level:
        if depth > MAX_NESTING:
            raise NestingError(shift + (0 if level[0].meta.empty else level[0].meta.start_pos))
        level = [child for parent in level for child in parent.children if isinstance(child, Tree)]
        depth += 1
