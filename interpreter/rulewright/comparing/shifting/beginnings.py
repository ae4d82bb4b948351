"""The plays that scenarios of the old revision begin and the new one can begin too, each once."""

import json
from collections.abc import Iterator
from dataclasses import replace

from rulewright.comparing.edit_report import Readdressing
from rulewright.comparing.edits import Correspondence
from rulewright.comparing.playing.data import Work
from rulewright.comparing.playing.states import Opened
from rulewright.comparing.playing.suites import Pair, Suites
from rulewright.frozen import dataclass
from rulewright.inputs.findings import Read
from rulewright.inputs.names import spellings
from rulewright.inputs.nodes import Items, Key, Mapping, Node, Scalar
from rulewright.inputs.script import Script, script_of
from rulewright.program.declarations import Program
from rulewright.scenarios.expectations.shapes import ODDS
from rulewright.scenarios.suite import Case


@dataclass(frozen=True, slots=True)
class Beginning:
    """A play that both revisions can begin, or why they cannot."""

    names: tuple[str, ...]  # of the scenarios that begin so, with their files
    case: Case  # the first of them
    pair: Pair | None = None  # both revisions as it amends them; none where they cannot be
    opened: Opened | None = None  # the play in both; none where they cannot begin it
    script: Script | None = None  # that answers, or none
    why: str = ""  # why it cannot be begun in both
    own: tuple[str, ...] = ()  # the expressions of which its scenarios expect odds


def beginnings(suites: Suites, work: Work) -> tuple[Beginning, ...]:
    """The plays of all scenarios that the old revision takes, in order.

    The script of a scenario answers where it expects odds or throws dice by a seed. Other scripts fix every die to show
    one play; of these scenarios only the start is looked at, and those with one start are one play.
    """
    found: dict[object, Beginning] = {}
    for case, pair in suites.cases(work):
        if "invalid" in case.expect:
            continue
        name = f"{case.file}: {case.name}"
        each = Beginning((name,), case, why=pair) if isinstance(pair, str) else _beginning(name, case, pair)
        key = _key(each) or name
        known = found.get(key, replace(each, names=()))
        own = dict.fromkeys((*known.own, *_own(case)))
        found[key] = replace(known, names=(*known.names, name), own=tuple(own))
    return tuple(found.values())


def _own(case: Case) -> tuple[str, ...]:
    """The expressions of which a scenario expects odds."""
    node = case.expect.get(ODDS)
    return tuple(key.text for key, _ in node) if isinstance(node, Mapping) else ()


def _beginning(name: str, case: Case, pair: Pair) -> Beginning:
    opened = pair.opened(case)
    if isinstance(opened, str):
        return Beginning((name,), case, pair, why=opened)
    script = opened[0].script if ODDS in case.expect or case.seed is not None else None
    return Beginning((name,), case, pair, opened[1], script)


def _key(each: Beginning) -> object:
    """The same for plays that begin alike; nothing for what cannot be begun."""
    if each.opened is None:
        return None
    start = each.opened.starts[0]
    said = json.dumps([start.state, start.roles], sort_keys=True)
    by_itself = id(each.case) if each.script is not None else 0
    policies = tuple(one.written for one in each.case.policies)
    return id(each.pair), each.opened.procedures[0].name, said, policies, by_itself


def script_for(each: Beginning, program: Program, names: Correspondence) -> Read[Script | None]:
    """The script of a play as another revision takes it, its answers under the addresses of that revision."""
    if each.script is None or each.case.script is None or each.opened is None:
        return Read(each.script)
    readdressing = Readdressing(each.opened.common.ways.across.here, program, names)
    moved = {place.span.start: place.new for place in readdressing.script(each.case.script)}
    found = script_of(_moved(each.case.script, moved), program)
    return Read(None if found.value is None else found.value, found.diagnostics)


def known_externals(said: Mapping, old: Program, new: Program, names: Correspondence | None = None) -> Mapping:
    """What is said of externals of the old revision, under their names in the new one; nothing of those it has not.

    Without names both are one revision.
    """
    here, there = (
        spellings((*old.external_procedures, *old.external_terms)),
        {*new.external_procedures, *new.external_terms},
    )
    found = ((key, here[key.text], node) for key, node in said if key.text in here)
    moved = (
        (replace(key, text=names.new("external", name) or "" if names else name), node) for key, name, node in found
    )
    return replace(said, entries=tuple((key, node) for key, node in moved if key.text in there))


def _moved(node: Node, moved: dict[int, str]) -> Node:
    """A script whose addresses are others, by their places; what is asked no more is left out."""
    if not moved:
        return node
    if isinstance(node, Mapping):
        return replace(node, entries=tuple(_entries(node, moved)))
    if isinstance(node, Items):
        return replace(node, items=tuple(_items(node, moved)))
    return node


def _entries(node: Mapping, moved: dict[int, str]) -> Iterator[tuple[Key, Node]]:
    for key, value in node:
        now = moved.get(key.span.start, key.text)
        if now:
            yield replace(key, text=now), value


def _items(node: Items, moved: dict[int, str]) -> Iterator[Node]:
    for each in node.items:
        at = each.get("at") if isinstance(each, Mapping) else None
        if not isinstance(each, Mapping) or not isinstance(at, Scalar) or at.span.start not in moved:
            yield each
        elif moved[at.span.start]:
            now = replace(at, value=moved[at.span.start], written=moved[at.span.start])
            yield replace(each, entries=tuple((key, now if value is at else value) for key, value in each))
