"""The form of what a scenario expects, as its schema has it: told when a file is read, whatever becomes of the play."""

from collections.abc import Callable, Mapping

from rulewright.inputs.findings import Findings
from rulewright.inputs.nodes import Items, Node, Scalar
from rulewright.inputs.nodes import Mapping as MappingNode
from rulewright.inputs.wording import shown
from rulewright.scenarios.fields import Fields, is_text

_Form = Callable[[Node, Findings], None]

END = "end"
"""When an answer is given after the end of a play."""

ASKED = ("at", "by", "with")
"""Keys of a question that is expected."""

REJECTED = ("at", "answer", "because", "by", "time", "when")
"""Keys of an answer that is refused."""


def check_forms(expect: MappingNode, findings: Findings) -> None:
    """Reports RW1001 (a key nobody knows) and RW1002 (another sort of value) for each expectation."""
    for key, node in expect:
        if key.text in _FORMS:
            _FORMS[key.text](node, findings)


def _sort(fits: Callable[[Node], bool], wanted: str, node: Node, findings: Findings) -> bool:
    if not fits(node):
        findings.error("RW1002", node, f"this is {shown(node)}; it must be {wanted}")
    return fits(node)


def _is_word(node: Node) -> bool:
    return isinstance(node, Scalar) and isinstance(node.value, str)


def _is_reason(node: Node) -> bool:
    return is_text(node) and isinstance(node, Scalar) and bool(node.written.strip())


def is_count(node: Node) -> bool:
    """Whether this is a whole number, 1 or more."""
    return isinstance(node, Scalar) and type(node.value) is int and node.value > 0


def is_player(node: Node) -> bool:
    """Whether this names a player, or nobody."""
    return is_text(node) or (isinstance(node, Scalar) and node.value is None)


def _is_amount(node: Node) -> bool:
    return isinstance(node, Items) or is_text(node)


def _any(node: Node, findings: Findings) -> None:
    """Whatever the ruleset makes of it."""


def _one(fits: Callable[[Node], bool], wanted: str) -> _Form:
    def form(node: Node, findings: Findings) -> None:
        _sort(fits, wanted, node, findings)

    return form


_TEXT = _one(is_text, "a text")
_MAPPING = _one(lambda node: isinstance(node, MappingNode), "a mapping")
_STATE = _one(lambda node: isinstance(node, MappingNode), "a mapping, a part of a state")


def _list_of(inner: _Form, wanted: str, *, lacking: str = "", help: str = "") -> _Form:  # noqa: A002
    """A list; one that must not be empty says what it lacks."""

    def form(node: Node, findings: Findings) -> None:
        if not _sort(lambda each: isinstance(each, Items), f"a list of {wanted}", node, findings):
            return
        assert isinstance(node, Items)
        if lacking and not node.items:
            findings.error("RW1002", node, f"this list is empty; it must name {lacking}", help=help)
        for each in node.items:
            inner(each, findings)

    return form


def _texts(wanted: str, *, lacking: str = "", help: str = "") -> _Form:  # noqa: A002
    return _list_of(_one(is_text, f"a text, one of the {wanted}"), wanted, lacking=lacking, help=help)


def _mapping_of(inner: _Form, wanted: str) -> _Form:
    def form(node: Node, findings: Findings) -> None:
        if not _sort(lambda each: isinstance(each, MappingNode), f"a mapping from {wanted}", node, findings):
            return
        assert isinstance(node, MappingNode)
        for _, each in node:
            inner(each, findings)

    return form


def _entry(parts: Mapping[str, _Form], required: int, called: str, node: MappingNode, findings: Findings) -> None:
    """A mapping with these keys, the first of which have to be there."""
    Fields(node, findings).known(parts, called)
    missing = [each for each in list(parts)[:required] if each not in node]
    if missing:
        findings.error("RW1002", node, f"{called} lacks `{missing[0]}`", help=f"add `{missing[0]}: …`")
    for key, each in node:
        if key.text in parts:
            parts[key.text](each, findings)


_AT = {"at": _one(is_text, "where it is asked")}
_BY = _one(is_player, "a player, or `null` for nobody")
_WHEN = _one(is_text, f"a question, or `{END}`")
_ASKED: Mapping[str, _Form] = {**_AT, "by": _BY, "with": _MAPPING}
_REJECTED: Mapping[str, _Form] = {
    **_AT,
    "answer": _any,
    "because": _TEXT,
    "by": _one(is_text, "a player"),
    "time": _one(is_count, "a whole number, 1 or more"),
    "when": _WHEN,
}


def _asked(node: Node, findings: Findings) -> None:
    if isinstance(node, MappingNode):
        _entry(_ASKED, 1, "a question", node, findings)
    else:
        _sort(is_text, "a question, or `{at: …, by: …, with: {…: …}}`", node, findings)


def _rejected(node: Node, findings: Findings) -> None:
    if _sort(lambda each: isinstance(each, MappingNode), "`{at: …, answer: …, because: …}`", node, findings):
        assert isinstance(node, MappingNode)
        _entry(_REJECTED, 3, "a refused answer", node, findings)


def _counted(node: Node, findings: Findings) -> None:
    rows = _mapping_of(_one(_is_amount, "what a row adds, or a list of that"), "rows to what they add")
    for each in node.items if isinstance(node, Items) else (node,):
        rows(each, findings)


_NO_ROW = "where no row at all counts, write `applied: []`; else take `not_applied:` out"
_INVALID = "parts of what is said of the state, the settings or the roles"
_FORMS: Mapping[str, _Form] = {
    "always": _texts("conditions"),
    "invalid": _list_of(_one(_is_reason, "a part of a message"), _INVALID, lacking="a part of a message"),
    "refused": _texts("reasons"),
    "fault": _one(_is_word, "the code of a fault or a part of its message"),
    "path": _texts("steps"),
    "passed_over": _texts("steps"),
    "asked": _list_of(_asked, "questions"),
    "asked_of": _mapping_of(_BY, "questions to players"),
    "offered": _mapping_of(_one(lambda node: isinstance(node, Items), "a list of options"), "questions to options"),
    "rejects": _list_of(_rejected, "refused answers"),
    "values": _mapping_of(_any, "named lines to what they give"),
    "decided": _mapping_of(_one(is_text, "the id of a row"), "addresses to rows"),
    "counted": _mapping_of(_counted, "tallies to the rows that count"),
    "applied": _texts("rows"),
    "not_applied": _texts("rows", lacking="a row", help=_NO_ROW),
    "rulings": _texts("rulings"),
    "measures": _mapping_of(_any, "measures to values"),
    "state": _STATE,
    "changes": _STATE,
}
