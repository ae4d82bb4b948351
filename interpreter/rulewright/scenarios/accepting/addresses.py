"""Steps, rows and rulings of a play, as expectations name them."""

from collections.abc import Callable
from dataclasses import replace

from rulewright.inputs.nodes import Items, Json, Mapping, Node, Scalar
from rulewright.scenarios.accepting.sameness import NothingFitsError, plain
from rulewright.scenarios.expectations import rows, steps
from rulewright.scenarios.expectations.judging import Judging
from rulewright.scenarios.merging import named
from rulewright.scenarios.results import Miss

Judge = Callable[[Judging], tuple[Miss, ...]]


def path(judging: Judging) -> Json:
    """The steps that were entered."""
    return _steps(judging, "step")


def passed_over(judging: Judging) -> Json:
    """The steps that were passed over."""
    return _steps(judging, "passed over")


def decided(judging: Judging) -> Json:
    """The rows that were taken; a table that was never looked up is left out."""
    found: dict[str, Json] = {}
    for key, node in judging.entries("addresses to rows"):
        if is_met(rows.decided, judging, Mapping(((key, node),), key.span, key.pointer)):
            found[key.text] = plain(node)
        elif row := rows.last_taken(judging, rows.list_of_rows(judging, key) or ""):
            found[key.text] = named(row)
    return something(found)


def applied(judging: Judging) -> Json:
    """Those rows that did apply."""
    return _met(rows.applied, judging)


def not_applied(judging: Judging) -> Json:
    """Those rows that did not."""
    return _met(rows.not_applied, judging)


def rulings(judging: Judging) -> Json:
    """Those rulings that were met."""
    return _met(rows.rulings, judging)


def is_met(judge: Judge, judging: Judging, part: Node) -> bool:
    """Whether a part of an expectation is met."""
    return not judge(replace(judging, node=part))


def something(found: Json) -> Json:
    """What was found, where that is anything.

    Raises:
        NothingFitsError: it is empty.
    """
    if not found:
        reason = "nothing would be left of it"
        raise NothingFitsError(reason)
    return found


def _met(judge: Judge, judging: Judging) -> Json:
    assert isinstance(judging.node, Items)
    items = judging.node.items
    if not items:
        return [named(each.place) for each in judge(judging)]
    kept = [each for each in items if is_met(judge, judging, Items((each,), each.span, each.pointer))]
    return something([plain(each) for each in kept])


def _steps(judging: Judging, sort: str) -> Json:
    """Addresses as they are written, as far as they are right, then ids."""
    written = judging.node.items if isinstance(judging.node, Items) else ()
    got = [entry.address for entry in judging.session.entries if entry.sort == sort]
    before = dict(zip(range(len(got)), written, strict=False))
    return [
        plain(before[number]) if number in before and _is(before[number], address) else named(address.partition("/")[2])
        for number, address in enumerate(got)
    ]


def _is(node: Node, address: str) -> bool:
    return isinstance(node, Scalar) and steps.ends(address, node.written)
