"""Project files, `rulewright.toml`: what they may say, of rulesets, folders, findings, floors and review."""

import errno
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from math import isfinite
from typing import Any

from rulewright.codecs.schemas import Schema, closed, head, worded
from rulewright.diagnostics import Diagnostic, Label, Severity
from rulewright.diagnostics.pages import codes, page
from rulewright.files.project import PROJECT, ProjectError, is_below, real, regular
from rulewright.frozen import dataclass
from rulewright.inputs import nodes
from rulewright.inputs.findings import Findings, any_of
from rulewright.inputs.shapes import Codes, Shape
from rulewright.source import Span, Text

_LONGEST = 100_000
_WEIGHTS = ("off", "hint", "warning", "error")

COVERED = (
    "steps", "lines", "edges", "conditions", "atoms", "rows", "modifiers", "options", "answers", "handlers", "rules",
    "settings", "clauses",
)  # fmt: skip
"""The sorts of which coverage may have a floor; `coverage` counts them."""

REVIEWED = ("check", "fmt", "test", "cover", "mutate", "changed", "unknown")
"""What may fail a review of a change (`.github/actions/review`): what a verb finds, changed play, no verdict."""


@dataclass(frozen=True, slots=True)
class Project:
    """What a project file says."""

    rulesets: tuple[str, ...]  # files and folders, from the folder of the file, that commands take where none is named
    lent: tuple[str, ...]  # real paths of the folders whose rules and clause lists may be used, beyond its own
    weights: Mapping[str, str]  # what findings weigh, by code: `off`, `hint`, `warning` or `error`
    published: Mapping[
        str, Mapping[str, str]
    ]  # by ruleset and setting the reading that is published, as rules write it
    covered: Mapping[str, float]  # floors of coverage in percent, by sort or `all`
    noticed: float | None  # the floor of changes that scenarios notice, in percent


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
    rulesets = worded(
        {"type": "array", "items": {"type": "string", "minLength": 1, "not": {"pattern": "\0"}}},
        whole=True,
        says="`rulesets` is a list of files and folders",
        help='write `rulesets = ["skirmish"]`',
    )
    settings = worded(
        {"type": "object", "additionalProperties": {"type": ["string", "integer", "boolean"]}},
        whole=True,
        says="`readings` says by ruleset and setting what is published",
        help='write `[readings.skirmish]`, and below it `ties_go_to = "defender"`',
    )
    readings = worded(
        {"type": "object", "additionalProperties": settings},
        says="`readings` says by ruleset and setting what is published",
        help='write `[readings.skirmish]`, and below it `ties_go_to = "defender"`',
    )
    percent = worded({"type": "number", "minimum": 0, "maximum": 100}, says="a floor is a number from 0 to 100")
    covered = worded(
        closed(dict.fromkeys(("all", *COVERED), percent)),
        unknown="there is no floor of coverage for {key}",
        otherwise=f"the sorts are {any_of(['all', *COVERED])}",
        says="`coverage` says by sort how much of it is reached, in percent",
        help="write `coverage = {all = 80, steps = 100}`",
    )
    floors = worded(
        closed({"coverage": covered, "mutation": percent}),
        unknown="there is no floor {key}",
        otherwise="the floors are `coverage` and `mutation`",
        says="`floors` says how much the scenarios must reach and notice",
        help="write `[floors]`, and below it `mutation = 75`",
    )
    fails = worded(
        {"type": "array", "items": {"enum": list(REVIEWED)}},
        whole=True,
        says=f"`fails` is a list of {any_of(REVIEWED)}",
        help='write `fails = ["check", "test"]`',
    )
    review = worded(
        closed({"fails": fails}),
        unknown="a review has no {key}",
        otherwise="its key is `fails`",
        says="`review` says what fails the review of a change",
        help='write `[review]`, and below it `fails = ["check", "test"]`',
    )
    keys = closed(
        {
            "rulesets": rulesets | {"description": "what commands take where no PATH is named, from this folder"},
            "allow": folders | {"description": "folders whose rules and clause lists may be used too"},
            "findings": findings | {"description": "what warnings and hints weigh when `check` tells them, by code"},
            "readings": readings | {"description": "the readings that are published, by ruleset and setting"},
            "floors": floors | {"description": "how much scenarios must reach and notice, in percent"},
            "review": review | {"description": "what fails the review of a change"},
        }
    )
    whole = worded(
        keys,
        unknown="a project file has no {key}",
        otherwise="its keys are `rulesets`, `allow`, `findings`, `readings`, `floors` and `review`",
    )
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
    """Lists, tables, texts and numbers as they are; all else, which no project file holds, as nothing."""
    match value:
        case list():
            return nodes.Items(tuple(_node(each, span, text) for each in value), span, "")
        case dict():
            return _placed(value, text, span)
        case str():
            return nodes.Scalar(value, value, span, "")
        case int():
            return nodes.Scalar(value, str(value), span, "")
        case float() if isfinite(value):
            return nodes.Scalar(Fraction(value), str(value), span, "")
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
    floors = found.get("floors", {})
    return Project(
        tuple(_rulesets(top, found.get("rulesets", []), text)),
        tuple(_lent(top, found.get("allow", []), text)),
        weights,
        {name: {key: _written(one) for key, one in each.items()} for name, each in found.get("readings", {}).items()},
        floors.get("coverage", {}),
        floors.get("mutation"),
    )


def _written(value: str | bool | int) -> str:  # noqa: FBT001 - as TOML has it
    """A reading as rules write it."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _rulesets(top: str, places: Iterable[str], text: Text) -> Iterator[str]:
    for each in places:
        place = real(os.path.join(top, each))  # noqa: PTH118
        if not (is_below(place, real(top)) and os.path.exists(place)):  # noqa: PTH110
            at = max(text.content.find(each), 0)
            message = f"there is no file or folder `{each}` in this project"
            raise _wrong(text, message, at, at + len(each), remedy="name a ruleset from here")
        yield each


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
    """Where a key begins and ends, on a line of its own or between braces; else where the text begins."""
    own = rf"^[ \t\[]*[\"']?({re.escape(key)})\b"
    found = re.search(own, text.content, re.MULTILINE) or re.search(rf"\b({re.escape(key)})[\"']?[ \t]*=", text.content)
    return found.span(1) if found else (0, 0)


def _place_of(said: str, text: Text) -> tuple[int, int]:
    """The offset of the line and column that the reader of TOML tells, or the end."""
    found = re.search(r"at line (\d+), column (\d+)", said)
    if found is None:
        return len(text.content), len(text.content)
    lines = text.content.splitlines(keepends=True)
    offset = sum(map(len, lines[: int(found[1]) - 1])) + int(found[2]) - 1
    return offset, min(offset + 1, len(text.content))
