"""The same answers in scenarios, states, scripts and clause lists: problems, completion, names, what they stand for."""

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.model import by_place
from rulewright.editing.answers import Explanation, Proposal, Symbol
from rulewright.editing.desk import Desk, Known
from rulewright.editing.hover import of_name
from rulewright.editing.standing import LiveData
from rulewright.editing.yaml_cursor import YamlCursor, yaml_cursor
from rulewright.inputs.document_schemas import script_schema, settings_schema, state_schema
from rulewright.inputs.names import Sections
from rulewright.inputs.nodes import Key, Node, Scalar
from rulewright.inputs.nodes import Mapping as MappingNode
from rulewright.inputs.script import read_script
from rulewright.inputs.shapes import published
from rulewright.inputs.state_file import read_state
from rulewright.inputs.type_schemas import TypeSchemas
from rulewright.inputs.yaml_places import read as read_yaml
from rulewright.machine.faults import Limits
from rulewright.program.declarations import Program
from rulewright.references.documents import is_script, is_state, note_clauses, note_data, note_suite, things_in
from rulewright.references.gathering import ruleset_of
from rulewright.references.index import DECLARING, Index, Occurrence, index
from rulewright.references.names import Found
from rulewright.references.scenario_forms import Vocabulary
from rulewright.scenarios.loading import ENDING
from rulewright.scenarios.opening import Rules, opened_case
from rulewright.scenarios.schema import scenario_schema
from rulewright.source import Span, Text
from rulewright.workspace import Located, locate
from rulewright.workspace.clause_lists import clause_list_schema

CLAUSES = ".clauses.yaml"
_ABOVE = 3
"""How many folders above a state or script its ruleset may be."""


@dataclass(frozen=True)
class Document:
    """A text of data that is open, with what is known of the ruleset that it belongs to."""

    live: LiveData  # as it is written, and as it could be read last
    known: Known | None  # of its ruleset, as it was last without errors; none where it belongs to none
    sort: str  # `scenarios`, `clauses`, `state`, `script`, or empty where that is not told yet

    @property
    def text(self) -> Text:
        """The text as it is written."""
        return self.live.text

    @property
    def program(self) -> Program | None:
        """The program of its ruleset."""
        return self.known.loaded.program if self.known is not None else None


def document(desk: Desk, place: str) -> Document:
    """An open text of data."""
    live, located = desk.data(place), home(desk, place)
    known = desk.good(located) if located is not None else None
    return Document(live, known, _sort(place, live.said, known))


def home(desk: Desk, place: str) -> Located | None:
    """The ruleset that a text of data belongs to: the one that it names, else that of its folder, or of one above."""
    files = desk.standing_files()
    if place.endswith(ENDING):
        located = locate(ruleset_of(place, files)[0], files)
        return located if located.main is not None else None
    folder = posixpath.dirname(place) or "."
    for _ in range(_ABOVE):
        located = locate(folder, files)
        if located.main is not None:
            return located
        folder = posixpath.normpath(posixpath.join(folder, ".."))
    return None


def _sort(place: str, root: Node | None, known: Known | None) -> str:
    if place.endswith(ENDING):
        return "scenarios"
    if place.endswith(CLAUSES):
        return "clauses"
    if known is None or root is None:
        return ""
    return "state" if is_state(root, known.names) else "script" if is_script(root, known.names) else ""


def problems(desk: Desk, place: str) -> tuple[Diagnostic, ...]:
    """What is wrong with a text of data, in order of place: its writing, its shape, and names that its ruleset lacks.

    Of scenarios nothing is played, so that what they expect is judged by `rulewright test` alone.
    """
    made = document(desk, place)
    read = read_yaml(made.text)
    found: list[Diagnostic] = list(read.diagnostics)
    program = made.program
    if read.value is None or program is None:
        return tuple(found)
    if made.sort == "scenarios":
        found.extend(_of_scenarios(desk, made))
    elif made.sort == "state":
        found.extend(read_state(made.text, program).diagnostics)
    elif made.sort == "script":
        found.extend(read_script(made.text, program).diagnostics)
    elif made.sort == "clauses" and made.known is not None:
        found.extend(made.known.loaded.diagnostics)
    return by_place(each for each in found if each.primary is not None and each.primary.span.source == place)


def _of_scenarios(desk: Desk, made: Document) -> Iterator[Diagnostic]:
    files = desk.standing_files()
    rules = Rules(files, compiled=desk.compiled, loader=desk.load)
    suite = rules.suite(made.text)
    yield from suite.diagnostics
    for case in suite.value.cases if suite.value is not None else ():
        ruled = None if case.wrong else rules.of(case)
        yield from case.wrong
        if ruled is None or case.after is not None:
            continue
        if ruled.value is None:
            yield from (each for each in ruled.diagnostics if each.primary is not None)
        else:
            yield from opened_case(case, ruled.value, Limits()).diagnostics


def names(desk: Desk, place: str) -> Index:
    """Where the names of its ruleset occur in a text of data; of one that cannot be read where they were last."""
    made = document(desk, place)
    if made.known is None:
        return Index(())
    found = Found(texts={place: made.live.readable})
    vocabulary = made.known.kept("vocabulary", partial(Vocabulary, made.known.names))
    note = {"scenarios": note_suite, "clauses": note_clauses}.get(made.sort, note_data)
    note(made.live.readable, vocabulary, found)
    noted = index(found.occurrences)
    if made.live.readable is made.text:
        return noted
    moved = ((each, made.live.alignment.new(each.span)) for each in noted.occurrences)
    return Index(tuple(Occurrence(each.target, each.role, span, each.sure) for each, span in moved if span is not None))


def explanation(desk: Desk, place: str, offset: int) -> Explanation | None:
    """What is known of the name at an offset."""
    found, known = names(desk, place).at(place, offset), document(desk, place).known
    if found is None or known is None:
        return None
    return Explanation(found.span, tuple(of_name(known, known, found, {})))


def definition(desk: Desk, place: str, offset: int) -> tuple[Span, ...]:
    """Where the name at an offset is given in rules, or a clause in its list."""
    found, known = names(desk, place).at(place, offset), document(desk, place).known
    if found is None or known is None:
        return ()
    linked = known.loaded.linked
    entries = [each for listed in linked.clauses.values() for each in listed] if linked is not None else []
    listed = (each.span for each in entries if found.target.sort == "clause" and each.id == found.target.address)
    given = (each.span for each in known.index.of(found.target) if each.role in DECLARING)
    return tuple(each for each in (*given, *listed) if each is not None)


def symbols(desk: Desk, place: str) -> tuple[Symbol, ...]:
    """The scenarios of a file with their cases, the clauses of a list, the sections of a state."""
    made = document(desk, place)
    root = made.live.root
    if not isinstance(root, MappingNode):
        return ()
    if made.sort == "clauses":
        listed = root.get("clauses")
        entries = [each.get("id") for each in getattr(listed, "items", ()) if isinstance(each, MappingNode)]
        return tuple(
            Symbol(each.written, "clause", "", each.span, each.span) for each in entries if isinstance(each, Scalar)
        )
    below = root.get("scenarios") if made.sort == "scenarios" else root
    sort = "scenario" if made.sort == "scenarios" else "section"
    entries_ = below.entries if isinstance(below, MappingNode) else ()
    return tuple(_symbol(key, node, sort, place) for key, node in entries_)


def _symbol(key: Key, node: Node, sort: str, place: str) -> Symbol:
    cases = node.get("cases") if isinstance(node, MappingNode) and sort == "scenario" else None
    entries = cases.entries if isinstance(cases, MappingNode) else ()
    inside = tuple(_symbol(name, each, sort, place) for name, each in entries)
    end = max((key.span.end, node.span.end if node.span.source == place else 0, *(each.place.end for each in inside)))
    return Symbol(key.text, sort, "", Span(place, key.span.start, end), key.span, inside)


def proposals(desk: Desk, place: str, offset: int) -> tuple[Proposal, ...]:
    """What may stand at an offset: keys, and values where few are possible."""
    made = document(desk, place)
    cursor = yaml_cursor(made.text.content, offset)
    if cursor.in_words:
        return ()
    schema = _schema(made, cursor)
    where = Span(place, cursor.start, offset)
    found: dict[str, Proposal] = {}
    for each in _at(schema, cursor.path, schema):
        for proposal in (*_keys(each, cursor, where), *_values(each, cursor, where)):
            found.setdefault(proposal.text, proposal)
    return tuple(found.values())


def _schema(made: Document, cursor: YamlCursor) -> dict[str, Any]:
    """What the document may hold, by the names of its ruleset and the things that it tells of."""
    program, known = made.program, made.known
    if made.sort == "clauses":
        return published(clause_list_schema())
    if program is None or known is None:
        return {}
    if made.sort == "scenarios":
        whole = known.kept("scenarios", lambda: published(scenario_schema(program)))
        return _narrowed(whole, program, known, made.live.said, cursor)
    if made.sort == "script":
        return known.kept("scripts", lambda: published(script_schema(program)))
    return known.kept("states", lambda: published(state_schema(program)))


def _narrowed(
    whole: dict[str, Any], program: Program, known: Known, root: Node | None, cursor: YamlCursor
) -> dict[str, Any]:
    """The schema of scenarios with the roles of the procedure around, the things of its states, and their sections."""
    sections = Sections(program)
    plurals = {key: kind.name for key, kind in sections.kinds.items()}
    things: dict[str, list[str]] = {}
    for id_, section in things_in(root, known.names) if root is not None else ():
        things.setdefault(plurals.get(section, ""), []).append(id_)
    types = TypeSchemas(program, {kind: sorted(set(ids)) for kind, ids in things.items()})
    procedure = program.procedures.get(_procedure(root, cursor.path))
    parameters = procedure.parameters if procedure is not None else ()
    state = known.kept("states", lambda: published(state_schema(program)))
    more: dict[str, Any] = {"settings": settings_schema(sections, types), "patch": state}
    if parameters:
        more["with"] = {"properties": {each.name: types.of(each.type) for each in parameters}}
    scenario = whole["$defs"]["scenario"]
    then = whole["$defs"]["then"]
    return {
        **whole,
        "properties": {**whole["properties"], **{key: each for key, each in more.items() if key != "patch"}},
        "$defs": {
            "scenario": {**scenario, "properties": {**scenario["properties"], **more}},
            "then": {**then, "properties": {**then["properties"], **more}},
        },
    }


def _procedure(root: Node | None, path: tuple[str | int, ...]) -> str:
    """The procedure of the scenario around a place."""
    found, node = "", root
    for step in (None, *path):
        if step is not None:
            node = node.get(str(step)) if isinstance(node, MappingNode) else None
        named = node.get("procedure") if isinstance(node, MappingNode) else None
        found = named.written if isinstance(named, Scalar) else found
    return found


def _at(schema: Any, path: tuple[str | int, ...], root: dict[str, Any]) -> Iterator[dict[str, Any]]:  # noqa: ANN401
    """The schemas of what may stand at a path."""
    for each in _ways(schema, root):
        if not path:
            yield each
            continue
        step, rest = path[0], path[1:]
        if isinstance(step, int):
            fixed = each.get("prefixItems", ())
            yield from _at(fixed[step] if step < len(fixed) else each.get("items", {}), rest, root)
        elif step in each.get("properties", {}):
            yield from _at(each["properties"][step], rest, root)
        else:
            yield from _at(each.get("additionalProperties", {}), rest, root)


def _ways(schema: Any, root: dict[str, Any]) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - a schema, or a flag
    """A schema, and all that it may be instead."""
    if not isinstance(schema, dict):
        return
    if "$ref" in schema:
        yield from _ways(root.get("$defs", {}).get(schema["$ref"].rpartition("/")[2]), root)
    yield schema
    for key in ("anyOf", "oneOf", "allOf"):
        for each in schema.get(key, ()):
            yield from _ways(each, root)
    for key in ("then", "else"):
        yield from _ways(schema.get(key), root)


def _keys(schema: dict[str, Any], cursor: YamlCursor, place: Span) -> Iterator[Proposal]:
    if not cursor.is_key:
        return
    for key, each in schema.get("properties", {}).items():
        said = each if isinstance(each, dict) else {}
        yield Proposal(f"{key}: ", place, "key", _told(said), said.get("description", ""))
    for key in schema.get("propertyNames", {}).get("enum", ()):
        yield Proposal(f"{key}: ", place, "key")


def _values(schema: dict[str, Any], cursor: YamlCursor, place: Span) -> Iterator[Proposal]:
    if not cursor.is_value:
        return
    listed = [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else ())]
    for each in listed:
        if isinstance(each, str):
            yield Proposal(each, place, "value", title=schema.get("description", ""))
    if schema.get("type") == "boolean":
        yield from (Proposal(each, place, "value") for each in ("yes", "no"))


def _told(schema: Mapping[str, Any]) -> str:
    """What a value may be, in a few words."""
    if "enum" in schema:
        return ", ".join(str(each) for each in schema["enum"][:_ABOVE]) + (" …" if len(schema["enum"]) > _ABOVE else "")
    if "minimum" in schema and "maximum" in schema:
        return f"{schema['minimum']}..{schema['maximum']}"
    return ""
