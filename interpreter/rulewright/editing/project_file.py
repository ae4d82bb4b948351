"""The same answers in `rulewright.toml`: problems, completion of keys and values, what a key means."""

import posixpath
from collections.abc import Iterator, Mapping
from functools import cache

from rulewright.diagnostics import Diagnostic, Severity
from rulewright.diagnostics.model import by_place
from rulewright.diagnostics.pages import codes, page
from rulewright.editing import by_schema
from rulewright.editing.answers import Explanation, Proposal
from rulewright.editing.by_schema import Choice, Schema
from rulewright.editing.desk import Desk, Known
from rulewright.files.project import PROJECT
from rulewright.inputs.project_file import Project, judged, project_schema
from rulewright.inputs.shapes import published
from rulewright.inputs.toml_places import Path, TomlCursor, TomlPlaces, toml_cursor, toml_places
from rulewright.outline.items import reading
from rulewright.program.declarations import Program, Setting
from rulewright.program.types import FlagType, WordType
from rulewright.source import Span
from rulewright.workspace import locate, rulesets_of
from rulewright.workspace.judgement import of_no_ruleset, unpublished
from rulewright.workspace.locate import rulesets_called

_READINGS = 2
"""How many keys lead to what stands under the name of a ruleset in `readings`."""


def is_project(place: str) -> bool:
    """Whether a file is that of a project."""
    return posixpath.basename(place) == PROJECT


def problems(desk: Desk, place: str) -> tuple[Diagnostic, ...]:
    """What is wrong with a project file, in order of place: its writing, its shape, places and settings not there."""
    text = desk.text(place)
    if text is None:
        return ()
    said = judged(text, posixpath.dirname(place))
    if said.value is None:
        return said.diagnostics
    return by_place((*said.diagnostics, *_unpublished(desk, place, said.value), *_of_none(desk, place, said.value)))


def _of_none(desk: Desk, place: str, project: Project) -> Iterator[Diagnostic]:
    """RW1218 for rulesets that are neither of the project nor anywhere else that it may use."""
    own = _mains(desk, place)
    if own.keys() >= project.published.keys():
        return
    files = desk.standing_files()
    known = {**rulesets_called(filter(None, (*project.lent, files.shipped())), files), **own}
    yield from of_no_ruleset(project, known.keys())


def _unpublished(desk: Desk, place: str, project: Project) -> Iterator[Diagnostic]:
    """RW1201 for settings that a ruleset lacks, with those that it has."""
    for name in project.published:
        known = _ruleset(desk, place, name)
        if known is not None and known.loaded.program is not None:
            yield from unpublished(known.loaded.program, project)


def proposals(desk: Desk, place: str, offset: int) -> tuple[Proposal, ...]:
    """What may stand at an offset: keys, and values where few are possible."""
    text = desk.text(place)
    cursor = toml_cursor(text.content, offset) if text is not None else None
    if text is None or cursor is None or cursor.in_words:
        return ()
    schemas = _schemas(desk, place, cursor.path)
    where = Span(place, cursor.start, offset)
    found: list[Proposal] = []
    if cursor.is_key:
        keys = (each for each in by_schema.keys(schemas) if not cursor.in_head or _is_table(each))
        found = [Proposal(_key(each, cursor), where, "key", each.takes, each.says) for each in keys]
    if cursor.is_value:
        quote = cursor.quote or '"'
        chosen = by_schema.values(schemas, ("true", "false"))
        found += [Proposal(f"{quote}{each.written}{quote}", where, "value", title=each.says) for each in chosen]
    return tuple({each.text: each for each in found}.values())


def _key(choice: Choice, cursor: TomlCursor) -> str:
    """A key with what stands behind it: of a table at the beginning of a line its head."""
    if cursor.in_head:
        return choice.written
    if _is_table(choice) and not cursor.path:
        return f"[{choice.written}]" if choice.written != "readings" else "[readings."
    brackets = {"object": "{", "array": "["}
    return f"{choice.written} = {brackets.get(str(choice.schema.get('type')), '')}"


def _is_table(choice: Choice) -> bool:
    return choice.schema.get("type") == "object"


def explanation(desk: Desk, place: str, offset: int) -> Explanation | None:
    """What the key at an offset means, or the key of the value there; of a finding also what its page says first."""
    text = desk.text(place)
    found = _at(toml_places(text), offset) if text is not None else None
    if found is None:
        return None
    span, path = found
    schemas = _schemas(desk, place, path)
    lines = [each["description"] for each in schemas if "description" in each]
    may = next((by_schema.takes(each) for each in schemas if by_schema.takes(each)), "")
    own = ".".join(map(str, path))
    return Explanation(span, (f"`{own}{f': {may}' if may else ''}`", *dict.fromkeys(lines))) if lines else None


def _at(places: TomlPlaces, offset: int) -> tuple[Span, Path] | None:
    """The key or the value at an offset, with the keys that lead to it."""
    every = (*places.keys.items(), *places.values.items())
    around = [(span.end - span.start, span, path) for path, span in every if span.start <= offset <= span.end]
    found = min(around, key=lambda each: each[0], default=None)
    return None if found is None else (found[1], tuple(each for each in found[2] if isinstance(each, str)))


def _schemas(desk: Desk, place: str, path: Path) -> list[Schema]:
    """What may stand at a path, with the names of the rulesets of the project, and the settings of one."""
    whole = published(project_schema())
    keys = dict(whole["properties"])
    if path[:1] == ("rulesets",):
        keys["rulesets"] = {**keys["rulesets"], "items": {"enum": list(_rulesets(desk, place))}}
    if path[:1] == ("findings",):
        keys["findings"] = {**keys["findings"], "properties": _weighed()}
    if path[:1] == ("readings",):
        named: Schema = {name: {"type": "object"} for name in _mains(desk, place)}
        if len(path) >= _READINGS:
            named[str(path[1])] = {"type": "object", "properties": _settings(_ruleset(desk, place, str(path[1])))}
        keys["readings"] = {**keys["readings"], "properties": named}
    whole = {**whole, "properties": keys}
    return list(by_schema.at(whole, path, whole))


@cache
def _weighed() -> Schema:
    """The findings that have a weight, by code, each with the title and the first words of its page."""
    weights = published(project_schema())["properties"]["findings"]["properties"]
    pages = [found for code in codes() if (found := page(code)) is not None]
    told = [each for each in pages if each.severity != Severity.ERROR.value]
    return {
        each.code: {**weights[each.code], "description": f"{each.title}: a {each.severity} unless you change it"}
        for each in told
    }


def _settings(known: Known | None) -> Schema:
    """The settings of a ruleset, each with its title, the reading that it has, and those that it may have."""
    program = known.loaded.program if known is not None else None
    return {} if program is None else {each.name: _readings_of(each, program) for each in program.settings.values()}


def _readings_of(setting: Setting, program: Program) -> Schema:
    says = f"{setting.title}: the rules take `{reading(setting, program)}`".removeprefix(": ")
    match setting.type:
        case WordType(values):
            return {"enum": [each.name for each in program.values[values].words], "description": says}
        case FlagType():
            return {"enum": ["yes", "no"], "description": says}
        case _:
            return {"description": says}


def _rulesets(desk: Desk, place: str) -> Iterator[str]:
    """The rulesets of a project, from its folder."""
    top = posixpath.dirname(place)
    for each in rulesets_of(top or ".", desk.standing_files()).names:
        yield posixpath.relpath(each, top or ".")


def _mains(desk: Desk, place: str) -> Mapping[str, str]:
    """The main files of the rulesets of a project, by the names that these give themselves."""
    return rulesets_called((posixpath.dirname(place) or ".",), desk.standing_files())


def _ruleset(desk: Desk, place: str, name: str) -> Known | None:
    """What is known of the ruleset of a project that calls itself so."""
    main = _mains(desk, place).get(name)
    return desk.good(locate(main, desk.standing_files())) if main is not None else None
