"""Values: signs, extremes, flags, words, order."""

import re
from collections.abc import Iterator

from rulewright.mutations.mutant import Edit
from rulewright.mutations.visiting import Visit
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes import expressions as e
from rulewright.syntax.nodes import rows as r
from rulewright.syntax.nodes import statements as s

_SIGNS = {"+": "-", "-": "+", "*": "+", "/": "*"}
_FUNCTIONS = {"min": "max", "max": "min", "floor": "ceiling", "ceiling": "floor", "round": "floor"}
_BEST = {"highest": "lowest", "lowest": "highest", "first": "last", "last": "first"}
_LIMITS = {"at least": "at most", "at most": "at least"}
_CHANGES = {"add": ("take", "to", "from"), "take": ("add", "from", "to")}


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
