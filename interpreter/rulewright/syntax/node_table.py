"""What becomes of each rule of the grammar: mostly a node whose fields are the children of the rule in their order."""

from dataclasses import replace
from typing import Any

from rulewright.syntax.builder import Build, Rule, everything, inner, node
from rulewright.syntax.nodes import declarations as declared, expressions as valued, rows, statements as lines
from rulewright.syntax.nodes.expressions import Cite, Dotted, Name, Title


def _title(rule: Rule) -> Title:
    return rule.node(Title, text=rule.text[1:-1])


def _text(rule: Rule) -> valued.TextLiteral:
    return rule.node(valued.TextLiteral, value=rule.text[1:-1])


def _cite(rule: Rule) -> Cite:
    return rule.node(Cite, clause=rule.text[1:])


def _bound(rule: Rule) -> int:
    """The sign and the digits may stand apart."""
    return int("".join(rule.text.split()))


# ---- rows and dice -----------------------------------------------------------------------------------------------


def _change(word: str) -> Build:
    """How a row of a tally changes it, and by how much."""
    return lambda rule: (word, rule.values[0])


def _tally_row(rule: Rule) -> rows.TallyRow:
    name, (change, amount), binder, guard, title = rule.values
    return rule.node(rows.TallyRow, name=name, change=change, amount=amount, binder=binder, guard=guard, title=title)


def _decide_row(rule: Rule) -> rows.DecideRow:
    """Where the condition stands, `otherwise` may stand."""
    name, value, guard, title = rule.values
    guard = None if isinstance(guard, Name) else guard
    return rule.node(rows.DecideRow, name=name, value=value, guard=guard, title=title)


def _or_more(rule: Rule) -> rows.Cell:
    """`4+` in a cell or case."""
    (word,) = rule.values
    return rule.node(rows.Cell, sort="at least", value=_least(word))


def _least(word: Name) -> valued.WholeNumber:
    """The number of `4+`."""
    return valued.WholeNumber(int(word.text[:-1]), replace(word.span, end=word.span.end - 1))


def _explode_or_more(rule: Rule) -> rows.RollOption:
    """`explode on 5+ at most 3`, or without limit."""
    word, *bound = rule.values
    number = bound[0] if bound and not isinstance(bound[0], Name) else None
    return rule.node(rows.RollOption, word="explode", best="more", value=_least(word), bound=number)


def _member_or_more(operator: str) -> Build:
    """`x in 4+`, which is `x >= 4`."""

    def build(rule: Rule) -> valued.Binary:
        left, word = rule.values
        return rule.node(valued.Binary, operator=operator, left=left, right=_least(word))

    return build


def _dice_word(word: Name) -> rows.DiceWord:
    """`2d6`, also where it is written `2 D6`."""
    count, _, faces = word.text.lower().partition("d")
    return rows.DiceWord(int(count) if count else None, int(faces), word.span)


def _dice_of_word(rule: Rule) -> rows.DiceOf:
    return rule.node(rows.DiceOf, count=rule.values[0], die=_dice_word(rule.values[1]))


# ---- lines -------------------------------------------------------------------------------------------------------


def _block_of(lines_: list[Any], rule: Rule | None = None) -> lines.Block:
    return lines.Block(tuple(lines_), lines_[0].span.to(lines_[-1].span), rule.cites if rule else ())


def _block(rule: Rule) -> lines.Block:
    return _block_of(rule.values, rule)


def _labelled(rule: Rule) -> lines.Statement:
    """The id belongs to the line, its head begins with the verb."""
    label, line = rule.values
    return replace(line, label=label, span=rule.span)  # type: ignore[no-any-return]


def _if_line(rule: Rule) -> lines.If:
    condition, below, *others, otherwise = rule.values
    first = lines.Branch(condition, below, rule.head.to(below.span), below.cites)
    return rule.node(lines.If, branches=(first, *others), otherwise=otherwise, cites=below.cites)


def _case(rule: Rule) -> lines.Case:
    *values, below = rule.values
    return rule.node(lines.Case, values=tuple(values), block=below, cites=below.cites)


def _answer(rule: Rule) -> tuple[tuple[lines.Demand, ...], lines.Block | None, tuple[Cite, ...]]:
    """The demands, the lines and the margin under a question."""
    below = [each for each in rule.values if not isinstance(each, lines.Demand)]
    demands = tuple(each for each in rule.values if isinstance(each, lines.Demand))
    return demands, _block_of(below, rule) if below else None, rule.cites


def _ask(rule: Rule) -> lines.Ask:
    asked, shape, title, *answer, otherwise = rule.values
    demands, below, cites = answer[0] if answer else ((), None, rule.cites)
    said = {"demands": demands, "block": below, "cites": cites}
    return rule.node(lines.Ask, asked=asked, shape=shape, title=title, otherwise=otherwise, **said)


def _ask_whether(rule: Rule) -> lines.Ask:
    asked, name, guard, title, *below, otherwise = rule.values
    shape = lines.Whether(name, guard, name.span.to(guard.span) if guard else name.span)
    said = {"block": below[0], "cites": below[0].cites} if below else {}
    return rule.node(lines.Ask, asked=asked, shape=shape, title=title, otherwise=otherwise, **said)


def _ask_options(rule: Rule) -> lines.Ask:
    asked, name, title, *options, otherwise = rule.values
    shape = lines.Choose(name, tuple(options), name.span.to(options[-1].span))
    return rule.node(lines.Ask, asked=asked, shape=shape, title=title, otherwise=otherwise)


# ---- declarations ------------------------------------------------------------------------------------------------


def _values_in_line(rule: Rule) -> declared.Values:
    name, title, *words = rule.values
    return rule.node(
        declared.Values, name=name, title=title, words=tuple(declared.Word(each, each.span) for each in words)
    )


def _with_rows(build: Build) -> Build:
    """The title of its conditions is that of the declaration."""

    def titled(rule: Rule) -> Any:  # what is built
        found = build(rule)
        return replace(found, title=found.conditions.title)

    return titled


def _external_procedure(rule: Rule) -> declared.ExternalProcedure:
    """What it gives is a type, or parts with names."""
    name, parameters, result, changes, title = rule.values
    given = {"results": result} if isinstance(result, tuple) else {"gives": result}
    return rule.node(
        declared.ExternalProcedure, name=name, parameters=parameters, changes=changes or (), title=title, **given
    )


def _paths(rule: Rule) -> declared.Paths:
    name, parameters, board, start, title, *below = rule.values
    costs = tuple(each for each in below if isinstance(each, rows.TallyRow))
    others = tuple(each for each in below if isinstance(each, declared.PathRow))
    said = {"costs": costs, "rows": others, "title": title}
    return rule.node(declared.Paths, name=name, parameters=parameters, board=board, start=start, **said)


def _with_margin(rule: Rule) -> tuple[Any, tuple[Cite, ...]]:
    """What a line below a declaration says, and its margin, which is the declaration's own."""
    return rule.values[0], rule.cites


def _order_by(rule: Rule) -> tuple[Any, tuple[Cite, ...]]:
    order, first_taker = rule.values
    return {"order": order, "first_taker": bool(first_taker)}, rule.cites


def _holders(rule: Rule) -> tuple[Any, tuple[Cite, ...]]:
    return {"holders": rule.values[0]}, rule.cites


def _event(rule: Rule) -> declared.Event:
    name, parameters, gives, on_removal, title, *below = rule.values
    said = {key: value for line, _ in below for key, value in line.items()}
    cites = (*rule.cites, *(cite for _, margin in below for cite in margin))
    return rule.node(
        declared.Event,
        name=name,
        parameters=parameters,
        gives=gives,
        on_removal=bool(on_removal),
        title=title,
        cites=cites,
        **said,
    )


def _whenever(rule: Rule) -> declared.Whenever:
    name, binder, title, (condition, first), (priority, second), (lowers, third), *below = rule.values
    return rule.node(
        declared.Whenever,
        name=name,
        binder=binder,
        title=title,
        condition=condition,
        priority=int(priority.text),
        lowers=lowers,
        block=_block_of(below),
        cites=(*rule.cites, *first, *second, *third),
    )


def _procedure(rule: Rule) -> declared.Procedure:
    inner_, name, parameters, gives, title, *below = rule.values
    steps = tuple(each for each in below if isinstance(each, declared.Step))
    said = {"opening": tuple(below[: len(below) - len(steps)]), "steps": steps}
    return rule.node(
        declared.Procedure, inner=bool(inner_), name=name, parameters=parameters, gives=gives, title=title, **said
    )


# ---- amendments --------------------------------------------------------------------------------------------------


def _target(build: Build) -> Build:
    """A part of a declaration, written under its address."""

    def target(rule: Rule) -> declared.Target:
        found = build(rule)
        return declared.Target(found.name, rule.span, found)

    return target


def _target_row(rule: Rule) -> declared.RowTarget:
    """A row with `otherwise` is one of a decision, and so is one with a condition that only says a value."""
    address, (change, amount), binder, guard, title = rule.values
    plain = guard is not None and change == "plus" and binder is None and not _is_signed(amount)
    said = {"name": address, "guard": None if isinstance(guard, Name) else guard, "title": title}
    row: rows.DecideRow | rows.TallyRow
    if plain or isinstance(guard, Name):
        row = rule.node(rows.DecideRow, value=amount, **said)
    else:
        row = rule.node(rows.TallyRow, change=change, amount=amount, binder=binder, **said)
    return declared.RowTarget(address, rule.span, row)


def _is_signed(amount: valued.Expression) -> bool:
    return isinstance(amount, valued.Unary) and amount.operator != "not"


def _target_table_row(rule: Rule) -> declared.RowTarget:
    address, *cells = rule.values
    return declared.RowTarget(address, rule.span, rule.node(rows.TableRow, name=address, cells=tuple(cells)))


# ---- the table ---------------------------------------------------------------------------------------------------

TABLE: dict[str, Build] = {
    # the head of a file
    "ruleset": node(declared.RulesetHeader, "name title revision edition"),
    "amends": node(declared.AmendsHeader, "name revision edition"),
    "written_for": node(declared.WrittenForHeader, "revision fingerprint"),
    "document": node(declared.DocumentHeader, "name title"),
    "use": node(declared.UseHeader, "path prefix"),
    "edition": node(valued.WholeNumber, "value"),
    # small parts
    "cite": _cite,
    "title": _title,
    "dotted": node(Dotted, "parts*"),
    "params": everything,
    "parameter": node(declared.Parameter, "name type default"),
    # what there is
    "values_in_line": _values_in_line,
    "values_in_rows": node(declared.Values, "name title words*"),
    "word": node(declared.Word, "name title"),
    "kind": node(declared.Kind, "name plural title fields*"),
    "record": node(declared.Record, "name title fields*"),
    "board": node(declared.Board, "name space unit bases title fields*"),
    "game": node(declared.Game, "fields*"),
    "stored": node(declared.StoredField, "name type start title"),
    "side": node(declared.StoredField, "name type start title", side=True),
    "derived": node(declared.DerivedField, "name parameters value title"),
    "derived_when": node(declared.DerivedConditions, "name conditions"),
    "die": node(declared.DieDeclaration, "name faces*"),
    "face": node(declared.Face, "value count"),
    "setting": node(declared.Setting, "name type value title"),
    "measure": node(declared.Measure, "name parameters value title"),
    "account": node(declared.Account, "word title"),
    "external_procedure": _external_procedure,
    "result_type": inner,
    "result_parts": everything,
    "changes": everything,
    "external_term": node(declared.ExternalTerm, "name parameters gives default title"),
    "bind": node(declared.Bind, "external to"),
    "always": node(declared.Always, "name binder condition guard title"),
    "ruling": node(declared.Ruling, "number title"),
    # notions
    "term_means": node(declared.Term, "name parameters gives value title"),
    "term_when": _with_rows(node(declared.Term, "name parameters conditions")),
    "term_over": _with_rows(node(declared.Term, "name parameters gives over conditions")),
    "conditions": node(rows.Conditions, "mode title rows*"),
    "condition_row": node(rows.ConditionRow, "name condition guard title"),
    "relation_means": node(declared.Relation, "name parameters symmetric value title"),
    "relation_when": _with_rows(node(declared.Relation, "name parameters symmetric conditions")),
    "tally": node(declared.Tally, "name parameters start title rows*"),
    "tally_row": _tally_row,
    "plus": _change("plus"),
    "times": _change("times"),
    "becomes": _change("becomes"),
    "at_least": _change("at least"),
    "at_most": _change("at most"),
    "decide": node(declared.Decide, "name parameters gives title rows*"),
    "decide_row": _decide_row,
    "table": node(declared.Table, "name parameters gives title across rows*"),
    "across": node(declared.Across, "name cells*"),
    "named_row": node(rows.TableRow, "name cells*"),
    "bare_row": node(rows.TableRow, "cells*", name=None),
    "cell_value": node(rows.Cell, "value", sort="value"),
    "cell_at_least": node(rows.Cell, "value", sort="at least"),
    "cell_at_most": node(rows.Cell, "value", sort="at most"),
    "or_more": _or_more,
    "cell_any": node(rows.Cell, "value", sort="any"),
    "paths": _paths,
    "cost": inner,
    "path_row": node(declared.PathRow, "word name condition guard title"),
    # what is performed
    "event": _event,
    "holders": _holders,
    "order_by": _order_by,
    "handler": node(declared.Handler, "name binder event guard optional title block"),
    "whenever": _whenever,
    "when_line": _with_margin,
    "priority_line": _with_margin,
    "lowers_line": _with_margin,
    "procedure": _procedure,
    "requirement": node(declared.Requirement, "name condition guard title"),
    "hold": node(declared.Hold, "names*"),
    "watch": node(declared.Watch, "event guard title block"),
    "step": node(declared.Step, "name title guard block"),
    # amendments
    "procedure_like": node(declared.ProcedureLike, "inner name parameters base arguments title amendments*"),
    "replace": node(declared.Replace, "target"),
    "replace_whole": node(declared.ReplaceWhole, "declaration"),
    "replace_line": node(declared.ReplaceLine, "address lines*"),
    "append": node(declared.Insert, "target", where="", anchor=None),
    "insert": node(declared.Insert, "where anchor target"),
    "insert_lines": node(declared.InsertLines, "where anchor lines*"),
    "remove_part": node(declared.RemovePart, "address"),
    "target_row": _target_row,
    "target_table_row": _target_table_row,
    "target_step": _target(node(declared.Step, "name title guard block")),
    "target_option": _target(node(lines.Option, "name guard title block")),
    "target_demand": _target(node(lines.Demand, "word name condition guard title")),
    "target_let": _target(node(lines.Let, "name type value title")),
    "target_term": _target(node(declared.Term, "name value title", parameters=())),
    "target_setting": _target(node(declared.Setting, "name type value title")),
    "target_field": _target(node(declared.StoredField, "name type start title")),
    "target_word": _target(node(declared.Word, "name title")),
    # lines
    "block": _block,
    "otherwise": _block,
    "labelled": _labelled,
    "let": node(lines.Let, "name type value title"),
    "set": node(lines.Set, "place value"),
    "add": node(lines.Change, "up_to amount copied place otherwise", word="add"),
    "take": node(lines.Change, "up_to amount place otherwise", word="take"),
    "move": node(lines.Move, "thing destination"),
    "turn": node(lines.Turn, "thing heading", face=False),
    "turn_to_face": node(lines.Turn, "thing heading", face=True),
    "place_at": node(lines.Place, "thing spot"),
    "remove": node(lines.Remove, "thing"),
    "if_line": _if_line,
    "else_if": node(lines.Branch, "condition block"),
    "match": node(lines.Match, "subject cases*"),
    "case": _case,
    "for_each": node(lines.ForEach, "binder block"),
    "repeat": node(lines.Repeat, "condition bound block"),
    "together": node(lines.Together, "block"),
    "nothing": node(lines.Nothing),
    "stop": node(lines.Stop),
    "proceed": node(lines.Proceed, "step bound"),
    "perform": node(lines.Perform, "procedure arguments steps depth result"),
    "steps": everything,
    "finish": node(lines.Finish, "procedure value"),
    "trigger": node(lines.Trigger, "event arguments result"),
    "tally_line": node(lines.TallyLine, "name start title rows*"),
    "decide_line": node(lines.DecideLine, "name title rows*"),
    "rank": node(lines.Rank, "binder name keys*"),
    "rank_key": node(rows.RankRow, "name best value title"),
    "rank_roll": node(rows.RankRow, "name best dice value title"),
    "rank_ask": node(rows.RankRow, "name value title", best="ask"),
    "roll": node(lines.Roll, "dice options name by"),
    "reroll": node(lines.Reroll, "dice by"),
    "draw": node(lines.Draw, "secretly source name by otherwise"),
    "shuffle": node(lines.Shuffle, "deck"),
    "reveal": node(lines.Reveal, "name"),
    "ruling_line": node(lines.RulingLine, "number title"),
    # dice
    "dice_word": lambda rule: _dice_word(rule.values[0]),
    "dice_of_word": _dice_of_word,
    "one_die": node(rows.DiceOf, "die", count=None),
    "dice_of": node(rows.DiceOf, "count die"),
    "dice_parts": node(rows.DiceParts, "parts*"),
    "dice_part": node(rows.DicePart, "name dice options"),
    "roll_options": everything,
    "keep": node(rows.RollOption, "word best value"),
    "explode": node(rows.RollOption, "value bound", word="explode"),
    "explode_without_limit": node(rows.RollOption, "value", word="explode"),
    "explode_or_more": _explode_or_more,
    "explode_or_more_without_limit": _explode_or_more,
    "with_advantage": node(rows.RollOption, "word value"),
    # questions
    "ask": _ask,
    "ask_whether": _ask_whether,
    "ask_options": _ask_options,
    "answer": _answer,
    "demand": node(lines.Demand, "word name condition guard title"),
    "option": node(lines.Option, "name guard title block"),
    "who_one": node(lines.Asked, "who secretly"),
    "who_all": node(lines.Asked, "who each_name"),
    "one_of": node(lines.OneOf, "binder"),
    "pick": node(lines.Pick, "size binder name"),
    "split": node(lines.Split, "amount over name"),
    "order": node(lines.Order, "items name"),
    "place_where": node(lines.PlaceWhere, "thing name"),
    "turn_how": node(lines.TurnHow, "thing name"),
    # types
    "range_type": node(valued.RangeType, "low high"),
    "bound": _bound,
    "named_type": node(valued.NamedType, "name"),
    "optional_type": node(valued.OptionalType, "inner"),
    "collection_type": node(valued.CollectionType, "word inner"),
    "map_type": node(valued.MapType, "key value"),
    "tuple_type": node(valued.TupleType, "parts*"),
    # expressions
    "binder": node(valued.Binder, "names source where"),
    "pattern": everything,
    "args": everything,
    "bare_argument": node(valued.Argument, "value", name=None),
    "named_argument": node(valued.Argument, "name value"),
    "name": node(valued.Reference, "name"),
    "attribute": node(valued.Attribute, "target name"),
    "index": node(valued.Index, "target keys*"),
    "call": node(valued.Call, "function arguments"),
    "aggregate": node(valued.Aggregate, "function binder value"),
    "some": node(valued.Quantified, "binder body", word="some"),
    "no_member": node(valued.Quantified, "binder body", word="no"),
    "the": node(valued.Quantified, "binder body", word="the"),
    "every": node(valued.Quantified, "binder body", word="every"),
    "set_each": node(valued.Comprehension, "binder value", word="set"),
    "list_each": node(valued.Comprehension, "binder value", word="list"),
    "set_of": node(valued.Collection, "items*", word="set"),
    "list_of": node(valued.Collection, "items*", word="list"),
    "group": node(valued.Group, "items*"),
    "if_value": node(valued.IfValue, "condition then otherwise"),
    "or": node(valued.Binary, "left right", operator="or"),
    "and": node(valued.Binary, "left right", operator="and"),
    "compare": node(valued.Binary, "left operator right"),
    "member": node(valued.Binary, "left right", operator="in"),
    "member_or_more": _member_or_more(">="),
    "not_member_or_more": _member_or_more("<"),
    "not_member": node(valued.Binary, "left right", operator="not in"),
    "range_of": node(valued.Binary, "left right", operator=".."),
    "sum": node(valued.Binary, "left right", operator="+"),
    "difference": node(valued.Binary, "left right", operator="-"),
    "product_of": node(valued.Binary, "left right", operator="*"),
    "quotient": node(valued.Binary, "left right", operator="/"),
    "not": node(valued.Unary, "operand", operator="not"),
    "minus": node(valued.Unary, "operand", operator="-"),
    "plus_sign": node(valued.Unary, "operand", operator="+"),
    "whole": node(valued.WholeNumber, "value"),
    "decimal": node(valued.DecimalNumber, "text"),
    "text": _text,
    "yes": node(valued.Truth, value=True),
    "no": node(valued.Truth, value=False),
    "none": node(valued.NoneValue),
}
