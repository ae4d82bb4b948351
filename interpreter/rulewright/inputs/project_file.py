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
from rulewright.inputs.findings import Findings, Read, any_of
from rulewright.inputs.shapes import Codes, Shape
from rulewright.inputs.toml_places import Path, TomlPlaces, toml_places
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
_REMEDIES = (
    ("Expected '='", 'write `=` and a value behind the key, such as `rulesets = ["skirmish"]`'),
    ("Invalid value", 'a value is a number, `true`, `false`, a list in `[ ]`, or a text in quotes: `"off"`'),
    ("Unterminated|Illegal character '\\\\n'", 'end the text with `"`'),
    ("Unclosed array", "write `,` between the members of the list, and `]` behind them"),
    ("Unclosed inline|for a key part", "write `,` between the entries, and `}` behind them"),
    ("Expected ']'", "end the heading with `]`"),
    ("Expected newline", "begin a line for each entry"),
    ("overwrite|twice|redefine", "write each key and each heading once"),
)
"""What to write, by what the reader of TOML tells."""


@dataclass(frozen=True, slots=True)
class Project:
    """What a project file says."""

    folder: str  # where the file stands
    rulesets: tuple[str, ...]  # files and folders, from the folder of the file, that commands take where none is named
    lent: tuple[str, ...]  # real paths of the folders whose rules and clause lists may be used, beyond its own
    weights: Mapping[str, str]  # what findings weigh, by code: `off`, `hint`, `warning` or `error`
    published: Mapping[
        str, Mapping[str, str]
    ]  # by ruleset and setting the reading that is published, as rules write it
    covered: Mapping[str, float]  # floors of coverage in percent, by sort or `all`
    noticed: float | None  # the floor of changes that scenarios notice, in percent
    text: Text

    def reading_at(self, *names: str) -> Span | None:
        """Where the file names a ruleset of which it publishes readings, or one of its settings."""
        return toml_places(self.text).keys.get(("readings", *names))


def _weight(code: str) -> Schema:
    says = "a finding weighs `off`, `hint`, `warning` or `error`"
    return worded({"enum": list(_WEIGHTS)}, says=says, help=f'write `{code} = "off"`')


def project_schema() -> Schema:
    """What a project file holds in shape; whether its folders are there is seen when they are looked for."""
    folders = worded(
        {"type": "array", "items": {"type": "string", "not": {"pattern": "\0"}}},
        whole=True,
        says="`allow` is a list of folders",
        help='write `allow = ["../base"]`',
    )
    findings = worded(
        closed({each: _weight(each) for each in codes()}),
        unknown="there is no message {key}",
        otherwise="write the code of a message, as `check` prints it",
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
        closed(
            {
                "coverage": covered | {"description": "how much of each sort of rule scenarios must reach"},
                "mutation": percent | {"description": "how many of the changes made to rules scenarios must notice"},
            }
        ),
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
        closed({"fails": fails | {"description": "what of the work of commands, or of their findings, fails it"}}),
        unknown="a review has no {key}",
        otherwise="its key is `fails`",
        says="`review` says what fails the review of a change",
        help='write `[review]`, and below it `fails = ["check", "test"]`',
    )
    keys = closed(
        {
            "rulesets": rulesets | {"description": "what commands take where no PATH is named, from this folder"},
            "allow": folders | {"description": "folders whose rules and clause lists may be used too"},
            "findings": findings | {"description": "what each warning or hint of `check` weighs, by code"},
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


@dataclass(frozen=True, slots=True)
class _Placing:
    """Values of TOML as nodes, each key and value where it stands."""

    places: TomlPlaces
    text: Text

    def node(self, value: object, path: Path) -> nodes.Node:
        """Lists, tables, texts and numbers as they are; all else, which no project file holds, as nothing."""
        span = self.span(path)
        match value:
            case list():
                return nodes.Items(tuple(self.node(each, (*path, at)) for at, each in enumerate(value)), span, "")
            case dict():
                keys = ((nodes.Key(key, self.key((*path, key)), ""), (*path, key)) for key in value)
                return nodes.Mapping(tuple((key, self.node(value[key.text], below)) for key, below in keys), span, "")
            case str():
                return nodes.Scalar(value, value, span, "")
            case int():
                return nodes.Scalar(value, str(value), span, "")
            case float() if isfinite(value):
                return nodes.Scalar(Fraction(value), str(value), span, "")
            case _:
                return nodes.Scalar(None, "", span, "")

    def key(self, path: Path) -> Span:
        """Where a key stands; else what it stands in."""
        return self.places.keys.get(path) or (self.key(path[:-1]) if path else Span(self.text.name, 0, 0))

    def span(self, path: Path) -> Span:
        """Where a value stands; of a table its key."""
        return self.places.values.get(path) or self.key(path)

    def inside(self, path: Path) -> Span:
        """Where a text stands, without its quotes."""
        found = self.span(path)
        return Span(found.source, found.start + 1, found.end - 1)


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
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8"
        if isinstance(error, OSError):
            reason = "it is a link" if error.errno == errno.ELOOP else (error.strerror or "no reason given").lower()
        raise ProjectError(_wrong(f"the project file cannot be read: {reason}", Span(name, 0, 0)), text) from None
    said = judged(text, top)
    if said.value is None:
        raise ProjectError(said.diagnostics[0], text)
    return said.value


def judged(text: Text, top: str) -> Read[Project]:
    """What the text of a project file in a folder says; RW0018 for each mistake, in order of place."""
    try:
        found = tomllib.loads(text.content)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        remedy = next((says for cause, says in _REMEDIES if re.search(cause, str(error))), "")
        return Read(None, (_wrong("this is not TOML", _place_of(str(error), text), remedy),))
    findings = Findings()
    places = _Placing(toml_places(text), text)
    if not _shape().judge(places.node(found, ()), findings):
        return findings.read(_NOTHING)
    findings.found += [*_absent(found, top, places), *_errors(found.get("findings", {}), places)]
    floors = found.get("floors", {})
    return findings.read(
        Project(
            top,
            tuple(found.get("rulesets", ())),
            tuple(real(os.path.join(top, each)) for each in found.get("allow", ())),  # noqa: PTH118
            found.get("findings", {}),
            {
                name: {key: _written(one) for key, one in each.items()}
                for name, each in found.get("readings", {}).items()
            },
            floors.get("coverage", {}),
            floors.get("mutation"),
            text,
        )
    )


_NOTHING = Project("", (), (), {}, {}, {}, None, Text("", ""))


def _written(value: str | bool | int) -> str:  # noqa: FBT001 - as TOML has it
    """A reading as rules write it."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _absent(found: Mapping[str, Any], top: str, places: _Placing) -> Iterator[Diagnostic]:
    """Files and folders that are not there."""
    for at, each in enumerate(found.get("rulesets", ())):
        place = real(os.path.join(top, each))  # noqa: PTH118
        if not (is_below(place, real(top)) and os.path.exists(place)):  # noqa: PTH110
            message = f"there is no file or folder `{each}` in this project"
            yield _wrong(message, places.inside(("rulesets", at)), remedy="name a ruleset from here")
    for at, each in enumerate(found.get("allow", ())):
        if not os.path.isdir(real(os.path.join(top, each))):  # noqa: PTH112, PTH118
            yield _wrong(f"there is no folder `{each}`", places.inside(("allow", at)), remedy="name a folder from here")


def _errors(weights: Iterable[str], places: _Placing) -> Iterator[Diagnostic]:
    for code in weights:
        known = page(code)
        if known is not None and known.severity == Severity.ERROR.value:
            message = f"{code} is an error, and stays one: a project weighs only warnings and hints"
            yield _wrong(message, places.key(("findings", code)), remedy="take this line out")


def _wrong(message: str, span: Span, remedy: str = "") -> Diagnostic:
    return Diagnostic("RW0018", Severity.ERROR, message, Label(span), help=remedy)


def _place_of(said: str, text: Text) -> Span:
    """The place of the line and column that the reader of TOML tells, or the end."""
    found = re.search(r"at line (\d+), column (\d+)", said)
    if found is None:
        return Span(text.name, len(text.content), len(text.content))
    lines = text.content.splitlines(keepends=True)
    offset = sum(map(len, lines[: int(found[1]) - 1])) + int(found[2]) - 1
    return Span(text.name, offset, min(offset + 1, len(text.content)))
