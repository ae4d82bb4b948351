"""Rows of conditions, tallies, decisions, tables and ranks, and dice."""

from collections.abc import Callable
from typing import TypedDict

from rulewright.source import Span
from rulewright.syntax.builder.expressions import binder, expression
from rulewright.syntax.builder.parts import Parts
from rulewright.syntax.nodes.expressions import Expression
from rulewright.syntax.nodes.names import Cite, Name, Title
from rulewright.syntax.nodes.rows import (
    Cell,
    ConditionRow,
    Conditions,
    DecideRow,
    Dice,
    DiceOf,
    DicePart,
    DiceParts,
    DiceWord,
    RankRow,
    RollOption,
    TableRow,
    TallyRow,
)


class Demanded(TypedDict):
    """What a row with a condition is made of."""

    name: Name
    condition: Expression
    guard: Expression | None
    title: Title | None
    cites: tuple[Cite, ...]
    span: Span


def demanded(parts: Parts) -> Demanded:
    """`name: condition when guard "title"`."""
    return Demanded(
        name=parts.name(),
        condition=parts.one(expression),
        guard=parts.maybe(expression),
        title=parts.title(),
        cites=parts.cites,
        span=parts.span,
    )


def conditions(parts: Parts) -> Conditions:
    """`when all "title":` with rows."""
    return Conditions(
        mode=parts.word(),
        title=parts.title(),
        rows=parts.many(_condition_row),
        span=parts.span,
        cites=parts.cites,
    )


def _condition_row(parts: Parts) -> ConditionRow:
    return ConditionRow(**demanded(parts))


def tally_row(parts: Parts) -> TallyRow:
    """`name: change for each x in S when guard "title"`."""
    name = parts.name()
    change, amount = parts.one(tally_change)
    return TallyRow(
        name=name,
        change=change,
        amount=amount,
        binder=parts.maybe(binder),
        guard=parts.maybe(expression),
        title=parts.title(),
        cites=parts.cites,
        span=parts.span,
    )


def tally_change(parts: Parts) -> tuple[str, Expression]:
    """The sort of a change and its amount."""
    return parts.rule.replace("_", " "), parts.one(expression)


def decide_row(parts: Parts) -> DecideRow:
    """`name: value when guard "title"`."""
    return DecideRow(
        name=parts.name(),
        value=parts.one(expression),
        guard=guard_or_otherwise(parts),
        title=parts.title(),
        cites=parts.cites,
        span=parts.span,
    )


def guard_or_otherwise(parts: Parts) -> Expression | None:
    """The condition of a row; none where it says `otherwise`, or nothing."""
    if parts.follows_word():
        parts.word()
        return None
    return parts.maybe(expression)


_CELLS = {"cell_value": "value", "cell_at_least": "at least", "cell_at_most": "at most", "cell_any": "any"}


def cell(parts: Parts) -> Cell:
    """A cell of a table."""
    sort = _CELLS[parts.rule]
    return Cell(sort, None if sort == "any" else parts.one(expression), parts.span)


def table_row(parts: Parts) -> TableRow:
    """`name: cell | cell`."""
    name = parts.name() if parts.rule == "named_row" else None
    return TableRow(name, parts.many(cell), parts.span, parts.cites)


def rank_row(parts: Parts) -> RankRow:
    """A key of a rank."""
    name = parts.name()
    best = "ask" if parts.rule == "rank_ask" else parts.word()
    return RankRow(
        name=name,
        best=best,
        dice=parts.one(dice) if parts.rule == "rank_roll" else None,
        value=parts.one(expression),
        title=parts.title(),
        cites=parts.cites,
        span=parts.span,
    )


def dice(parts: Parts) -> Dice:
    """What a roll throws."""
    if parts.rule == "dice_parts":
        return DiceParts(parts.many(_dice_part), parts.span)
    return _one_dice(parts)


def _dice_part(parts: Parts) -> DicePart:
    return DicePart(dice=parts.one(_one_dice), options=parts.one(roll_options), span=parts.span)


def _one_dice(parts: Parts) -> DiceWord | DiceOf:
    match parts.rule:
        case "dice_word":
            return _dice_word(parts)
        case "dice_of_word":
            return DiceOf(count=parts.one(expression), die=_dice_word(parts), span=parts.span)
        case _:
            return DiceOf(count=parts.one(expression), die=parts.one(expression), span=parts.span)


def _dice_word(parts: Parts) -> DiceWord:
    word = parts.name()
    count, _, faces = word.text.partition("d")
    return DiceWord(int(count) if count else None, int(faces), word.span)


def roll_options(parts: Parts) -> tuple[RollOption, ...]:
    """The options of a roll in order."""
    return parts.many(_roll_option)


def _roll_option(parts: Parts) -> RollOption:
    return _ROLL_OPTIONS[parts.rule](parts)


def _keep(parts: Parts) -> RollOption:
    return RollOption(word=parts.word(), best=parts.word(), value=parts.one(expression), span=parts.span)


def _explode(parts: Parts) -> RollOption:
    return RollOption("explode", value=parts.one(expression), span=parts.span, bound=parts.one(expression))


def _explode_without_limit(parts: Parts) -> RollOption:
    return RollOption("explode", parts.one(expression), parts.span)


def _tagged(parts: Parts) -> RollOption:
    return RollOption("tagged", parts.one(expression), parts.span)


_ROLL_OPTIONS: dict[str, Callable[[Parts], RollOption]] = {
    "keep": _keep,
    "explode": _explode,
    "explode_without_limit": _explode_without_limit,
    "tagged": _tagged,
}
