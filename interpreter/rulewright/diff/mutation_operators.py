"""Mutation operators: each makes the edits of one node; together they make the mutants of a text."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from rulewright.base.source import Span, Text, count_leading_blanks
from rulewright.diff.mutants import Mutant, MutationEdit, NodeVisit, RulesetNames, visit_nodes
from rulewright.syntax.nodes import declarations as d, expressions as e, statements as s
from rulewright.syntax.nodes.declarations import File
from rulewright.syntax.nodes.expressions import walk_written_nodes

_OPPOSITE_SIGNS = {"+": "-", "-": "+", "*": "+", "/": "*"}
_OPPOSITE_FUNCTIONS = {"min": "max", "max": "min", "floor": "ceiling", "ceiling": "floor", "round": "floor"}
_OPPOSITE_RANKS = {"highest": "lowest", "lowest": "highest"}
_OPPOSITE_LIMITS = {"at least": "at most", "at most": "at least"}
_OPPOSITE_CHANGES = {"add": ("take", "to", "from"), "take": ("add", "from", "to")}
_PRIORITY_PATTERN = re.compile(r"\bpriority\s+(?P<number>\d+)")
_OTHER_COMPARISONS = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "=": ("!=",),
    "!=": ("=",),
    "in": ("not in",),
    "not in": ("in",),
}
_OTHER_CONNECTIVES = {"and": "or", "or": "and"}
_CONDITION_WORDS = ("when", "where")
_CONDITION_FIELDS = ("condition", "guard", "where")
_PART_OPERATORS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    ((d.Handler, d.Watch), "handler"),
    (d.Whenever, "rule"),
    (s.Option, "option"),
    ((s.ConditionRow, s.TallyRow, s.DecideRow, s.TableRow, s.RankRow, s.Case), "row"),
    ((d.Replace, d.ReplaceWhole, d.ReplaceLine, d.Insert, d.InsertLines, d.RemovePart, d.Bind), "amendment"),
)
_UNOMITTED_LINES = (s.Let, s.Nothing, s.TallyLine, s.DecideLine, s.Rank, s.RulingLine, s.Together)


def mutate_signs(visit: NodeVisit) -> Iterator[MutationEdit]:
    """`+` and `-`, `*` and `/`, `add` and `take` exchanged."""
    node = visit.node
    match node:
        case e.Binary(operator=operator, left=left, right=right) if operator in _OPPOSITE_SIGNS:
            yield MutationEdit("sign", visit.span_between(left.span, right.span), _OPPOSITE_SIGNS[operator])
        case e.Unary(operator="+" | "-" as operator):
            yield MutationEdit(
                "sign", Span(node.span.source, node.span.start, node.span.start + 1), _OPPOSITE_SIGNS[operator]
            )
        case s.Change(word=word, amount=amount, place=place):
            other, old, new = _OPPOSITE_CHANGES[word]
            turned = visit.text_at(node.head).replace(word, other, 1)
            between = visit.text_at(visit.span_between(amount.span, place.span))
            if between == old:
                cut = amount.span.end - node.head.start + (len(other) - len(word))
                yield MutationEdit("sign", node.head, turned[:cut] + turned[cut:].replace(old, new, 1))


def mutate_extremes(visit: NodeVisit) -> Iterator[MutationEdit]:
    """Extreme or limit exchanged with its opposite."""
    node = visit.node
    match node:
        case e.Call(function=e.Reference(name=name) as function) if name in _OPPOSITE_FUNCTIONS:
            yield MutationEdit("extreme", function.span, _OPPOSITE_FUNCTIONS[name])
        case e.Aggregate(function=e.Reference(name=name) as function) if name in _OPPOSITE_FUNCTIONS:
            yield MutationEdit("extreme", function.span, _OPPOSITE_FUNCTIONS[name])
        case s.TallyRow(change=change, amount=amount) if change in _OPPOSITE_LIMITS:
            yield from _replace_words_before(change, _OPPOSITE_LIMITS[change], amount.span, visit)
        case s.Cell(sort=sort, value=value) if sort in _OPPOSITE_LIMITS and value is not None:
            yield from _replace_words_before(sort, _OPPOSITE_LIMITS[sort], value.span, visit)
        case s.RankRow(best=best, value=value) if best in _OPPOSITE_RANKS:
            yield from _replace_words_before(best, _OPPOSITE_RANKS[best], (node.dice or value).span, visit)
        case s.RollOption(best=best, value=value) if best in _OPPOSITE_RANKS:
            yield from _replace_words_before(best, _OPPOSITE_RANKS[best], value.span, visit)
        case s.RollOption(word="with advantage", value=value):
            yield MutationEdit("extreme", value.span, f"-({visit.text_at(value.span)})")


def _replace_words_before(old: str, new: str, span: Span, visit: NodeVisit) -> Iterator[MutationEdit]:
    words = r"\s+".join(map(re.escape, old.split()))
    match_ = re.search(rf"\b({words})(\s+roll)?\s*\Z", visit.text.content[: span.start])
    if match_:
        yield MutationEdit("extreme", Span(span.source, match_.start(1), match_.end(1)), new)


def mutate_flags(visit: NodeVisit) -> Iterator[MutationEdit]:
    """`yes` and `no` exchanged."""
    match visit.node:
        case e.Truth(value=value, span=span):
            yield MutationEdit("flag", span, "no" if value else "yes")


def omit_defaults(visit: NodeVisit) -> Iterator[MutationEdit]:
    """Defaults omitted; cells always have a value."""
    match visit.node:
        case d.Parameter(type=type_, default=value) if value is not None:
            yield MutationEdit("default", Span(value.span.source, type_.span.end, value.span.end), "")
        case d.Kind(fields=fields) | d.Game(fields=fields):
            for field in fields:
                if isinstance(field, d.StoredField) and field.start is not None:
                    yield MutationEdit(
                        "default", Span(field.span.source, field.type.span.end, field.start.span.end), ""
                    )


def mutate_words(visit: NodeVisit) -> Iterator[MutationEdit]:
    """Word replaced by the next one of its list."""
    match visit.node:
        case e.Reference(name=name, span=span) if len(visit.words.get(name, ())) > 1:
            all_ = visit.words[name]
            yield MutationEdit("word", span, all_[(all_.index(name) + 1) % len(all_)])


def mutate_list_orders(visit: NodeVisit) -> Iterator[MutationEdit]:
    """First two members of a list exchanged."""
    match visit.node:
        case e.Collection(word="list", items=[first, second, *_]):
            place = first.span.extend_to(second.span)
            between = visit.text.content[first.span.end : second.span.start]
            yield MutationEdit("order", place, visit.text_at(second.span) + between + visit.text_at(first.span))


def mutate_numbers(visit: NodeVisit) -> Iterator[MutationEdit]:
    """Number one more and one less.

    The bound of a loop is only made less: a play that ends well never meets it, so one more is the same play.
    """
    node = visit.node
    match node:
        case s.Repeat(bound=bound) | s.Proceed(bound=bound) | s.Perform(depth=bound):
            if isinstance(bound, e.WholeNumber):
                yield MutationEdit("bound", bound.span, str(bound.value - 1))
        case s.RollOption(bound=e.WholeNumber(value=value, span=span)):
            yield from _step_number(span, value)
        case e.WholeNumber(value=value):
            yield from _step_number(node.span, value)
        case e.RangeType(low=low, high=high):
            yield from _step_range_ends(node.span, low, high)
        case s.DiceWord(count=count, faces=faces):
            yield from _step_dice_count(node.span, count, faces)
        case d.Whenever():
            yield from _mutate_priority(node, visit)


def _step_number(place: Span, value: int) -> Iterator[MutationEdit]:
    yield MutationEdit("number", place, str(value + 1))
    if value > 0:
        yield MutationEdit("number", place, str(value - 1))


def _step_range_ends(place: Span, low: int, high: int) -> Iterator[MutationEdit]:
    for first, last in ((low + 1, high), (low - 1, high), (low, high + 1), (low, high - 1)):
        if first <= last and (first >= 0 or low < 0):
            yield MutationEdit("range", place, f"{first}..{last}")


def _step_dice_count(place: Span, count: int | None, faces: int) -> Iterator[MutationEdit]:
    if count is not None:
        for other in (count + 1, count - 1):
            if other > 0:
                yield MutationEdit("number", place, f"{other}d{faces}")


def _mutate_priority(node: d.Whenever, visit: NodeVisit) -> Iterator[MutationEdit]:
    result = _PRIORITY_PATTERN.search(visit.text_at(node.span))
    if result:
        start = node.span.start + result.start("number")
        place = Span(node.span.source, start, start + len(result["number"]))
        yield from _step_number(place, node.priority)


def mutate_conditions(visit: NodeVisit) -> Iterator[MutationEdit]:
    """Comparisons and connectives exchanged, terms dropped, conditions negated, tightened and omitted."""
    node = visit.node
    if isinstance(node, e.Binary):
        yield from _mutate_binary(node, visit)
    for name in _CONDITION_FIELDS:
        condition = getattr(node, name, None)
        if condition is not None and not isinstance(condition, str):
            yield from _negate_condition(condition, visit)
            yield from _tighten_condition(condition, visit)
            if name != "condition" and not isinstance(node, s.DecideRow):
                yield from _omit_condition(condition, visit)


def _mutate_binary(node: e.Binary, visit: NodeVisit) -> Iterator[MutationEdit]:
    token = visit.span_between(node.left.span, node.right.span)
    for other in _OTHER_COMPARISONS.get(node.operator, ()):
        yield MutationEdit("comparison", token, other)
    if node.operator in _OTHER_CONNECTIVES:
        yield MutationEdit("and-or", token, _OTHER_CONNECTIVES[node.operator])
        yield MutationEdit("term", node.span, visit.text_at(node.left.span))
        yield MutationEdit("term", node.span, visit.text_at(node.right.span))


def _negate_condition(condition: e.Expression, visit: NodeVisit) -> Iterator[MutationEdit]:
    match condition:
        case e.Binary(operator=operator) if operator in _OTHER_COMPARISONS:
            return
        case e.Quantified(word="some" | "no"):
            return
        case e.Unary(operator="not", operand=operand):
            yield MutationEdit("negation", condition.span, visit.text_at(operand.span))
        case _:
            yield MutationEdit("negation", condition.span, f"not ({visit.text_at(condition.span)})")


def _tighten_condition(condition: e.Expression, visit: NodeVisit) -> Iterator[MutationEdit]:
    read = [
        (thing, name.text)
        for written_node in walk_written_nodes(condition)
        if isinstance(written_node, e.Attribute)
        for name, target in [(written_node.name, written_node.target)]
        if isinstance(target, e.Reference)
        for thing in [target.name]
    ]
    for thing, attribute in read:
        flag = next((flag for flag in visit.flags.get(attribute, ()) if (thing, flag) not in read), None)
        if flag is not None:
            yield MutationEdit("conjunct", condition.span, f"({visit.text_at(condition.span)}) and {thing}.{flag}")
            return


def _omit_condition(condition: e.Expression, visit: NodeVisit) -> Iterator[MutationEdit]:
    """Omission of a condition with its keyword; a row of a decide without one could not be read."""
    before = visit.text.content[: condition.span.start].rstrip()
    for word in _CONDITION_WORDS:
        if before.endswith(word):
            start = len(before[: -len(word)].rstrip())
            yield MutationEdit("condition", Span(condition.span.source, start, condition.span.end), "")
            return


def mutate_quantities(visit: NodeVisit) -> Iterator[MutationEdit]:
    """`some` and `no`, `all` and `any` exchanged."""
    node = visit.node
    match node:
        case e.Quantified(word="some" | "no" as word):
            place = Span(node.span.source, node.span.start, node.span.start + len(word))
            yield MutationEdit("quantity", place, "no" if word == "some" else "some")
        case s.Conditions(mode=mode):
            at = visit.text_at(node.span).index(mode) + node.span.start
            yield MutationEdit(
                "quantity", Span(node.span.source, at, at + len(mode)), "any" if mode == "all" else "all"
            )


def omit_parts(visit: NodeVisit) -> Iterator[MutationEdit]:
    """Rows, options, handlers, standing rules and amendments omitted, with what an amendment adds."""
    node = visit.node
    operator = next((operator for sort, operator in _PART_OPERATORS if isinstance(node, sort)), "")
    if not operator or not _begins_a_line(node.span, visit.text):
        return
    place = _whole_lines(node.span, visit.text)
    if not _is_alone(place, visit.text.content):
        yield MutationEdit(operator, place, "")


def swap_rows(visit: NodeVisit) -> Iterator[MutationEdit]:
    """Each of several rows that are tried in order exchanged with the next one."""
    written = [*getattr(visit.node, "rows", ()), *getattr(visit.node, "keys", ())]
    rows = [item for item in written if isinstance(item, s.DecideRow | s.RankRow)]
    for first, second in pairwise(rows):
        if _begins_a_line(first.span, visit.text) and _begins_a_line(second.span, visit.text):
            between = visit.text.content[first.span.end : second.span.start]
            swapped = visit.text_at(second.span) + between + visit.text_at(first.span)
            yield MutationEdit("sequence", first.span.extend_to(second.span), swapped)


def _begins_a_line(span: Span, text: Text) -> bool:
    return not text.content[text.content.rfind("\n", 0, span.start) + 1 : span.start].strip()


def _whole_lines(span: Span, text: Text) -> Span:
    """All lines of a part, with its margin, also where that continues below."""
    content = text.content
    start = content.rfind("\n", 0, span.start) + 1
    end = _line_end(content, span.end)
    while content[end:].lstrip(" \t").startswith("@"):
        end = _line_end(content, end)
    return Span(span.source, start, end)


def _is_alone(place: Span, content: str) -> bool:
    """Whether nothing else stands in the block of some lines, which could not be read without them."""
    depth = count_leading_blanks(content[place.start : place.end])
    before = [line for line in content[: place.start].splitlines() if line.strip()][-1:]
    after = [line for line in content[place.end :].splitlines() if line.strip()][:1]
    return depth > 0 and all(count_leading_blanks(line) < depth for line in before + after)


def _line_end(content: str, offset: int) -> int:
    result = content.find("\n", offset)
    return len(content) if result < 0 else result + 1


def mutate_jumps(visit: NodeVisit) -> Iterator[MutationEdit]:
    """`proceed to` the step before and the one after."""
    match visit.node:
        case s.Proceed(step=step) if step.text in visit.steps:
            at = visit.steps.index(step.text)
            for other in (at - 1, at + 1):
                if 0 <= other < len(visit.steps):
                    yield MutationEdit("jump", step.span, visit.steps[other])


def omit_lines(visit: NodeVisit) -> Iterator[MutationEdit]:
    """Line and block replaced by `nothing`; the margin stays.

    Lines that only name a value are left alone: no text that uses the name could be read without them.
    """
    node = visit.node
    names_something = isinstance(node, s.Roll | s.Draw) or getattr(node, "result", None) is not None
    if not isinstance(node, s.Line) or isinstance(node, _UNOMITTED_LINES) or names_something:
        return
    margin = "".join(f" {visit.text_at(cite.span)}" for cite in node.cites)
    place = Span(node.span.source, node.head.start, node.span.end)
    yield MutationEdit("line", place, f"nothing {margin}".rstrip())


def mutate_deciders(visit: NodeVisit) -> Iterator[MutationEdit]:
    """Another decider or roller."""
    match visit.node:
        case s.Asked(who=who):
            yield from _swap_type_peers("decider", who, visit)
        case s.RankRow(best="ask", value=who):
            yield from _swap_type_peers("decider", who, visit)
        case s.Roll(by=by) | s.Reroll(by=by) if by is not None:
            yield from _swap_type_peers("decider", by, visit)


def _swap_type_peers(operator: str, expression: e.Expression, visit: NodeVisit) -> Iterator[MutationEdit]:
    for written_node in walk_written_nodes(expression):
        if isinstance(written_node, e.Reference) and written_node.name in visit.peers:
            yield MutationEdit(operator, written_node.span, visit.peers[written_node.name])


def mutate_roles(visit: NodeVisit) -> Iterator[MutationEdit]:
    """Another name of the same type."""
    match visit.node:
        case e.Reference(name=name, span=span) if name in visit.peers:
            yield MutationEdit("role", span, visit.peers[name])


def omit_adverbs(visit: NodeVisit) -> Iterator[MutationEdit]:
    """`optional`, `up to`, `symmetric` omitted."""
    match visit.node:
        case d.Handler(optional=True, head=head):
            yield from _omit_words(r"\s+optional\b", head, visit)
        case s.Change(up_to=True, head=head):
            yield from _omit_words(r"\s+up\s+to\b", head, visit)
        case d.Relation(symmetric=True, head=head):
            yield from _omit_words(r"\s+symmetric\b", head, visit)


def _omit_words(words: str, head: Span, visit: NodeVisit) -> Iterator[MutationEdit]:
    titles_out = re.sub(r'"[^"\n]*"', lambda title: " " * len(title[0]), visit.text_at(head))
    result = re.search(words, titles_out)
    if result:
        yield MutationEdit("adverb", Span(head.source, head.start + result.start(), head.start + result.end()), "")


ALL_OPERATORS: tuple[Callable[[NodeVisit], Iterator[MutationEdit]], ...] = (
    mutate_conditions, mutate_quantities, mutate_numbers, mutate_signs, mutate_extremes, omit_defaults, mutate_flags, mutate_words, mutate_jumps, mutate_deciders, mutate_roles, mutate_list_orders, swap_rows,
    omit_lines, omit_parts, omit_adverbs,
)  # fmt: skip
"""All operators; an edit that two of them make is named by the first."""


def make_mutants(file: File, text: Text, known: RulesetNames) -> tuple[Mutant, ...]:
    """Mutants of a text, in order of place; no two have the same text or the same name."""
    result: dict[tuple[int, int, str], Mutant] = {}
    for visit in visit_nodes(file, text, known):
        for edit in _edits_of_node(visit):
            place, old = edit.place, visit.text_at(edit.place)
            new_mutant = Mutant(edit.operator, visit.address, place, old, edit.new, visit.line, visit.cites)
            result.setdefault((place.start, place.end, edit.new), new_mutant)
    return number_mutants(sorted(result.values(), key=lambda mutant: (mutant.place.start, -mutant.place.end)))


def number_mutants(mutants: Iterable[Mutant]) -> tuple[Mutant, ...]:
    """Mutants with those of one title numbered from 1."""
    counts: Counter[str] = Counter()
    result = []
    for mutant in mutants:
        counts[mutant.title] += 1
        result.append(replace(mutant, number=counts[mutant.title]))
    return tuple(result)


def _edits_of_node(visit: NodeVisit) -> Iterator[MutationEdit]:
    for operator in ALL_OPERATORS:
        for edit in operator(visit):
            if visit.text_at(edit.place) != edit.new:
                yield edit
