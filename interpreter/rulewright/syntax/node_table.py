"""Table from grammar rules to makers of nodes, and the construction of a text's nodes by it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from typing import Any, get_args, get_origin

from lark import Token, Tree

from rulewright.base.diagnostics import Diagnostic
from rulewright.base.frozen import dataclass
from rulewright.syntax.builder import (
    NodeBuilder,
    NodeMaker,
    OffsetMap,
    RuleMatch,
    build_node_of,
    take_children,
    take_only_child,
)
from rulewright.syntax.engine import ParseTree, get_engine
from rulewright.syntax.layout import MAX_NESTING
from rulewright.syntax.nodes import declarations as declared, expressions as valued, statements as lines
from rulewright.syntax.nodes.declarations import Declaration, Header
from rulewright.syntax.nodes.expressions import Cite, Dotted, Name, Title


def _build_title(rule: RuleMatch) -> Title:
    return rule.make_spanned_node(Title, text=rule.text[1:-1])


def _build_text(rule: RuleMatch) -> valued.TextLiteral:
    return rule.make_spanned_node(valued.TextLiteral, value=rule.text[1:-1])


def _build_cite(rule: RuleMatch) -> Cite:
    return rule.make_spanned_node(Cite, clause=rule.text[1:])


def _build_bound(rule: RuleMatch) -> int:
    """The sign and the digits may be separate words."""
    return int("".join(rule.text.split()))


# ---- rows and dice -----------------------------------------------------------------------------------------------


def _build_tally_change(word: str) -> NodeMaker:
    return lambda rule: (word, rule.values[0])


def _build_tally_row(rule: RuleMatch) -> lines.TallyRow:
    name, (change, amount), binder, guard, title = rule.values
    return rule.make_spanned_node(
        lines.TallyRow, name=name, change=change, amount=amount, binder=binder, guard=guard, title=title
    )


def _build_decide_row(rule: RuleMatch) -> lines.DecideRow:
    name, value, guard, title = rule.values
    guard = None if isinstance(guard, Name) else guard
    return rule.make_spanned_node(lines.DecideRow, name=name, value=value, guard=guard, title=title)


def _build_at_least_cell(rule: RuleMatch) -> lines.Cell:
    """`4+` in a cell or case."""
    (word,) = rule.values
    return rule.make_spanned_node(lines.Cell, sort="at least", value=_parse_at_least(word))


def _parse_at_least(word: Name) -> valued.WholeNumber:
    return valued.WholeNumber(int(word.text[:-1]), replace(word.span, end=word.span.end - 1))


def _build_explode_option(rule: RuleMatch) -> lines.RollOption:
    """`explode on 5+ at most 3`, or without limit."""
    word, *bound = rule.values
    number = bound[0] if bound and not isinstance(bound[0], Name) else None
    return rule.make_spanned_node(
        lines.RollOption, word="explode", best="more", value=_parse_at_least(word), bound=number
    )


def _build_at_least_comparison(operator: str) -> NodeMaker:
    """`x in 4+`, which is `x >= 4`."""

    def build_comparison(rule: RuleMatch) -> valued.Binary:
        left, word = rule.values
        return rule.make_spanned_node(valued.Binary, operator=operator, left=left, right=_parse_at_least(word))

    return build_comparison


def _parse_dice_word(word: Name) -> lines.DiceWord:
    """`2d6`, also written `2 D6`."""
    count, _, faces = word.text.lower().partition("d")
    return lines.DiceWord(int(count) if count else None, int(faces), word.span)


def _build_dice_of(rule: RuleMatch) -> lines.DiceOf:
    return rule.make_spanned_node(lines.DiceOf, count=rule.values[0], die=_parse_dice_word(rule.values[1]))


# ---- lines -------------------------------------------------------------------------------------------------------


def _make_block(lines_: list[Any], rule: RuleMatch | None = None) -> lines.Block:
    return lines.Block(tuple(lines_), lines_[0].span.extend_to(lines_[-1].span), rule.cites if rule else ())


def _build_block(rule: RuleMatch) -> lines.Block:
    return _make_block(rule.values, rule)


def _build_labelled_line(rule: RuleMatch) -> lines.Statement:
    """The id belongs to the line; its head begins with the verb."""
    label, line = rule.values
    return replace(line, label=label, span=rule.span)  # type: ignore[no-any-return]


def _build_if(rule: RuleMatch) -> lines.If:
    condition, below, *others, otherwise = rule.values
    first = lines.Branch(condition, below, rule.head.extend_to(below.span), below.cites)
    return rule.make_spanned_node(lines.If, branches=(first, *others), otherwise=otherwise, cites=below.cites)


def _build_case(rule: RuleMatch) -> lines.Case:
    *values, below = rule.values
    return rule.make_spanned_node(lines.Case, values=tuple(values), block=below, cites=below.cites)


def _build_answer(rule: RuleMatch) -> tuple[tuple[lines.Demand, ...], lines.Block | None, tuple[Cite, ...]]:
    below = [value for value in rule.values if not isinstance(value, lines.Demand)]
    demands = tuple(value for value in rule.values if isinstance(value, lines.Demand))
    return demands, _make_block(below, rule) if below else None, rule.cites


def _build_ask(rule: RuleMatch) -> lines.Ask:
    respondents, shape, title, *answer, otherwise = rule.values
    demands, below, cites = answer[0] if answer else ((), None, rule.cites)
    values = {"demands": demands, "block": below, "cites": cites}
    return rule.make_spanned_node(lines.Ask, asked=respondents, shape=shape, title=title, otherwise=otherwise, **values)


def _build_ask_whether(rule: RuleMatch) -> lines.Ask:
    respondents, name, guard, title, *below, otherwise = rule.values
    shape = lines.Whether(name, guard, name.span.extend_to(guard.span) if guard else name.span)
    values = {"block": below[0], "cites": below[0].cites} if below else {}
    return rule.make_spanned_node(lines.Ask, asked=respondents, shape=shape, title=title, otherwise=otherwise, **values)


def _build_ask_options(rule: RuleMatch) -> lines.Ask:
    respondents, name, title, *options, otherwise = rule.values
    shape = lines.Choose(name, tuple(options), name.span.extend_to(options[-1].span))
    return rule.make_spanned_node(lines.Ask, asked=respondents, shape=shape, title=title, otherwise=otherwise)


# ---- declarations ------------------------------------------------------------------------------------------------


def _build_values(rule: RuleMatch) -> declared.Values:
    name, title, *words = rule.values
    return rule.make_spanned_node(
        declared.Values, name=name, title=title, words=tuple(declared.Word(word, word.span) for word in words)
    )


def _take_conditions_title(build: NodeMaker) -> NodeMaker:
    """The title of its conditions is that of the declaration."""

    def build_titled(rule: RuleMatch) -> Any:
        result = build(rule)
        return replace(result, title=result.conditions.title)

    return build_titled


def _build_external_procedure(rule: RuleMatch) -> declared.ExternalProcedure:
    name, parameters, result, changes, title = rule.values
    given = {"results": result} if isinstance(result, tuple) else {"gives": result}
    return rule.make_spanned_node(
        declared.ExternalProcedure, name=name, parameters=parameters, changes=changes or (), title=title, **given
    )


def _build_paths(rule: RuleMatch) -> declared.Paths:
    name, parameters, board, start, title, *below = rule.values
    costs = tuple(tally_row for tally_row in below if isinstance(tally_row, lines.TallyRow))
    others = tuple(path_row for path_row in below if isinstance(path_row, declared.PathRow))
    values = {"costs": costs, "rows": others, "title": title}
    return rule.make_spanned_node(declared.Paths, name=name, parameters=parameters, board=board, start=start, **values)


def _pair_with_margin(rule: RuleMatch) -> tuple[Any, tuple[Cite, ...]]:
    return rule.values[0], rule.cites


def _build_order_by(rule: RuleMatch) -> tuple[Any, tuple[Cite, ...]]:
    order, first_taker = rule.values
    return {"order": order, "first_taker": bool(first_taker)}, rule.cites


def _build_holders(rule: RuleMatch) -> tuple[Any, tuple[Cite, ...]]:
    return {"holders": rule.values[0]}, rule.cites


def _build_event(rule: RuleMatch) -> declared.Event:
    name, parameters, gives, on_removal, title, *below = rule.values
    values = {key: value for line, _ in below for key, value in line.items()}
    cites = (*rule.cites, *(cite for _, margin in below for cite in margin))
    return rule.make_spanned_node(
        declared.Event,
        name=name,
        parameters=parameters,
        gives=gives,
        on_removal=bool(on_removal),
        title=title,
        cites=cites,
        **values,
    )


def _build_whenever(rule: RuleMatch) -> declared.Whenever:
    name, binder, title, (condition, first), (priority, second), (lowers, third), *below = rule.values
    return rule.make_spanned_node(
        declared.Whenever,
        name=name,
        binder=binder,
        title=title,
        condition=condition,
        priority=int(priority.text),
        lowers=lowers,
        block=_make_block(below),
        cites=(*rule.cites, *first, *second, *third),
    )


def _build_procedure(rule: RuleMatch) -> declared.Procedure:
    inner_, name, parameters, gives, title, *below = rule.values
    steps = tuple(step for step in below if isinstance(step, declared.Step))
    values = {"opening": tuple(below[: len(below) - len(steps)]), "steps": steps}
    return rule.make_spanned_node(
        declared.Procedure, inner=bool(inner_), name=name, parameters=parameters, gives=gives, title=title, **values
    )


# ---- amendments --------------------------------------------------------------------------------------------------


def _build_target(build: NodeMaker) -> NodeMaker:
    def build_part_target(rule: RuleMatch) -> declared.Target:
        result = build(rule)
        return declared.Target(result.name, rule.span, result)

    return build_part_target


def _build_target_row(rule: RuleMatch) -> declared.RowTarget:
    """A row with `otherwise` is one of a decide, and so is one with a condition and a plain value."""
    address, (change, amount), binder, guard, title = rule.values
    signed = isinstance(amount, valued.Unary) and amount.operator != "not"
    plain = guard is not None and change == "plus" and binder is None and not signed
    values = {"name": address, "guard": None if isinstance(guard, Name) else guard, "title": title}
    row: lines.DecideRow | lines.TallyRow
    if plain or isinstance(guard, Name):
        row = rule.make_spanned_node(lines.DecideRow, value=amount, **values)
    else:
        row = rule.make_spanned_node(lines.TallyRow, change=change, amount=amount, binder=binder, **values)
    return declared.RowTarget(address, rule.span, row)


def _build_target_table_row(rule: RuleMatch) -> declared.RowTarget:
    address, *cells = rule.values
    return declared.RowTarget(
        address, rule.span, rule.make_spanned_node(lines.TableRow, name=address, cells=tuple(cells))
    )


# ---- the table ---------------------------------------------------------------------------------------------------

_LINES_BUILT_OTHERWISE = (
    lines.Let, lines.Change, lines.Turn, lines.Place, lines.If, lines.TallyLine, lines.DecideLine, lines.Draw,
    lines.RulingLine, lines.Ask, lines.Nothing,
)  # fmt: skip


def _make_line_rows() -> Iterator[tuple[str, NodeMaker]]:
    """Rows of lines whose rule is called as their class, with their fields in order as its children."""
    for kind in set(get_args(lines.Statement)).difference(_LINES_BUILT_OTHERWISE):
        own = [field for field in fields(kind) if field not in fields(lines.Line)]
        order = " ".join(f"{field.name}{'*' * (field is own[-1] and get_origin(field.type) is tuple)}" for field in own)
        yield _CAPITAL.sub("_", kind.__name__).lower(), build_node_of(kind, order)


_CAPITAL = re.compile("(?<!^)(?=[A-Z])")
NODE_TABLE: dict[str, NodeMaker] = {
    **dict(_make_line_rows()),
    # the head of a file
    "ruleset": build_node_of(declared.RulesetHeader, "name title revision edition"),
    "amends": build_node_of(declared.AmendsHeader, "name revision edition"),
    "written_for": build_node_of(declared.WrittenForHeader, "revision fingerprint"),
    "document": build_node_of(declared.DocumentHeader, "name title"),
    "use": build_node_of(declared.UseHeader, "path prefix"),
    "edition": build_node_of(valued.WholeNumber, "value"),
    # small parts
    "cite": _build_cite,
    "title": _build_title,
    "dotted": build_node_of(Dotted, "parts*"),
    "params": take_children,
    "parameter": build_node_of(declared.Parameter, "name type default"),
    # what there is
    "values_in_line": _build_values,
    "values_in_rows": build_node_of(declared.Values, "name title words*"),
    "word": build_node_of(declared.Word, "name title"),
    "kind": build_node_of(declared.Kind, "name plural title fields*"),
    "record": build_node_of(declared.Record, "name title fields*"),
    "board": build_node_of(declared.Board, "name space unit bases title fields*"),
    "game": build_node_of(declared.Game, "fields*"),
    "stored": build_node_of(declared.StoredField, "name type start title"),
    "side": build_node_of(declared.StoredField, "name type start title", side=True),
    "derived": build_node_of(declared.DerivedField, "name parameters value title"),
    "derived_when": build_node_of(declared.DerivedConditions, "name conditions"),
    "die": build_node_of(declared.DieDeclaration, "name faces*"),
    "face": build_node_of(declared.Face, "value count"),
    "setting": build_node_of(declared.Setting, "name type value title"),
    "measure": build_node_of(declared.Measure, "name parameters value title"),
    "account": build_node_of(declared.Account, "word title"),
    "external_procedure": _build_external_procedure,
    "result_type": take_only_child,
    "result_parts": take_children,
    "changes": take_children,
    "external_term": build_node_of(declared.ExternalTerm, "name parameters gives default title"),
    "bind": build_node_of(declared.Bind, "external to"),
    "always": build_node_of(declared.Always, "name binder condition guard title"),
    "ruling": build_node_of(declared.Ruling, "number title"),
    # notions
    "term_means": build_node_of(declared.Term, "name parameters gives value title"),
    "term_when": _take_conditions_title(build_node_of(declared.Term, "name parameters conditions")),
    "term_over": _take_conditions_title(build_node_of(declared.Term, "name parameters gives over conditions")),
    "conditions": build_node_of(lines.Conditions, "mode title rows*"),
    "condition_row": build_node_of(lines.ConditionRow, "name condition guard title"),
    "relation_means": build_node_of(declared.Relation, "name parameters symmetric value title"),
    "relation_when": _take_conditions_title(build_node_of(declared.Relation, "name parameters symmetric conditions")),
    "tally": build_node_of(declared.Tally, "name parameters start title rows*"),
    "tally_row": _build_tally_row,
    "plus": _build_tally_change("plus"),
    "times": _build_tally_change("times"),
    "becomes": _build_tally_change("becomes"),
    "at_least": _build_tally_change("at least"),
    "at_most": _build_tally_change("at most"),
    "decide": build_node_of(declared.Decide, "name parameters gives title rows*"),
    "decide_row": _build_decide_row,
    "table": build_node_of(declared.Table, "name parameters gives title across rows*"),
    "across": build_node_of(declared.Across, "name cells*"),
    "named_row": build_node_of(lines.TableRow, "name cells*"),
    "bare_row": build_node_of(lines.TableRow, "cells*", name=None),
    "cell_value": build_node_of(lines.Cell, "value", sort="value"),
    "cell_at_least": build_node_of(lines.Cell, "value", sort="at least"),
    "cell_at_most": build_node_of(lines.Cell, "value", sort="at most"),
    "or_more": _build_at_least_cell,
    "cell_any": build_node_of(lines.Cell, "value", sort="any"),
    "paths": _build_paths,
    "cost": take_only_child,
    "path_row": build_node_of(declared.PathRow, "word name condition guard title"),
    # what is performed
    "event": _build_event,
    "holders": _build_holders,
    "order_by": _build_order_by,
    "handler": build_node_of(declared.Handler, "name binder event guard optional title block"),
    "whenever": _build_whenever,
    "when_line": _pair_with_margin,
    "priority_line": _pair_with_margin,
    "lowers_line": _pair_with_margin,
    "procedure": _build_procedure,
    "requirement": build_node_of(declared.Requirement, "name condition guard title"),
    "hold": build_node_of(declared.Hold, "names*"),
    "watch": build_node_of(declared.Watch, "event guard title block"),
    "step": build_node_of(declared.Step, "name title guard block"),
    # amendments
    "procedure_like": build_node_of(declared.ProcedureLike, "inner name parameters base arguments title amendments*"),
    "replace": build_node_of(declared.Replace, "target"),
    "replace_whole": build_node_of(declared.ReplaceWhole, "declaration"),
    "replace_line": build_node_of(declared.ReplaceLine, "address lines*"),
    "append": build_node_of(declared.Insert, "target", where="", anchor=None),
    "insert": build_node_of(declared.Insert, "where anchor target"),
    "insert_lines": build_node_of(declared.InsertLines, "where anchor lines*"),
    "remove_part": build_node_of(declared.RemovePart, "address"),
    "target_row": _build_target_row,
    "target_table_row": _build_target_table_row,
    "target_step": _build_target(build_node_of(declared.Step, "name title guard block")),
    "target_option": _build_target(build_node_of(lines.Option, "name guard title block")),
    "target_demand": _build_target(build_node_of(lines.Demand, "word name condition guard title")),
    "target_let": _build_target(build_node_of(lines.Let, "name type value title")),
    "target_term": _build_target(build_node_of(declared.Term, "name value title", parameters=())),
    "target_setting": _build_target(build_node_of(declared.Setting, "name type value title")),
    "target_field": _build_target(build_node_of(declared.StoredField, "name type start title")),
    "target_word": _build_target(build_node_of(declared.Word, "name title")),
    # lines
    "block": _build_block,
    "otherwise": _build_block,
    "labelled": _build_labelled_line,
    "let": build_node_of(lines.Let, "name type value title"),
    "nothing": build_node_of(lines.Nothing, "title"),
    "add": build_node_of(lines.Change, "up_to amount copied place otherwise", word="add"),
    "take": build_node_of(lines.Change, "up_to amount place otherwise", word="take"),
    "turn": build_node_of(lines.Turn, "thing heading", face=False),
    "turn_to_face": build_node_of(lines.Turn, "thing heading", face=True),
    "place_at": build_node_of(lines.Place, "thing spot"),
    "if_line": _build_if,
    "else_if": build_node_of(lines.Branch, "condition block"),
    "case": _build_case,
    "steps": take_children,
    "tally_line": build_node_of(lines.TallyLine, "name start title rows*"),
    "decide_line": build_node_of(lines.DecideLine, "name title rows*"),
    "rank_key": build_node_of(lines.RankRow, "name best value title"),
    "rank_roll": build_node_of(lines.RankRow, "name best dice value title"),
    "rank_ask": build_node_of(lines.RankRow, "name value title", best="ask"),
    "draw": build_node_of(lines.Draw, "secretly source name by otherwise"),
    "ruling_line": build_node_of(lines.RulingLine, "number title"),
    # dice
    "dice_word": lambda rule: _parse_dice_word(rule.values[0]),
    "dice_of_word": _build_dice_of,
    "one_die": build_node_of(lines.DiceOf, "die", count=None),
    "dice_of": build_node_of(lines.DiceOf, "count die"),
    "dice_parts": build_node_of(lines.DiceParts, "parts*"),
    "dice_part": build_node_of(lines.DicePart, "name dice options"),
    "roll_options": take_children,
    "keep": build_node_of(lines.RollOption, "word best value"),
    "explode": build_node_of(lines.RollOption, "value bound", word="explode"),
    "explode_without_limit": build_node_of(lines.RollOption, "value", word="explode"),
    "explode_or_more": _build_explode_option,
    "explode_or_more_without_limit": _build_explode_option,
    "with_advantage": build_node_of(lines.RollOption, "word value"),
    # questions
    "ask": _build_ask,
    "ask_whether": _build_ask_whether,
    "ask_options": _build_ask_options,
    "answer": _build_answer,
    "demand": build_node_of(lines.Demand, "word name condition guard title"),
    "option": build_node_of(lines.Option, "name guard title block"),
    "who_one": build_node_of(lines.Asked, "who secretly"),
    "who_all": build_node_of(lines.Asked, "who each_name"),
    "one_of": build_node_of(lines.OneOf, "binder"),
    "pick": build_node_of(lines.Pick, "size binder name"),
    "split": build_node_of(lines.Split, "amount over name"),
    "order": build_node_of(lines.Order, "items name"),
    "place_where": build_node_of(lines.PlaceWhere, "thing name"),
    "turn_how": build_node_of(lines.TurnHow, "thing name"),
    # types
    "range_type": build_node_of(valued.RangeType, "low high"),
    "bound": _build_bound,
    "named_type": build_node_of(valued.NamedType, "name"),
    "optional_type": build_node_of(valued.OptionalType, "inner"),
    "collection_type": build_node_of(valued.CollectionType, "word inner"),
    "map_type": build_node_of(valued.MapType, "key value"),
    "tuple_type": build_node_of(valued.TupleType, "parts*"),
    # expressions
    "binder": build_node_of(valued.Binder, "names source where"),
    "pattern": take_children,
    "args": take_children,
    "bare_argument": build_node_of(valued.Argument, "value", name=None),
    "named_argument": build_node_of(valued.Argument, "name value"),
    "name": build_node_of(valued.Reference, "name"),
    "attribute": build_node_of(valued.Attribute, "target name"),
    "index": build_node_of(valued.Index, "target keys*"),
    "call": build_node_of(valued.Call, "function arguments"),
    "aggregate": build_node_of(valued.Aggregate, "function binder value"),
    "some": build_node_of(valued.Quantified, "binder body", word="some"),
    "no_member": build_node_of(valued.Quantified, "binder body", word="no"),
    "the": build_node_of(valued.Quantified, "binder body", word="the"),
    "every": build_node_of(valued.Quantified, "binder body", word="every"),
    "set_each": build_node_of(valued.Comprehension, "binder value", word="set"),
    "list_each": build_node_of(valued.Comprehension, "binder value", word="list"),
    "set_of": build_node_of(valued.Collection, "items*", word="set"),
    "list_of": build_node_of(valued.Collection, "items*", word="list"),
    "group": build_node_of(valued.Group, "items*"),
    "if_value": build_node_of(valued.IfValue, "condition then otherwise"),
    "or": build_node_of(valued.Binary, "left right", operator="or"),
    "and": build_node_of(valued.Binary, "left right", operator="and"),
    "compare": build_node_of(valued.Binary, "left operator right"),
    "member": build_node_of(valued.Binary, "left right", operator="in"),
    "member_or_more": _build_at_least_comparison(">="),
    "not_member_or_more": _build_at_least_comparison("<"),
    "not_member": build_node_of(valued.Binary, "left right", operator="not in"),
    "range_of": build_node_of(valued.Binary, "left right", operator=".."),
    "sum": build_node_of(valued.Binary, "left right", operator="+"),
    "difference": build_node_of(valued.Binary, "left right", operator="-"),
    "product_of": build_node_of(valued.Binary, "left right", operator="*"),
    "quotient": build_node_of(valued.Binary, "left right", operator="/"),
    "not": build_node_of(valued.Unary, "operand", operator="not"),
    "minus": build_node_of(valued.Unary, "operand", operator="-"),
    "plus_sign": build_node_of(valued.Unary, "operand", operator="+"),
    "whole": build_node_of(valued.WholeNumber, "value"),
    "decimal": build_node_of(valued.DecimalNumber, "text"),
    "text": _build_text,
    "yes": build_node_of(valued.Truth, value=True),
    "no": build_node_of(valued.Truth, value=False),
    "none": build_node_of(valued.NoneValue),
}


class NestingError(Exception):
    """Nesting of a text beyond `MAX_NESTING`."""

    def __init__(self, offset: int) -> None:
        super().__init__(offset)
        self.offset = offset


@dataclass(frozen=True, slots=True)
class ParsedNodes:
    """Nodes of a text, and its mistakes against the grammar."""

    headers: tuple[Header, ...]
    declarations: tuple[Declaration, ...]
    diagnostics: tuple[Diagnostic, ...]


def parse_nodes(source: str, content: str) -> ParsedNodes:
    """Nodes of a text that ends with a line end; after a mistake those that `recovery` salvages.

    Raises:
        NestingError: before anything recursive runs.
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
    """Declarations of a text from an offset on; none if there is a mistake or a header in them.

    Raises:
        NestingError: before anything recursive runs.
    """
    part = get_engine().parse_tree(content[start:])
    if not isinstance(part, ParseTree):
        return None
    parsed_nodes = _build_nodes(source, content, [(part, start)], ())
    return None if parsed_nodes.headers else parsed_nodes.declarations


def _build_nodes(
    source: str, content: str, readings: Iterable[tuple[ParseTree, int]], diagnostics: tuple[Diagnostic, ...]
) -> ParsedNodes:
    nodes: list[Header | Declaration] = []
    for reading, shift in readings:
        _refuse_deep_tree(reading.tree, shift)
        builder = NodeBuilder(
            NODE_TABLE, OffsetMap(source, content[shift:] if shift else content, reading.lines, shift)
        )
        nodes.extend(builder.build_child(child) for child in reading.tree.children if isinstance(child, Tree))
    items = tuple(item for item in nodes if isinstance(item, Header))
    return ParsedNodes(items, tuple(item for item in nodes if not isinstance(item, Header)), diagnostics)


def _refuse_deep_tree(tree: Tree[Token], shift: int) -> None:
    level: list[Tree[Token]] = [tree]
    depth = 0
    while level:
        if depth > MAX_NESTING:
            raise NestingError(shift + (0 if level[0].meta.empty else level[0].meta.start_pos))
        level = [child for parent in level for child in parent.children if isinstance(child, Tree)]
        depth += 1
