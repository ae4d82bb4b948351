"""Project files, `rulewright.toml`: their shape, the folders that they lend, how findings weigh."""

import errno
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from rulewright.codecs.schemas import Schema, closed, head, worded
from rulewright.diagnostics import Diagnostic, Label, Severity
from rulewright.diagnostics.pages import codes, page
from rulewright.files.project import PROJECT, ProjectError, is_below, real, regular
from rulewright.frozen import dataclass
from rulewright.inputs import nodes
from rulewright.inputs.findings import Findings
from rulewright.inputs.shapes import Codes, Shape
from rulewright.source import Span, Text

_LONGEST = 100_000
_WEIGHTS = ("off", "hint", "warning", "error")


@dataclass(frozen=True, slots=True)
class Project:
    """What a project file says."""

    lent: tuple[str, ...]  # real paths of the folders whose rules and clause lists may be used, beyond its own
    weights: Mapping[str, str]  # what findings weigh, by code: `off`, `hint`, `warning` or `error`


def project_schema() -> Schema:
    """What a project file holds in shape; whether its folders are there is seen when they are looked for."""
    folders = worded(
        {"type": "array", "items": {"type": "string", "not": {"pattern": "\0"}}},
        whole=True,
        says="`allow` is a list of folders",
        help='write `allow = ["../base"]`',
    )
    weight = worded(
        {"enum": list(_WEIGHTS)},
        says="a finding weighs `off`, `hint`, `warning` or `error`",
        help='write `RW0560 = "off"`',
    )
    findings = worded(
        closed(dict.fromkeys(codes(), weight)),
        unknown="there is no message {key}",
        otherwise="write the code of a message, as `check` tells it",
        says="`findings` says by code what each weighs",
        help='write `[findings]`, and below it `RW0560 = "off"`',
    )
    keys = closed(
        {
            "allow": folders | {"description": "folders whose rules and clause lists may be used too"},
            "findings": findings | {"description": "what warnings and hints weigh when `check` tells them, by code"},
        }
    )
    whole = worded(keys, unknown="a project file has no {key}", otherwise="its keys are `allow` and `findings`")
    return {**head("project", "A project file"), **whole}


@cache
def _shape() -> Shape:
    return Shape(project_schema(), Codes("RW0018", "RW0018", "RW0018", "RW0018"))


def _placed(found: Mapping[str, Any], text: Text, span: Span) -> nodes.Mapping:
    """What was read, each key and its value where the key stands."""
    spans = {key: Span(text.name, *_key(key, text)) for key in found}
    entries = ((nodes.Key(key, spans[key], ""), _node(each, spans[key], text)) for key, each in found.items())
    return nodes.Mapping(tuple(entries), span, "")


def _node(value: object, span: Span, text: Text) -> nodes.Node:
    """Lists, tables and texts as they are; all else, which no project file holds, as nothing."""
    match value:
        case list():
            return nodes.Items(tuple(_node(each, span, text) for each in value), span, "")
        case dict():
            return _placed(value, text, span)
        case str():
            return nodes.Scalar(value, value, span, "")
        case _:
            return nodes.Scalar(None, "", span, "")


def project(top: str) -> Project:
    """What the project file of a folder says.

    Raises:
        ProjectError: RW0018, the file cannot be read, or something else stands in it.
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
        raise _wrong(text, "this is not TOML", *_place_of(str(error), text)) from None
    findings = Findings()
    if not _shape().judge(_placed(found, text, Span(text.name, 0, 0)), findings):
        raise ProjectError(findings.found[0], text)
    weights = found.get("findings", {})
    _check_weights(weights, text)
    return Project(tuple(_lent(top, found.get("allow", []), text)), weights)


def _lent(top: str, folders: Iterable[str], text: Text) -> Iterator[str]:
    for each in folders:
        folder = real(os.path.join(top, each))  # noqa: PTH118
        if not os.path.isdir(folder):  # noqa: PTH112
            at = max(text.content.find(each), 0)
            raise _wrong(text, f"there is no folder `{each}`", at, at + len(each), remedy="name a folder from here")
        yield folder


def _check_weights(weights: Iterable[str], text: Text) -> None:
    for code in weights:
        known = page(code)
        if known is not None and known.severity == Severity.ERROR.value:
            message = f"{code} is an error, and stays one: a project weighs only warnings and hints"
            raise _wrong(text, message, *_key(code, text), remedy="take this line out")


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
