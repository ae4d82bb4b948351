"""The first lines of a file: `ruleset`, `amends` and `document`."""

import re
from collections.abc import Iterable

from rulewright.analysis.report import Report
from rulewright.diagnostics import Label
from rulewright.diagnostics.suggest import left_out, wrapped
from rulewright.program.declarations import Document
from rulewright.source import Span
from rulewright.syntax.nodes.declarations import AmendsHeader, DocumentHeader, File, RulesetHeader

__all__ = [
    "RulesetHeader",
    "amends",
    "check_root",
    "check_single",
    "document_names",
    "documents",
    "ruleset",
]


def ruleset(file: File) -> RulesetHeader | None:
    """The `ruleset` line."""
    return next((each for each in file.headers if isinstance(each, RulesetHeader)), None)


def amends(file: File) -> AmendsHeader | None:
    """The `amends` line, where the file begins with it."""
    first = file.headers[0] if file.headers else None
    return first if isinstance(first, AmendsHeader) else None


def document_names(file: File) -> tuple[str, ...]:
    """The short names of the documents that the file names."""
    return tuple(dict.fromkeys(each.name.text for each in file.headers if isinstance(each, DocumentHeader)))


def documents(files: Iterable[File]) -> tuple[Document, ...]:
    """Every document once, in reading order."""
    found: dict[str, Document] = {}
    for file in files:
        for header in file.headers:
            if isinstance(header, DocumentHeader):
                title = header.title.text if header.title else ""
                found.setdefault(header.name.text, Document(header.name.text, title))
    return tuple(found.values())


def check_root(file: File, report: Report) -> None:
    """Reports a main file of a ruleset without a `ruleset` line (RW0201)."""
    if ruleset(file) is None and amends(file) is None:
        place = Span(file.span.source, file.span.start, min(file.span.start + 1, file.span.end))
        plain = re.sub(r"\W+", "_", file.span.source.rpartition("/")[2].removesuffix(".rules").lower()).strip("_")
        name = plain if plain[:1].isalpha() else "mine"
        line = f'ruleset {name} "{name.replace("_", " ").capitalize()}" revision "1"\n'
        report.error(
            "RW0201",
            place,
            "this file has no `ruleset` line",
            help='begin it with `ruleset name "Title" revision "1"`',
            edits=wrapped(line, place, ""),
        )


def check_single(file: File, report: Report) -> None:
    """Reports a second `ruleset` or `amends` line (RW0202)."""
    found = [each for each in file.headers if isinstance(each, RulesetHeader | AmendsHeader)]
    for extra in found[1:]:
        first = Label(found[0].head, "the file begins here")
        message = "a file has one `ruleset` or `amends` line, its first"
        gone = left_out(extra.head)
        report.error("RW0202", extra.head, message, secondary=(first,), help="remove this line", edits=gone)
