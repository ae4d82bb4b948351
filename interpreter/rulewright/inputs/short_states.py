"""Short forms of states, written out in full before anything of a state is judged or read.

What is written out has the places that its author wrote: five things of `grunt x5` share those of that one line.
"""

import dataclasses
from collections.abc import Container, Iterator

from rulewright.inputs.drawings import in_place
from rulewright.inputs.findings import Findings, did_you_mean, quoted, shown
from rulewright.inputs.names import CSV, DEFAULTS, EACH, LIKE, MOST_THINGS, Sections, several
from rulewright.inputs.nodes import Items, Key, Mapping, Node, Scalar, entries_of, merged, nothing_at, value_under
from rulewright.program.declarations import Kind
from rulewright.program.wording import a


def in_full(node: Node, sections: Sections, findings: Findings) -> Node:
    """A state without short forms: no `defaults`, `like`, `x5` or `each`, and no drawing.

    Reports RW0702 (too many things), RW0713 (another sort of value), RW0714 (like no thing), RW0717 (an id twice),
    RW0719 (like itself), and what `in_place` does.
    """
    if not isinstance(node, Mapping):
        return node
    entries = tuple((key, _section(key, each, sections, findings)) for key, each in node)
    return in_place(Mapping(entries, node.span, node.pointer), sections, findings)


def _section(key: Key, node: Node, sections: Sections, findings: Findings) -> Node:
    kind = sections.kinds.get(key.text)
    table = value_under(node, CSV)
    if isinstance(table, Scalar) and table.value is not None:
        message = "a table is read where a file names it, and this state does not come from a file"
        findings.error("RW0721", table, message, help="write the things out, or name the state's file")
    if kind is None or not isinstance(node, Mapping) or not _is_short(node, kind):
        return node
    return _Things(key, node, kind, findings).in_full()


def _is_short(section: Mapping, kind: Kind) -> bool:
    return any(
        key.text == DEFAULTS or " " in key.text or (isinstance(node, Mapping) and _is_like(node, kind))
        for key, node in section
    )


def _is_like(node: Mapping, kind: Kind) -> bool:
    """Whether a thing says `like`, which a kind may have as an attribute of its own."""
    return LIKE in node and all(each.name != LIKE for each in kind.fields)


@dataclasses.dataclass
class _Things:
    """The things of one kind; a thing that a line of its own and one for several name is that of both."""

    key: Key
    section: Mapping
    kind: Kind
    findings: Findings
    _lines: dict[str, tuple[Key, Node]] = dataclasses.field(default_factory=dict)
    _of_several: set[str] = dataclasses.field(default_factory=set)
    _done: dict[str, Node] = dataclasses.field(default_factory=dict)

    def in_full(self) -> Mapping:
        alone: list[tuple[Key, Node]] = []
        for key, node in self.section:
            if ids := several(key.text):
                self._several(key, node, ids)
            elif key.text != DEFAULTS:
                alone.append((key, node))
                self._lines.setdefault(key.text, (key, nothing_at(node)))
        for key, node in alone:
            self._lines[key.text] = key, _over(self._lines[key.text][1], node)
        defaults = self._defaults()
        entries = tuple((key, _over(defaults, self._thing(id_))) for id_, (key, _) in self._lines.items())
        return Mapping(entries, self.section.span, self.section.pointer)

    def _defaults(self) -> Node:
        given = self.section.get(DEFAULTS) or nothing_at(self.section)
        if isinstance(given, Mapping):
            return given
        message = f"`{DEFAULTS}` of {quoted(self.key.text)} is {shown(given)}; it must be a mapping of attributes"
        self.findings.error("RW0713", given, message)
        return nothing_at(given)

    def _several(self, key: Key, node: Node, ids: tuple[str, ...]) -> None:
        if len(self._of_several) + len(ids) > MOST_THINGS:
            self.findings.error("RW0702", key, f"these lines stand for more than {MOST_THINGS:,} things")
            return
        for number, id_ in enumerate(ids):
            if id_ in self._of_several:
                message = f"the {self.kind.name} {quoted(id_)} is given twice"
                self.findings.error("RW0717", key, message, help="give one of the lines another name")
                return
            own = Mapping(tuple(self._each(node, key, number, len(ids))), node.span, node.pointer)
            self._of_several.add(id_)
            self._lines[id_] = Key(id_, key.span, key.pointer), own if isinstance(node, Mapping) else node

    def _each(self, node: Node, key: Key, number: int, count: int) -> Iterator[tuple[Key, Node]]:
        """The attributes of one of several, with its own value of each list that has one for each."""
        for name, given in entries_of(node):
            values = given.get(EACH) if isinstance(given, Mapping) and len(given.entries) == 1 else None
            if not isinstance(values, Items):
                yield name, given
            elif number < len(values.items) == count:
                yield name, values.items[number]
            elif number == 0:
                message = f"{quoted(name.text)} of {quoted(key.text)} has {len(values.items)} values for {count} things"
                self.findings.error("RW0713", values, message, help="write one for each, or one for all without `each`")

    def _thing(self, id_: str) -> Node:
        """A thing with what it has from the one that it is like, and that from another."""
        chain: dict[str, Mapping] = {}
        at: str | None = id_
        while at is not None and at not in self._done:
            node = self._lines[at][1]
            if not isinstance(node, Mapping) or not _is_like(node, self.kind):
                self._done[at] = node
                break
            chain[at] = node
            at = self._like(node, chain)
        whole = self._done.get(at or "", nothing_at(self.section))
        for each, node in reversed(chain.items()):
            own = tuple((key, one) for key, one in node if key.text != LIKE)
            whole = self._done[each] = _over(whole, Mapping(own, node.span, node.pointer))
        return self._done[id_]

    def _like(self, node: Mapping, chain: Container[str]) -> str | None:
        """The id that a thing is like; none where that is wrong."""
        given = node.get(LIKE)
        assert given is not None
        if not isinstance(given, Scalar):
            self.findings.error("RW0713", given, f"`{LIKE}` is {shown(given)}; it must be the id of a thing")
        elif given.written not in self._lines:
            name, first = given.written, f"{given.written}_1"
            near = f"one of several is {quoted(first)}" if first in self._lines else did_you_mean(name, self._lines)
            message = f"`{LIKE}` names {quoted(name)}, which is not {a(self.kind.name)} here"
            self.findings.error("RW0714", given, message, help=near)
        elif given.written in chain:
            message = f"{quoted(given.written)} would be like itself"
            self.findings.error("RW0719", given, message, help="say in one of these lines what it has")
        else:
            return given.written
        return None


def _over(base: Node, own: Node) -> Node:
    """A line laid over what it starts from; an empty one changes nothing."""
    return base if isinstance(own, Scalar) and own.value is None else merged(base, own)
