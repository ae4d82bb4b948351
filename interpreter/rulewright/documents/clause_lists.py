"""Clause lists: the clauses of a document in `DOC.clauses.yaml` beside the rules."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from rulewright.base.diagnostics import Diagnostic
from rulewright.base.source import Span, Text
from rulewright.checker.symbols import ClauseListEntry
from rulewright.documents import yaml_reader
from rulewright.documents.document_shapes import DocumentShape, ErrorCodes
from rulewright.documents.findings import Findings, build_suggestion_edits
from rulewright.runtime.codec_protocols import Schema, closed_object, schema_header, with_message_words

_CLAUSE_KEYS = ("id", "where", "says", "observable")
_ACCOUNT_KEYS = ("outside", "void")


def clause_list_schema() -> Schema:
    """JSON Schema of clause lists; the reader checks the document and duplicates itself."""
    scalar: Schema = {"type": ["string", "number", "boolean", "null"]}
    named: Schema = {"type": "string", "minLength": 1}
    id_ = with_message_words(
        {"type": "string", "pattern": r"^[^.]+\."}, wanted="the document, a point and a number: `DOC.1.a`"
    )
    texts: Schema = {
        "id": {**id_, "description": "the document and the number of the clause"},
        "where": {**scalar, "description": "where it stands in the document"},
        "says": {**scalar, "description": "what it says, in words of your own"},
        "observable": {**scalar, "description": "how a play shows that it is kept"},
        "outside": {**scalar, "description": "why it is another text's business"},
        "void": {**scalar, "description": "why there is nothing to carry out"},
    }
    clause = with_message_words(
        closed_object(texts, ["id"]),
        part="{key}",
        says="a clause has at least an `id`",
        lacking="a clause has at least an `id`",
        need="write `- id: DOC.1.a`",
        help="write `- id: DOC.1.a`",
        unknown="a clause has no {key}",
        otherwise="its keys are `id`, `where`, `says`, `observable`, `outside` and `void`",
    )
    top = {
        "document": {**named, "description": "the short name of the document, as in the name of the file"},
        "title": {**scalar, "description": "the title of the document"},
        "clauses": {"type": "array", "items": clause, "description": "its clauses, in order"},
    }
    keys = "a clause list has the keys `document` and `clauses`"
    form = "`clauses` is a list of `{id: …, where: …, says: …}`"
    whole = with_message_words(
        closed_object(top, ["document", "clauses"]),
        part="{key}",
        says=keys,
        lacking=keys,
        need=form,
        help=form,
        unknown="a clause list has no {key}",
        otherwise="its keys are `document`, `title` and `clauses`",
    )
    return {**schema_header("clauses", "A clause list"), **whole}


_CLAUSE_LIST_SHAPE = DocumentShape(clause_list_schema(), ErrorCodes("RW0620", "RW0620", "RW0620", "RW0620"))


def parse_clause_list(text: Text, document: str) -> tuple[tuple[ClauseListEntry, ...] | None, tuple[Diagnostic, ...]]:
    """Clauses of a document; `None` where the list is unusable.

    Reports RW0605 (accounted for twice), RW0608 (no reason given), RW0620 (no clause list), RW0621 (another document's
    list), RW0622 (a clause twice) and errors of the YAML.
    """
    read_result = yaml_reader.parse_yaml(text)
    if read_result.value is None:
        return None, read_result.diagnostics
    findings = Findings()
    fits = _CLAUSE_LIST_SHAPE.validate_node(read_result.value, findings)
    entries = tuple(_read_clause_entries(read_result.value, document, text.content, findings)) if fits else ()
    return None if findings.collected else entries, (*read_result.diagnostics, *findings.make_result(None).diagnostics)


def _read_clause_entries(
    root: Any,
    document: str,
    content: str,
    findings: Findings,
) -> Iterator[ClauseListEntry]:
    name, known, bare = root.get("document"), set[str](), list[Any]()
    if name.written != document:
        message = f"this is the clause list of `{name.written}`, not of `{document}`"
        findings.add_error("RW0621", name, message, help="name the file after its document")
        return
    for item in root.get("clauses").items:
        id_, *texts = ("" if (node := item.get(key)) is None else node.written for key in _CLAUSE_KEYS)
        if not id_.startswith(f"{document}."):
            bare.append(item.get("id"))
        elif id_ in known:
            findings.add_error("RW0622", item, f"the clause `{id_}` is listed twice")
        known.add(id_)
        word, reason, span = _read_account(item, findings)
        where, says, observable = texts
        yield ClauseListEntry(id_, where, says, observable, word, reason, span, _key_separator(item, content))
    if bare:
        _report_missing_prefix(bare, document, findings)


def _report_missing_prefix(ids: Sequence[Any], document: str, findings: Findings) -> None:
    """RW0620, once, for ids without the document's prefix, with edits that add it."""
    which = f"this one and {len(ids) - 1} more do not" if len(ids) > 1 else "this one does not"
    message = f"ids of clauses begin with `{document}.`; {which}"
    remedies = [f"did you mean `{document}.{identifier.written}`?" for identifier in ids]
    findings.add_error("RW0620", ids[0], message, help=remedies[0])
    edits = (
        edit
        for identifier, remedy in zip(ids, remedies, strict=True)
        for edit in build_suggestion_edits(identifier, remedy)
    )
    findings.collected[-1] = replace(findings.collected[-1], edits=tuple(edits))


def _read_account(clause: Any, findings: Findings) -> tuple[str, str, Span]:
    """Reason why no line has to implement a clause: word, reason, and span of the word, else of the id."""
    given = [(key, value) for key, value in clause.entries if key.text in _ACCOUNT_KEYS]
    for key, value in given:
        if value.written.strip() in {"", "~", "null"}:
            findings.add_error("RW0608", key, f"`{key.text}` gives no reason", help="write why after the colon")
    if len(given) > 1:
        message = f"`{clause.get('id').written}` is accounted for twice"
        findings.add_error("RW0605", given[1][0], message, help="keep one of the two")
    for key, value in given:
        return key.text, value.written, key.span
    return "", "", clause.get("id").span


def _key_separator(clause: Any, content: str) -> str:
    """Separator before a further key of a clause: a comma in braces, else a new line."""
    start = clause.span.start
    return ", " if content[start] == "{" else "\n" + " " * (start - content.rfind("\n", 0, start) - 1)
