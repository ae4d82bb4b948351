"""Project files, `rulewright.toml`: their shape, and the folders that they lend."""

import errno
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from rulewright.codecs.schemas import Schema, closed, head, worded
from rulewright.diagnostics import Diagnostic, Label, Severity
from rulewright.files.project import PROJECT, ProjectError, is_below, real, regular
from rulewright.inputs import nodes
from rulewright.inputs.findings import Findings
from rulewright.inputs.shapes import Codes, Shape
from rulewright.source import Span, Text

_LONGEST = 100_000


def project_schema() -> Schema:
    """What a project file holds in shape; whether its folders are there is seen when they are looked for."""
    folders = worded(
        {"type": "array", "items": {"type": "string", "not": {"pattern": "\0"}}},
        whole=True,
        says="`allow` is a list of folders",
        help='write `allow = ["../base"]`',
    )
    keys = closed({"allow": folders | {"description": "folders whose rules and clause lists may be used too"}})
    whole = worded(keys, unknown="a project file has no {key}", otherwise="its only key is `allow`")
    return {**head("project", "A project file"), **whole}


@cache
def _shape() -> Shape:
    return Shape(project_schema(), Codes("RW0018", "RW0018", "RW0018", "RW0018"))


def _placed(found: Mapping[str, Any], text: Text) -> nodes.Mapping:
    """What was read, each key and its value where the key stands."""
    spans = {key: Span(text.name, *_key(key, text)) for key in found}
    entries = ((nodes.Key(key, spans[key], ""), _node(each, spans[key])) for key, each in found.items())
    return nodes.Mapping(tuple(entries), Span(text.name, 0, 0), "")


def _node(value: object, span: Span) -> nodes.Node:
    """A list or text as it is; all else, which no project file holds, as nothing."""
    if isinstance(value, list):
        return nodes.Items(tuple(_node(each, span) for each in value), span, "")
    return nodes.Scalar(value, value, span, "") if isinstance(value, str) else nodes.Scalar(None, "", span, "")


def lent_by(top: str) -> Iterator[str]:
    """The real paths of the folders that a project file lends its documents, beyond its own.

    Raises:
        ProjectError: the file cannot be read, or something else stands in it.
    """
    place = os.path.join(top, PROJECT)  # noqa: PTH118
    name = os.path.relpath(place) if is_below(top, real(".")) else place
    text = Text(name, "")
    try:
        text = Text(name, regular(place, _LONGEST).decode("utf-8-sig"))
        found = tomllib.loads(text.content)
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8"
        if isinstance(error, OSError):
            reason = "it is a link" if error.errno == errno.ELOOP else (error.strerror or "no reason given").lower()
        raise _wrong(text, f"the project file cannot be read: {reason}", 0) from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _wrong(text, "this is no TOML", *_place_of(str(error), text)) from None
    findings = Findings()
    if not _shape().judge(_placed(found, text), findings):
        raise ProjectError(findings.found[0], text)
    for each in found.get("allow", []):
        folder = real(os.path.join(top, each))  # noqa: PTH118
        if not os.path.isdir(folder):  # noqa: PTH112
            at = max(text.content.find(each), 0)
            raise _wrong(text, f"there is no folder `{each}`", at, at + len(each), remedy="name a folder from here")
        yield folder


def _wrong(text: Text, message: str, start: int, end: int = 0, remedy: str = "") -> ProjectError:
    span = Span(text.name, start, max(end, start))
    return ProjectError(Diagnostic("RW0018", Severity.ERROR, message, Label(span), help=remedy), text)


def _key(key: str, text: Text) -> tuple[int, int]:
    """Where a key of the top begins and ends; the beginning where it is written in another way."""
    found = re.search(rf"^[ \t\[]*[\"']?({re.escape(key)})\b", text.content, re.MULTILINE)
    return found.span(1) if found else (0, 0)


def _place_of(said: str, text: Text) -> tuple[int, int]:
    """The offset of the line and column that the reader of TOML tells, or the end."""
    found = re.search(r"at line (\d+), column (\d+)", said)
    if found is None:
        return len(text.content), len(text.content)
    lines = text.content.splitlines(keepends=True)
    offset = sum(map(len, lines[: int(found[1]) - 1])) + int(found[2]) - 1
    return offset, min(offset + 1, len(text.content))
