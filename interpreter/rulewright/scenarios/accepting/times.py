"""What lines gave and tallies counted in a play, each time, as expectations say it."""

from collections import defaultdict
from collections.abc import Iterable

from rulewright.inputs.json_values import to_json
from rulewright.inputs.nodes import Items, Json, Mapping, Node
from rulewright.machine.values import Value
from rulewright.scenarios.accepting.addresses import is_met, something
from rulewright.scenarios.accepting.sameness import plain
from rulewright.scenarios.expectations import counting, workings
from rulewright.scenarios.expectations.judging import Judging


def values(judging: Judging) -> Json:
    """What each line gave; one that did not run is left out."""
    found: dict[str, Json] = {}
    for key, node in judging.entries("named lines to what they give"):
        address = judging.address(key.text, key, tuple(judging.ruled.named), "named line") or ""
        type_, got = judging.ruled.named[address], workings.given(judging, address)
        if is_met(workings.values, judging, Mapping(((key, node),), key.span, key.pointer)):
            found[key.text] = plain(node)
        elif got:
            found[key.text] = _each_time(node, [to_json(each, type_, judging.names) for each in got])
    return something(found)


def counted(judging: Judging) -> Json:
    """The rows that counted in each tally; one that was not computed is left out."""
    found: dict[str, Json] = {}
    for key, node in judging.entries("tallies to the rows that count"):
        address = judging.address(key.text, key, tuple(judging.ruled.tallies), "tally") or ""
        got = [_rows(each.elements(), address, judging) for each in counting.rows_counted(judging, address)]
        if is_met(counting.counted, judging, Mapping(((key, node),), key.span, key.pointer)):
            found[key.text] = plain(node)
        elif got:
            found[key.text] = _each_time(node, got)
    return something(found)


def _rows(elements: Iterable[tuple[str, Value]], address: str, judging: Judging) -> Json:
    """Rows with what they added; a list where one counted several times."""
    type_, amounts = counting.amounts(judging.ruled.tallies[address]), defaultdict[str, list[Json]](list)
    for row, amount in elements:
        amounts[row].append(to_json(amount, type_, judging.names))
    return {row: each[0] if len(each) == 1 else each for row, each in amounts.items()}


def _each_time(written: Node, got: list[Json]) -> Json:
    """A list with one for each time, or the one thing of the only time where no list is written."""
    return got[0] if len(got) == 1 and not isinstance(written, Items) and not isinstance(got[0], list) else got
