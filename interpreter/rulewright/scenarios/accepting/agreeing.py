"""Which proposals for a scenario file agree with all cases that share what they edit."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from rulewright.diagnostics import Diagnostic
from rulewright.inputs.nodes import Items, Mapping, Node
from rulewright.inputs.wording import quoted
from rulewright.scenarios.accepting.edits import Edit
from rulewright.scenarios.accepting.proposing import Proposal, cannot
from rulewright.scenarios.suite import Suite


def agreed(made: Sequence[Proposal], suite: Suite) -> tuple[list[Proposal], list[Diagnostic]]:
    """The proposals whose values no other case needs otherwise, and RW1050 for the rest."""
    sharing, rest, left = _sharing(suite), list(made), list[Diagnostic]()
    while True:
        wanting = _wanting(rest)
        others = {(each.case.name, each.what): _others(each, sharing, wanting) for each in rest}
        barred = [each for each in rest if others[each.case.name, each.what]]
        if not barred:
            return rest, left
        left += [_shared(each, sorted(others[each.case.name, each.what])) for each in barred]
        rest = [each for each in rest if each not in barred]


def _shared(made: Proposal, names: Sequence[str]) -> Diagnostic:
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    because = f"{quoted(names[0])}{more} shares it and needs it otherwise"
    return cannot(
        "RW1050", made.case, made.what, because, "give each of the cases its own `expect:`, or mend the rules"
    )


def _others(made: Proposal, sharing: dict[str, set[str]], wanting: dict[Edit, set[str]]) -> set[str]:
    """The cases that share what would be edited and do not want the same."""
    return {name for edit in made.edits for name in sharing[edit.owner] - wanting[edit]}


def _wanting(made: Sequence[Proposal]) -> dict[Edit, set[str]]:
    """The names of the cases that propose each edit."""
    found: dict[Edit, set[str]] = defaultdict(set)
    for each in made:
        for edit in each.edits:
            found[edit].add(each.case.name)
    return found


def _sharing(suite: Suite) -> dict[str, set[str]]:
    """The names of the cases that expect each value, by its pointer."""
    found: dict[str, set[str]] = defaultdict(set)
    for case in suite.cases:
        for pointer in _pointers(case.expect):
            found[pointer].add(case.name)
    return found


def _pointers(node: Node) -> Iterator[str]:
    yield node.pointer
    children: Sequence[Node] = ()
    if isinstance(node, Mapping):
        children = [child for _, child in node]
    elif isinstance(node, Items):
        children = node.items
    for each in children:
        yield from _pointers(each)
