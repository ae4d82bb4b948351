"""The same answers in scenarios, states, scripts, likelihoods, saves and clause lists: problems, completion, names."""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.model import by_place
from rulewright.editing import by_schema
from rulewright.editing.answers import Explanation, Proposal, Symbol
from rulewright.editing.by_schema import Schema
from rulewright.editing.desk import Desk, Known
from rulewright.editing.hover import of_name
from rulewright.editing.standing import LiveData
from rulewright.editing.yaml_cursor import YamlCursor, yaml_cursor
from rulewright.inputs.document_schemas import script_schema, settings_schema, state_schema
from rulewright.inputs.names import CSV, DEFAULTS, Sections
from rulewright.inputs.nodes import (
    Items,
    Key,
    Mapping as MappingNode,
    Node,
    Scalar,
    entries_below,
    entries_of,
    value_under,
)
from rulewright.inputs.save import FORMAT, open_save
from rulewright.inputs.script import read_script
from rulewright.inputs.shapes import published
from rulewright.inputs.state_file import read_state
from rulewright.inputs.tables import Tables
from rulewright.inputs.type_schemas import TypeSchemas
from rulewright.inputs.yaml_places import read as read_yaml
from rulewright.odds.elsewhere import LIKELIHOODS, likelihoods, policies_said, read_likely
from rulewright.program.declarations import Program
from rulewright.references.documents import (
    note_clauses,
    note_data,
    note_likelihoods,
    note_script,
    note_state,
    note_suite,
    script_share,
    state_share,
)
from rulewright.references.gathering import ruleset_of
from rulewright.references.index import DECLARING, Index, Occurrence, index
from rulewright.references.names import Found
from rulewright.references.scenario_forms import Vocabulary
from rulewright.scenarios.loading import ENDING
from rulewright.scenarios.opening import Rules
from rulewright.scenarios.play import foreseen
from rulewright.scenarios.schema import scenario_schema
from rulewright.source import Span, Text
from rulewright.workspace import Located, locate
from rulewright.workspace.clause_lists import clause_list_schema
from rulewright.workspace.locate import overlays_below
from rulewright.workspace.policies import laid_policies

CLAUSES = ".clauses.yaml"
_ENDINGS = {ENDING: "scenarios", CLAUSES: "clauses", LIKELIHOODS: "likelihoods"}
_HALF = Fraction(1, 2)
_ABOVE = 3
"""How many folders above a state or script its ruleset may be."""
_UNKNOWN = frozenset({"RW0710", "RW0715", "RW0722", "RW0740", "RW1126"})
"""Keys, words, settings, addresses and externals that are not there."""
_NOTING = {
    "scenarios": note_suite,
    "clauses": note_clauses,
    "likelihoods": note_likelihoods,
    "state": note_state,
    "script": note_script,
}


@dataclass(frozen=True)
class Document:
    """A text of data that is open, with what is known of the ruleset that it belongs to."""

    live: LiveData  # as it is written, and as it could be read last
    known: Known | None  # of its ruleset, as it was last without errors; none where it belongs to none
    sort: str  # `scenarios`, `clauses`, `likelihoods`, `state`, `script`, `save`, or empty where that is not told yet

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
    live.sort = _sort(place, live.said, known) or live.sort
    return Document(live, known, live.sort)


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
    """The sort of a document: by its name, else by what most of its keys are."""
    for ending, sort in _ENDINGS.items():
        if place.endswith(ending):
            return sort
    named = value_under(root, "format")
    if isinstance(named, Scalar) and named.value == FORMAT:
        return "save"
    if known is None or root is None:
        return ""
    shares = {"state": state_share(root, known.names), "script": script_share(root, known.names)}
    return max(shares, key=lambda each: shares[each]) if max(shares.values()) > _HALF else ""


def problems(desk: Desk, place: str) -> tuple[Diagnostic, ...]:
    """What is wrong with a text of data, in order of place: its writing, its shape, and names that its ruleset lacks.

    Of scenarios nothing is played: whether what they expect comes to be is judged by `rulewright test` alone.
    """
    made, located = document(desk, place), home(desk, place)
    read = read_yaml(made.text)
    found: list[Diagnostic] = list(read.diagnostics)
    judge = _JUDGING.get(made.sort)
    if made.sort == "save":
        found = [*open_save(made.text).diagnostics]
    elif made.sort == "clauses" and located is not None:
        found.extend(desk.known(located).loaded.diagnostics)
    elif made.sort == "scenarios" and read.value is not None:
        found.extend(_of_scenarios(desk, made))
    elif judge is not None and read.value is not None and made.program is not None and located is not None:
        found.extend(_of_the_rules(partial(judge, desk, made.text), made.program, _overlaid(desk, located)))
    return by_place(each for each in found if each.primary is not None and each.primary.span.source == place)


def _of_the_rules(
    judge: Callable[[Program], tuple[Diagnostic, ...]], program: Program, overlaid: Iterable[Program]
) -> tuple[Diagnostic, ...]:
    """What is wrong with a text under the rules, or under overlays of theirs that know more of its names.

    Which overlays it is played with no state or script says.
    """
    found = judge(program)
    for each in overlaid if found else ():
        found = min(found, judge(each), key=_strangeness)
        if not found:
            break
    return found


def _strangeness(found: Sequence[Diagnostic]) -> tuple[int, int]:
    """How many names nobody knows, and how much is wrong at all."""
    return sum(each.code in _UNKNOWN for each in found), len(found)


def _overlaid(desk: Desk, located: Located) -> Iterator[Program]:
    """A ruleset with as many of the overlays of its folder as go together, then with each alone; each is kept."""
    files, known = desk.standing_files(), desk.good(located)
    main, beside = located.main or "", overlays_below(posixpath.dirname(located.main or "") or ".", files)

    def laid(overlays: tuple[str, ...]) -> Program | None:
        def make() -> Program | None:
            return desk.load(Located(main, overlays), (), files).program

        return known.kept(f"with {overlays}", make)

    own = [each for each in beside if files.identity(locate(each, files).main or "") == files.identity(main)]
    together: tuple[str, ...] = ()
    for each in own:
        together = (*together, each) if laid((*together, each)) is not None else together
    for overlays in dict.fromkeys((together, *((each,) for each in own))):
        program = laid(overlays)
        if program is not None:
            yield program


def _of_scenarios(desk: Desk, made: Document) -> Iterator[Diagnostic]:
    rules = Rules(desk.standing_files(), compiled=desk.compiled, loader=desk.load)
    suite = rules.suite(made.text)
    yield from suite.diagnostics
    for case in suite.value.cases if suite.value is not None else ():
        yield from foreseen(case, rules)


def _of_state(desk: Desk, text: Text, program: Program) -> tuple[Diagnostic, ...]:
    return read_state(text, program, tables=Tables(desk.files(), {})).diagnostics


def _of_script(desk: Desk, text: Text, program: Program) -> tuple[Diagnostic, ...]:
    del desk
    return read_script(text, program).diagnostics


def _of_likelihoods(desk: Desk, text: Text, program: Program) -> tuple[Diagnostic, ...]:
    del desk
    said = likelihoods(text)
    if said.value is None:
        return said.diagnostics
    policies = policies_said(said.value)
    wrong = policies.diagnostics if policies.value is None else laid_policies(policies.value, program).diagnostics
    return (*read_likely(said.value, program).diagnostics, *wrong)


_JUDGING = {"state": _of_state, "script": _of_script, "likelihoods": _of_likelihoods}


def names(desk: Desk, place: str) -> Index:
    """Where the names of its ruleset occur in a text of data; of one that cannot be read where they were last."""
    made = document(desk, place)
    if made.known is None:
        return Index(())
    found = Found(texts={place: made.live.readable})
    vocabulary = made.known.kept("vocabulary", partial(Vocabulary, made.known.names))
    note = _NOTING.get(made.sort, note_data)
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
    return tuple(_symbol(key, node, sort, place) for key, node in entries_of(below))


def _symbol(key: Key, node: Node, sort: str, place: str) -> Symbol:
    cases = value_under(node, "cases") if sort == "scenario" else None
    inside = tuple(_symbol(name, each, sort, place) for name, each in entries_of(cases))
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
    schemas = list(by_schema.at(schema, cursor.path, schema))
    found = [Proposal(f"{each.written}: ", where, "key", each.takes, each.says) for each in by_schema.keys(schemas)]
    chosen = by_schema.values(schemas, ("yes", "no"))
    held = [Proposal(each.written, where, "value", title=each.says) for each in chosen]
    proposed = (*(found if cursor.is_key else ()), *(held if cursor.is_value else ()))
    return tuple({each.text: each for each in reversed(proposed)}.values())[::-1]


def _schema(made: Document, cursor: YamlCursor) -> Schema:
    """What the document may hold, by the names of its ruleset and the things that it tells of."""
    program, known = made.program, made.known
    if made.sort == "clauses":
        return published(clause_list_schema())
    if program is None or known is None:
        return {}
    if made.sort == "scenarios":
        whole = known.kept("scenarios", lambda: published(scenario_schema(program)))
        return _narrowed(whole, program, known, made.live.said, cursor)
    if made.sort == "likelihoods":
        externals = (*program.external_procedures.values(), *program.external_terms.values())
        return {"properties": {each.name: {"description": each.title} for each in externals}}
    script = known.kept("scripts", lambda: published(script_schema(program)))
    if made.sort == "script":
        return script
    state = _state(program, _things(made.live.said, program))
    return state if made.sort == "state" else {"anyOf": [state, script]}


def _state(program: Program, things: Mapping[str, Sequence[str]]) -> Schema:
    """What a state may hold, with the things that are told of wherever one is named."""
    return published(state_schema(program, things))


def _things(root: Node | None, program: Program) -> Mapping[str, list[str]]:
    """The things of the states of a document, by kind."""
    kinds = Sections(program).kinds
    found: dict[str, dict[str, None]] = {kind.name: {} for kind in kinds.values()}
    for key, node in entries_below(root):
        if key.text in kinds:
            found[kinds[key.text].name] |= dict.fromkeys(_listed(node))
    return {kind: [each for each in ids if each not in {DEFAULTS, CSV}] for kind, ids in found.items()}


def _listed(node: Node) -> list[str]:
    """The names that a mapping gives, or a list."""
    if isinstance(node, MappingNode):
        return [key.text for key, _ in node]
    return [each.written for each in node.items if isinstance(each, Scalar)] if isinstance(node, Items) else []


def _narrowed(whole: Schema, program: Program, known: Known, root: Node | None, cursor: YamlCursor) -> Schema:
    """The schema of scenarios with the roles of the procedure around, the things of its states, and clauses."""
    sections, things = Sections(program), _things(root, program)
    types, state = TypeSchemas(program, things), _state(program, things)
    named = {key: _named(state["properties"][key], things[kind.name]) for key, kind in sections.kinds.items()}
    part = {**state, "properties": {**state["properties"], **named}}
    procedure = program.procedures.get(_procedure(root, cursor.path))
    parameters = procedure.parameters if procedure is not None else ()
    shared: Schema = {"settings": settings_schema(sections, types), "state": {"anyOf": [{"type": "string"}, state]}}
    if parameters:
        shared["with"] = {"properties": {each.name: types.of(each.type) for each in parameters}}
    scenario, then = whole["$defs"]["scenario"], whole["$defs"]["then"]
    expect = scenario["properties"]["expect"]
    linked = known.loaded.linked
    clauses = [each for listed in linked.clauses.values() for each in listed] if linked is not None else []
    cited = [{"const": each.id, "description": each.says} for each in clauses]
    own: Schema = shared | {
        "patch": part,
        "covers": {"items": {"anyOf": cited}},
        "expect": {**expect, "properties": {**expect["properties"], "changes": part, "state": part}},
    }
    states = {**whole["properties"]["states"], "additionalProperties": state}
    return {
        **whole,
        "properties": {**whole["properties"], **shared, "states": states},
        "$defs": {
            "scenario": {**scenario, "properties": {**scenario["properties"], **own}},
            "then": {**then, "properties": {**then["properties"], **own}},
        },
    }


def _named(section: Schema, ids: Sequence[str]) -> Schema:
    """A section of a state in which these things are told of."""
    return {"properties": {each: {"anyOf": list(by_schema.at(section, (each,), {}))} for each in ids}}


def _procedure(root: Node | None, path: tuple[str | int, ...]) -> str:
    """The procedure of the scenario around a place."""
    found, node = "", root
    for step in (None, *path):
        if step is not None:
            node = value_under(node, str(step))
        named = value_under(node, "procedure")
        found = named.written if isinstance(named, Scalar) else found
    return found
