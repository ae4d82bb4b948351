"""Diagnostics, completion and hover in `rulewright.toml`."""

import posixpath
from collections.abc import Iterator, Mapping
from functools import cache

from rulewright.base.bounded_files import PROJECT_FILE_NAME
from rulewright.base.diagnostics import Diagnostic, Severity, sort_by_place
from rulewright.base.diagnostics.pages import find_page, list_page_files
from rulewright.base.source import Span
from rulewright.documents.check_findings import find_unknown_rulesets, find_unknown_settings
from rulewright.documents.document_shapes import strip_message_words
from rulewright.documents.project_file import (
    ProjectSettings,
    TomlCursor,
    TomlPath,
    TomlPlaces,
    find_toml_cursor,
    parse_project,
    project_schema,
    scan_toml,
)
from rulewright.documents.ruleset_location import find_rulesets_by_name, list_rulesets, locate_ruleset
from rulewright.editor.answers import CompletionItem, HoverText
from rulewright.editor.editor_workspace import AnalysisSnapshot, Workspace
from rulewright.editor.schema_choices import (
    JsonSchema,
    SchemaChoice,
    list_key_choices,
    list_value_choices,
    schemas_at_path,
    summarize_schema,
)
from rulewright.program.declarations import Program, Setting
from rulewright.program.outline.items import render_default_reading
from rulewright.program.types import FlagType, WordType

_READINGS_PATH_LENGTH = 2
"""Keys down to a ruleset in `readings`."""


def is_project_file(place: str) -> bool:
    """Whether a path is that of a project file."""
    return posixpath.basename(place) == PROJECT_FILE_NAME


def find_file_problems(desk: Workspace, place: str) -> tuple[Diagnostic, ...]:
    """Diagnostics of a project file in order: syntax, schema, unknown paths and settings."""
    text = desk.current_text(place)
    if text is None:
        return ()
    parsed = parse_project(text, posixpath.dirname(place))
    if parsed.value is None:
        return parsed.diagnostics
    return sort_by_place(
        (
            *parsed.diagnostics,
            *_find_unknown_settings(desk, place, parsed.value),
            *_find_unknown_rulesets(desk, place, parsed.value),
        )
    )


def _find_unknown_rulesets(desk: Workspace, place: str, project: ProjectSettings) -> Iterator[Diagnostic]:
    """RW1218: rulesets neither in the project nor available to it."""
    own_files = _main_files_by_name(desk, place)
    if own_files.keys() >= project.published_readings.keys():
        return
    files = desk.readable_files()
    known = {
        **find_rulesets_by_name(filter(None, (*project.shared_folders, files.get_rulesets_folder())), files),
        **own_files,
    }
    yield from find_unknown_rulesets(project, known.keys())


def _find_unknown_settings(desk: Workspace, place: str, project: ProjectSettings) -> Iterator[Diagnostic]:
    """RW1201: settings that a ruleset lacks."""
    for name in project.published_readings:
        known = _load_named_ruleset(desk, place, name)
        if known is not None and known.loaded.program is not None:
            yield from find_unknown_settings(known.loaded.program, project)


def propose_project_completions(desk: Workspace, place: str, offset: int) -> tuple[CompletionItem, ...]:
    """Completions at an offset: keys, and values of enumerable types."""
    text = desk.current_text(place)
    cursor = find_toml_cursor(text.content, offset) if text is not None else None
    if text is None or cursor is None or cursor.is_in_text:
        return ()
    schemas = _schemas_at(desk, place, cursor.path)
    where = Span(place, cursor.start, offset)
    items: list[CompletionItem] = []
    if cursor.is_key:
        keys = (choice for choice in list_key_choices(schemas) if not cursor.in_head or _is_table_key(choice))
        items = [CompletionItem(_render_key(key, cursor), where, "key", key.takes, key.says) for key in keys]
    if cursor.is_value:
        quote = cursor.quote or '"'
        chosen = list_value_choices(schemas, ("true", "false"))
        items += [
            CompletionItem(f"{quote}{choice.written}{quote}", where, "value", title=choice.says) for choice in chosen
        ]
    return tuple({completion_item.text: completion_item for completion_item in items}.values())


def _render_key(choice: SchemaChoice, cursor: TomlCursor) -> str:
    """At the start of a line a table is a header."""
    if cursor.in_head:
        return choice.written
    if _is_table_key(choice) and not cursor.path:
        return f"[{choice.written}]" if choice.written != "readings" else "[readings."
    brackets = {"object": "{", "array": "["}
    return f"{choice.written} = {brackets.get(str(choice.schema.get('type')), '')}"


def _is_table_key(choice: SchemaChoice) -> bool:
    return choice.schema.get("type") == "object"


def explain_project_key(desk: Workspace, place: str, offset: int) -> HoverText | None:
    """Description of the key at an offset; for the code of a finding also the lead of its page."""
    text = desk.current_text(place)
    result = _find_key_or_value(scan_toml(text), offset) if text is not None else None
    if result is None:
        return None
    span, path = result
    schemas = _schemas_at(desk, place, path)
    lines = [schema["description"] for schema in schemas if "description" in schema]
    may = next(
        (summarize_schema(schema) for schema in schemas if summarize_schema(schema)),
        "",
    )
    key_name = ".".join(map(str, path))
    return HoverText(span, (f"`{key_name}{f': {may}' if may else ''}`", *dict.fromkeys(lines))) if lines else None


def _find_key_or_value(places: TomlPlaces, offset: int) -> tuple[Span, TomlPath] | None:
    every = (*places.keys.items(), *places.values.items())
    around = [(span.end - span.start, span, path) for path, span in every if span.start <= offset <= span.end]
    result = min(around, key=lambda item: item[0], default=None)
    return None if result is None else (result[1], tuple(item for item in result[2] if isinstance(item, str)))


def _schemas_at(desk: Workspace, place: str, path: TomlPath) -> list[JsonSchema]:
    """With names of the project's rulesets, and settings of each."""
    whole = strip_message_words(project_schema())
    keys = dict(whole["properties"])
    if path[:1] == ("rulesets",):
        keys["rulesets"] = {**keys["rulesets"], "items": {"enum": list(_list_project_rulesets(desk, place))}}
    if path[:1] == ("findings",):
        keys["findings"] = {**keys["findings"], "properties": _findings_schema()}
    if path[:1] == ("readings",):
        named: JsonSchema = {name: {"type": "object"} for name in _main_files_by_name(desk, place)}
        if len(path) >= _READINGS_PATH_LENGTH:
            named[str(path[1])] = {
                "type": "object",
                "properties": _settings_properties(_load_named_ruleset(desk, place, str(path[1]))),
            }
        keys["readings"] = {**keys["readings"], "properties": named}
    whole = {**whole, "properties": keys}
    return list(schemas_at_path(whole, path, whole))


@cache
def _findings_schema() -> JsonSchema:
    """Finding codes with title and lead of their pages."""
    weights = strip_message_words(project_schema())["properties"]["findings"]["properties"]
    pages = [result for code in list_page_files() if (result := find_page(code)) is not None]
    weighable = [page for page in pages if page.severity != Severity.ERROR.value]
    return {
        diagnostic_page.code: {
            **weights[diagnostic_page.code],
            "description": f"{diagnostic_page.title}: a {diagnostic_page.severity} unless you change it",
        }
        for diagnostic_page in weighable
    }


def _settings_properties(known: AnalysisSnapshot | None) -> JsonSchema:
    """Settings of a ruleset with title, current value and possible values."""
    program = known.loaded.program if known is not None else None
    return (
        {}
        if program is None
        else {setting.name: _reading_schema(setting, program) for setting in program.settings.values()}
    )


def _reading_schema(setting: Setting, program: Program) -> JsonSchema:
    says = f"{setting.title}: the rules take `{render_default_reading(setting, program)}`".removeprefix(": ")
    match setting.type:
        case WordType(values):
            return {"enum": [word.name for word in program.values[values].words], "description": says}
        case FlagType():
            return {"enum": ["yes", "no"], "description": says}
        case _:
            return {"description": says}


def _list_project_rulesets(desk: Workspace, place: str) -> Iterator[str]:
    top = posixpath.dirname(place)
    for name in list_rulesets(top or ".", desk.readable_files()).names:
        yield posixpath.relpath(name, top or ".")


def _main_files_by_name(desk: Workspace, place: str) -> Mapping[str, str]:
    """By the names that rulesets give themselves."""
    return find_rulesets_by_name((posixpath.dirname(place) or ".",), desk.readable_files())


def _load_named_ruleset(desk: Workspace, place: str, name: str) -> AnalysisSnapshot | None:
    main = _main_files_by_name(desk, place).get(name)
    return desk.last_good_snapshot(locate_ruleset(main, desk.readable_files())) if main is not None else None
