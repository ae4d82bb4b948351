"""What can be changed: each operator makes the edits of one node, and all together the mutants of a text."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from rulewright.mutations.mutant import Edit, Known, Mutant, Visit, visits
from rulewright.source import Span, Text, indentation
from rulewright.syntax.nodes import declarations as d, expressions as e, rows as r, statements as s
from rulewright.syntax.nodes.declarations import File
from rulewright.syntax.nodes.expressions import written_in

_SIGNS = {"+": "-", "-": "+", "*": "+", "/": "*"}
_FUNCTIONS = {"min": "max", "max": "min", "floor": "ceiling", "ceiling": "floor", "round": "floor"}
_BEST = {"highest": "lowest", "lowest": "highest"}
_LIMITS = {"at least": "at most", "at most": "at least"}
_CHANGES = {"add": ("take", "to", "from"), "take": ("add", "from", "to")}
_PRIORITY = re.compile(r"\bpriority\s+(?P<number>\d+)")
_COMPARED = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "=": ("!=",),
    "!=": ("=",),
    "in": ("not in",),
    "not in": ("in",),
}
_JOINED = {"and": "or", "or": "and"}
_WORDS = ("when", "where")
_CONDITIONS = ("condition", "guard", "where")
_SORTS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    ((d.Handler, d.Watch), "handler"),
    (d.Whenever, "rule"),
    (s.Option, "option"),
    ((r.ConditionRow, r.TallyRow, r.DecideRow, r.TableRow, r.RankRow, s.Case), "row"),
    ((d.Replace, d.ReplaceWhole, d.ReplaceLine, d.Insert, d.InsertLines, d.RemovePart, d.Bind), "amendment"),
)
_KEPT = (s.Let, s.Nothing, s.TallyLine, s.DecideLine, s.Rank, s.RulingLine, s.Together)


def signs(visit: Visit) -> Iterator[Edit]:
    """`+` and `-`, `*` and `/`, `add` and `take`."""
    node = visit.node
    match node:
        case e.Binary(operator=operator, left=left, right=right) if operator in _SIGNS:
            yield Edit("sign", visit.between(left.span, right.span), _SIGNS[operator])
        case e.Unary(operator="+" | "-" as operator):
            yield Edit("sign", Span(node.span.source, node.span.start, node.span.start + 1), _SIGNS[operator])
        case s.Change(word=word, amount=amount, place=place):
            other, old, new = _CHANGES[word]
            turned = visit.written(node.head).replace(word, other, 1)
            between = visit.written(visit.between(amount.span, place.span))
            if between == old:
                cut = amount.span.end - node.head.start + (len(other) - len(word))
                yield Edit("sign", node.head, turned[:cut] + turned[cut:].replace(old, new, 1))


def extremes(visit: Visit) -> Iterator[Edit]:
    """The other end."""
    node = visit.node
    match node:
        case e.Call(function=e.Reference(name=name) as function) if name in _FUNCTIONS:
            yield Edit("extreme", function.span, _FUNCTIONS[name])
        case e.Aggregate(function=e.Reference(name=name) as function) if name in _FUNCTIONS:
            yield Edit("extreme", function.span, _FUNCTIONS[name])
        case r.TallyRow(change=change, amount=amount) if change in _LIMITS:
            yield from _before(change, _LIMITS[change], amount.span, visit)
        case r.Cell(sort=sort, value=value) if sort in _LIMITS and value is not None:
            yield from _before(sort, _LIMITS[sort], value.span, visit)
        case r.RankRow(best=best, value=value) if best in _BEST:
            yield from _before(best, _BEST[best], (node.dice or value).span, visit)
        case r.RollOption(best=best, value=value) if best in _BEST:
            yield from _before(best, _BEST[best], value.span, visit)
        case r.RollOption(word="with advantage", value=value):
            yield Edit("extreme", value.span, f"-({visit.written(value.span)})")


def _before(old: str, new: str, span: Span, visit: Visit) -> Iterator[Edit]:
    """An edit of the words before a place."""
    words = r"\s+".join(map(re.escape, old.split()))
    found = re.search(rf"\b({words})(\s+roll)?\s*\Z", visit.text.content[: span.start])
    if found:
        yield Edit("extreme", Span(span.source, found.start(1), found.end(1)), new)


def flags(visit: Visit) -> Iterator[Edit]:
    """`yes` and `no`."""
    match visit.node:
        case e.Truth(value=value, span=span):
            yield Edit("flag", span, "no" if value else "yes")


def defaults(visit: Visit) -> Iterator[Edit]:
    """Nothing is given where nothing is said; cells always have something."""
    match visit.node:
        case d.Parameter(type=type_, default=value) if value is not None:
            yield Edit("default", Span(value.span.source, type_.span.end, value.span.end), "")
        case d.Kind(fields=fields) | d.Game(fields=fields):
            for each in fields:
                if isinstance(each, d.StoredField) and each.start is not None:
                    yield Edit("default", Span(each.span.source, each.type.span.end, each.start.span.end), "")


def words(visit: Visit) -> Iterator[Edit]:
    """The next word of the list."""
    match visit.node:
        case e.Reference(name=name, span=span) if len(visit.words.get(name, ())) > 1:
            all_ = visit.words[name]
            yield Edit("word", span, all_[(all_.index(name) + 1) % len(all_)])


def orders(visit: Visit) -> Iterator[Edit]:
    """The first two members of a list in the other order."""
    match visit.node:
        case e.Collection(word="list", items=[first, second, *_]):
            place = first.span.to(second.span)
            between = visit.text.content[first.span.end : second.span.start]
            yield Edit("order", place, visit.written(second.span) + between + visit.written(first.span))


def numbers(visit: Visit) -> Iterator[Edit]:
    """One more and one less.

    The bound of a loop is only made less: a play that ends well never meets it, so one more is the same play.
    """
    node = visit.node
    match node:
        case s.Repeat(bound=bound) | s.Proceed(bound=bound) | s.Perform(depth=bound):
            if isinstance(bound, e.WholeNumber):
                yield Edit("bound", bound.span, str(bound.value - 1))
        case r.RollOption(bound=e.WholeNumber(value=value, span=span)):
            yield from _around(span, value)
        case e.WholeNumber(value=value):
            yield from _around(node.span, value)
        case e.RangeType(low=low, high=high):
            yield from _ends(node.span, low, high)
        case r.DiceWord(count=count, faces=faces):
            yield from _dice(node.span, count, faces)
        case d.Whenever():
            yield from _priority(node, visit)


def _around(place: Span, value: int) -> Iterator[Edit]:
    yield Edit("number", place, str(value + 1))
    if value > 0:
        yield Edit("number", place, str(value - 1))


def _ends(place: Span, low: int, high: int) -> Iterator[Edit]:
    for first, last in ((low + 1, high), (low - 1, high), (low, high + 1), (low, high - 1)):
        if first <= last and (first >= 0 or low < 0):
            yield Edit("range", place, f"{first}..{last}")


def _dice(place: Span, count: int | None, faces: int) -> Iterator[Edit]:
    """How many dice; what is on them is the business of whoever makes them."""
    if count is not None:
        for other in (count + 1, count - 1):
            if other > 0:
                yield Edit("number", place, f"{other}d{faces}")


def _priority(node: d.Whenever, visit: Visit) -> Iterator[Edit]:
    found = _PRIORITY.search(visit.written(node.span))
    if found:
        start = node.span.start + found.start("number")
        place = Span(node.span.source, start, start + len(found["number"]))
        yield from _around(place, node.priority)


def conditions(visit: Visit) -> Iterator[Edit]:
    """What can go wrong in a condition."""
    node = visit.node
    if isinstance(node, e.Binary):
        yield from _binary(node, visit)
    for name in _CONDITIONS:
        condition = getattr(node, name, None)
        if condition is not None and not isinstance(condition, str):
            yield from _opposite(condition, visit)
            yield from _stricter(condition, visit)
            if name != "condition" and not isinstance(node, r.DecideRow):
                yield from _left_out(condition, visit)


def _binary(node: e.Binary, visit: Visit) -> Iterator[Edit]:
    token = visit.between(node.left.span, node.right.span)
    for other in _COMPARED.get(node.operator, ()):
        yield Edit("comparison", token, other)
    if node.operator in _JOINED:
        yield Edit("and-or", token, _JOINED[node.operator])
        yield Edit("term", node.span, visit.written(node.left.span))
        yield Edit("term", node.span, visit.written(node.right.span))


def _opposite(condition: e.Expression, visit: Visit) -> Iterator[Edit]:
    """A comparison and a `some` have opposites of their own."""
    match condition:
        case e.Binary(operator=operator) if operator in _COMPARED:
            return
        case e.Quantified(word="some" | "no"):
            return
        case e.Unary(operator="not", operand=operand):
            yield Edit("negation", condition.span, visit.written(operand.span))
        case _:
            yield Edit("negation", condition.span, f"not ({visit.written(condition.span)})")


def _stricter(condition: e.Expression, visit: Visit) -> Iterator[Edit]:
    """The condition, and a flag of the first thing it reads that it does not read there."""
    read = [
        (thing, name.text)
        for each in written_in(condition)
        if isinstance(each, e.Attribute)
        for name, target in [(each.name, each.target)]
        if isinstance(target, e.Reference)
        for thing in [target.name]
    ]
    for thing, attribute in read:
        flag = next((flag for flag in visit.flags.get(attribute, ()) if (thing, flag) not in read), None)
        if flag is not None:
            yield Edit("conjunct", condition.span, f"({visit.written(condition.span)}) and {thing}.{flag}")
            return


def _left_out(condition: e.Expression, visit: Visit) -> Iterator[Edit]:
    """Takes a condition away with its word; a row of a decide without one could not be read."""
    before = visit.text.content[: condition.span.start].rstrip()
    for word in _WORDS:
        if before.endswith(word):
            start = len(before[: -len(word)].rstrip())
            yield Edit("condition", Span(condition.span.source, start, condition.span.end), "")
            return


def quantities(visit: Visit) -> Iterator[Edit]:
    """`some` and `no`, `all` and `any`."""
    node = visit.node
    match node:
        case e.Quantified(word="some" | "no" as word):
            place = Span(node.span.source, node.span.start, node.span.start + len(word))
            yield Edit("quantity", place, "no" if word == "some" else "some")
        case r.Conditions(mode=mode):
            at = visit.written(node.span).index(mode) + node.span.start
            yield Edit("quantity", Span(node.span.source, at, at + len(mode)), "any" if mode == "all" else "all")


def parts(visit: Visit) -> Iterator[Edit]:
    """Rows, options, handlers, standing rules and amendments; what an amendment brings is left out with it."""
    node = visit.node
    operator = next((operator for sort, operator in _SORTS if isinstance(node, sort)), "")
    if not operator or not _begins_a_line(node.span, visit.text):
        return
    place = _whole_lines(node.span, visit.text)
    if not _is_alone(place, visit.text.content):
        yield Edit(operator, place, "")


def sequences(visit: Visit) -> Iterator[Edit]:
    """Rows that are tried one after the other, each with the next one."""
    written = [*getattr(visit.node, "rows", ()), *getattr(visit.node, "keys", ())]
    rows = [each for each in written if isinstance(each, r.DecideRow | r.RankRow)]
    for first, second in pairwise(rows):
        if _begins_a_line(first.span, visit.text) and _begins_a_line(second.span, visit.text):
            between = visit.text.content[first.span.end : second.span.start]
            swapped = visit.written(second.span) + between + visit.written(first.span)
            yield Edit("sequence", first.span.to(second.span), swapped)


def _begins_a_line(span: Span, text: Text) -> bool:
    return not text.content[text.content.rfind("\n", 0, span.start) + 1 : span.start].strip()


def _whole_lines(span: Span, text: Text) -> Span:
    """All of the lines of a part, with its margin, also where that goes on below."""
    content = text.content
    start = content.rfind("\n", 0, span.start) + 1
    end = _line_end(content, span.end)
    while content[end:].lstrip(" \t").startswith("@"):
        end = _line_end(content, end)
    return Span(span.source, start, end)


def _is_alone(place: Span, content: str) -> bool:
    """Whether nothing else stands in the block of some lines, which could not be read without them."""
    depth = indentation(content[place.start : place.end])
    before = [line for line in content[: place.start].splitlines() if line.strip()][-1:]
    after = [line for line in content[place.end :].splitlines() if line.strip()][:1]
    return depth > 0 and all(indentation(line) < depth for line in before + after)


def _line_end(content: str, offset: int) -> int:
    found = content.find("\n", offset)
    return len(content) if found < 0 else found + 1


def jumps(visit: Visit) -> Iterator[Edit]:
    """`proceed to` the step before and the one after."""
    match visit.node:
        case s.Proceed(step=step) if step.text in visit.steps:
            at = visit.steps.index(step.text)
            for other in (at - 1, at + 1):
                if 0 <= other < len(visit.steps):
                    yield Edit("jump", step.span, visit.steps[other])


def lines(visit: Visit) -> Iterator[Edit]:
    """`nothing` in the place of a line and of all below it; its margin stays.

    Left alone are lines that only give a value a name: without them no text that uses the name could be read.
    """
    node = visit.node
    names_something = isinstance(node, s.Roll | s.Draw) or getattr(node, "result", None) is not None
    if not isinstance(node, s.Line) or isinstance(node, _KEPT) or names_something:
        return
    margin = "".join(f" {visit.written(each.span)}" for each in node.cites)
    place = Span(node.span.source, node.head.start, node.span.end)
    yield Edit("line", place, f"nothing {margin}".rstrip())


def deciders(visit: Visit) -> Iterator[Edit]:
    """Somebody else is asked, or rolls."""
    match visit.node:
        case s.Asked(who=who):
            yield from _swapped("decider", who, visit)
        case r.RankRow(best="ask", value=who):
            yield from _swapped("decider", who, visit)
        case s.Roll(by=by) | s.Reroll(by=by) if by is not None:
            yield from _swapped("decider", by, visit)


def _swapped(operator: str, expression: e.Expression, visit: Visit) -> Iterator[Edit]:
    for each in written_in(expression):
        if isinstance(each, e.Reference) and each.name in visit.peers:
            yield Edit(operator, each.span, visit.peers[each.name])


def roles(visit: Visit) -> Iterator[Edit]:
    """Another name of the same type."""
    match visit.node:
        case e.Reference(name=name, span=span) if name in visit.peers:
            yield Edit("role", span, visit.peers[name])


def adverbs(visit: Visit) -> Iterator[Edit]:
    """`optional`, `up to`, `symmetric` left out."""
    match visit.node:
        case d.Handler(optional=True, head=head):
            yield from _without(r"\s+optional\b", head, visit)
        case s.Change(up_to=True, head=head):
            yield from _without(r"\s+up\s+to\b", head, visit)
        case d.Relation(symmetric=True, head=head):
            yield from _without(r"\s+symmetric\b", head, visit)


def _without(words: str, head: Span, visit: Visit) -> Iterator[Edit]:
    titles_out = re.sub(r'"[^"\n]*"', lambda title: " " * len(title[0]), visit.written(head))
    found = re.search(words, titles_out)
    if found:
        yield Edit("adverb", Span(head.source, head.start + found.start(), head.start + found.end()), "")


ALL: tuple[Callable[[Visit], Iterator[Edit]], ...] = (
    conditions, quantities, numbers, signs, extremes, defaults, flags, words, jumps, deciders, roles, orders, sequences,
    lines, parts, adverbs,
)  # fmt: skip
"""All operators; where two make the same edit, the first names it."""


def mutants(file: File, text: Text, known: Known) -> tuple[Mutant, ...]:
    """The mutants of a text, in order of place; no two of them are the same text, or have the same name."""
    found: dict[tuple[int, int, str], Mutant] = {}
    for visit in visits(file, text, known):
        for edit in _edits(visit):
            place, old = edit.place, visit.written(edit.place)
            made = Mutant(edit.operator, visit.address, place, old, edit.new, visit.line, visit.cites)
            found.setdefault((place.start, place.end, edit.new), made)
    return numbered(sorted(found.values(), key=lambda each: (each.place.start, -each.place.end)))


def numbered(mutants: Iterable[Mutant]) -> tuple[Mutant, ...]:
    """The same mutants, those of one title with the numbers from 1."""
    counts: Counter[str] = Counter()
    found = []
    for each in mutants:
        counts[each.title] += 1
        found.append(replace(each, number=counts[each.title]))
    return tuple(found)


def _edits(visit: Visit) -> Iterator[Edit]:
    for operator in ALL:
        for edit in operator(visit):
            if visit.written(edit.place) != edit.new:
                yield edit
