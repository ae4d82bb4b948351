"""Clause lists: what a document says, clause by clause, in `DOC.clauses.yaml` beside the rules."""

# ruff: noqa: EM101 - the first argument is a code, not a message

from rulewright.analysis.symbols import ClauseEntry
from rulewright.diagnostics import Diagnostic, Label, Severity
from rulewright.inputs import yaml_places
from rulewright.inputs.nodes import Items, Mapping, Node, Scalar
from rulewright.inputs.schemas.script import Schema, closed, head
from rulewright.source import Span, Text

_TOP = ("document", "title", "clauses")
_KEYS = ("id", "where", "says", "observable")


def clause_list_schema() -> Schema:
    """What reading a clause list accepts in shape; whose clauses they are, each once, it judges itself."""
    said: Schema = {"type": ["string", "number", "boolean", "null"]}
    named: Schema = {"type": "string", "minLength": 1}
    texts: Schema = {
        "id": {"type": "string", "pattern": r"^[^.]+\.", "description": "the document and the number of the clause"},
        "where": {**said, "description": "where it stands in the document"},
        "says": {**said, "description": "what it says, in words of your own"},
        "observable": {**said, "description": "how a play shows that it is kept"},
    }
    top = {
        "document": {**named, "description": "the short name of the document, as in the name of the file"},
        "title": {**said, "description": "the title of the document"},
        "clauses": {"type": "array", "items": closed(texts, ["id"]), "description": "its clauses, in order"},
    }
    return {**head("clauses", "A clause list"), **closed(top, ["document", "clauses"])}


def read_clauses(text: Text, document: str) -> tuple[tuple[ClauseEntry, ...] | None, tuple[Diagnostic, ...]]:
    """The clauses of a document; none where the list cannot be used.

    Reports RW0620 (it is no clause list), RW0621 (it is another document's), RW0622 (a clause twice) and what is
    wrong with the YAML.
    """
    found = yaml_places.read(text)
    if found.value is None:
        return None, found.diagnostics
    try:
        return _clauses(found.value, document), found.diagnostics
    except _Refused as refused:
        return None, (*found.diagnostics, refused.diagnostic)


class _Refused(Exception):  # noqa: N818 - names what happened to the list
    """Carries the one finding that ends the reading."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def _refused(code: str, span: Span, message: str, remedy: str = "") -> _Refused:
    return _Refused(Diagnostic(code, Severity.ERROR, message, Label(span), help=remedy))


def _clauses(root: Node, document: str) -> tuple[ClauseEntry, ...]:
    name = root.get("document") if isinstance(root, Mapping) else None
    listed = root.get("clauses") if isinstance(root, Mapping) else None
    if not isinstance(name, Scalar) or not isinstance(listed, Items):
        message = "a clause list has the keys `document` and `clauses`"
        raise _refused("RW0620", root.span, message, "`clauses` is a list of `{id: …, where: …, says: …}`")
    for key, value in root if isinstance(root, Mapping) else ():
        if key.text not in _TOP or (key.text == "title" and not isinstance(value, Scalar)):
            message = f"a clause list has no `{key.text}`" if key.text not in _TOP else "the title is a text"
            raise _refused("RW0620", key.span, message, "its keys are `document`, `title` and `clauses`")
    if name.written != document:
        message = f"this is the clause list of `{name.written}`, not of `{document}`"
        raise _refused("RW0621", name.span, message, "name the file after its document")
    entries: dict[str, ClauseEntry] = {}
    for item in listed.items:
        entry = _entry(item, document)
        if entry.id in entries:
            raise _refused("RW0622", item.span, f"the clause `{entry.id}` is listed twice")
        entries[entry.id] = entry
    return tuple(entries.values())


def _entry(node: Node, document: str) -> ClauseEntry:
    if not isinstance(node, Mapping) or not isinstance(node.get("id"), Scalar):
        raise _refused("RW0620", node.span, "a clause has at least an `id`", "write `- id: DOC.1.a`")
    texts = {}
    for key, value in node:
        if key.text not in _KEYS or not isinstance(value, Scalar):
            raise _refused(
                "RW0620",
                key.span,
                f"a clause has no `{key.text}`",
                "its keys are `id`, `where`, `says` and `observable`",
            )
        texts[key.text] = value.written
    if not texts["id"].startswith(f"{document}."):
        raise _refused("RW0620", node.span, f"the clauses of `{document}` begin with `{document}.`")
    return ClauseEntry(texts["id"], *(texts.get(key, "") for key in _KEYS[1:]))
