"""Recording of a finished play as a scenario that passes; difference of two states in the form of state files."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rulewright.base.files import FileProvider
from rulewright.documents.answer_scripts import ALWAYS, ANSWER, format_script
from rulewright.documents.document_nodes import Json, format_one_line
from rulewright.documents.name_table import CELLS, GAME, SETTINGS, SIDES, NameTable
from rulewright.documents.state_json import state_to_json
from rulewright.documents.value_reader import initial_value
from rulewright.play.session import Session
from rulewright.program.declarations import Field, Program
from rulewright.runtime.request import Ended, Faulted, Refused
from rulewright.runtime.state import Situation, evaluate_start_value
from rulewright.runtime.type_codecs import value_to_json
from rulewright.scenarios.scenario_files import SCENARIO_SUFFIX
from rulewright.wording.entry_rendering import render_reason

MAX_LINE_CHARS = 110
_NO_EXPECTATIONS: dict[str, Json] = {}


def id_to_json(id_: str) -> Json:
    """Id as people write it in YAML: `1` for a step of that number."""
    return int(id_) if id_.isdecimal() and str(int(id_)) == id_ else id_


def format_yaml_lines(key: str, data: Json, indent: int) -> Iterator[str]:
    """YAML of a key with its data: on one line where it fits, else one line per entry; at the margin always the latter."""
    start = f"{' ' * indent}{format_one_line(key)}:"
    line = f"{start} {format_one_line(data)}"
    if not isinstance(data, dict) or not data or (indent and len(line) <= MAX_LINE_CHARS):
        yield line
        return
    yield start
    for inner, node in data.items():
        yield from format_yaml_lines(inner, node, indent + 2)


_StateData = dict[str, Json]


def session_changes(session: Session) -> _StateData:
    """Changes of a play from its start to its current state; it was not refused."""
    assert session.state is not None
    start = session.start
    program = start.executable.program
    before, after = state_to_json(start.situation, program), state_to_json(session.state.extract_situation(), program)
    return diff_states(before, after, program, start.names)


def diff_states(before: _StateData, after: _StateData, program: Program, names: NameTable) -> _StateData:
    """Patch from the first state to the second.

    Places of a board with start values are left out of a state; where the first state has others, the patch restores
    them.
    """
    restored = dict(after)
    for board in program.boards.values():
        for part, fields in ((CELLS, board.fields), (SIDES, board.sides)):
            restored = _restore_defaults(restored, before, board.name, part, _start_values(fields, names))
    for name in (*program.relations, "removed"):
        if name in before:
            restored.setdefault(name, [])
    mapping = _diff_data(before, restored)
    return mapping if isinstance(mapping, dict) else {}


def _restore_defaults(
    after: _StateData, before: _StateData, board: str, part: str, starts: dict[str, Json]
) -> _StateData:
    board_before, now = before.get(board), after.get(board)
    places = board_before.get(part) if isinstance(board_before, dict) else None
    if not isinstance(places, dict) or not isinstance(now, dict):
        return after
    there = now.get(part)
    written = there if isinstance(there, dict) else {}
    return {**after, board: {**now, part: {**dict.fromkeys(places, starts), **written}}}


def _diff_data(before: Json, after: Json) -> Json:
    if not isinstance(before, dict) or not isinstance(after, dict):
        return after
    return {
        key: _diff_data(before[key], node) if key in before else node
        for key, node in after.items()
        if key not in before or before[key] != node
    }


def record_scenario(  # noqa: PLR0913, PLR0917
    session: Session,
    ruleset: str,
    overlays: Sequence[str],
    file: str,
    provider: FileProvider,
    state: Mapping[str, Json] | None = None,
    more: Mapping[str, Json] = _NO_EXPECTATIONS,
    roles: Mapping[str, Json] | None = None,
    name: str = "recorded",
) -> str:
    """Text of a scenario file with this play, which it calls `name`; ruleset and overlays are named relative to `file`.

    The play has ended, was refused or met a fault. A given state and roles are written as they are, with the address
    and player of each answer, so that another revision cannot mistake it; otherwise defaults are left out. `more` adds
    expectations.
    """
    start = session.start
    given = start.arguments_to_json() if roles is None else dict(roles)
    whole = shorten_state(start.situation, start.executable.program) if state is None else dict(state)
    lines = [
        *render_scenario_head(file, ruleset, overlays, provider, {"procedure": start.procedure.name, "with": given})
    ]
    lines += format_yaml_lines("state", whole, 0)
    lines += ["scenarios:", f"  {format_one_line(name)}:"]
    lines += _bare_script_lines(session) if state is None else _script_lines(session)
    lines += format_yaml_lines("expect", {**_recorded_expectations(session), **more}, 4)
    return "\n".join(lines) + "\n"


def render_scenario_head(
    file: str, ruleset: str, overlays: Sequence[str], files: FileProvider, entries: Mapping[str, Json]
) -> Iterator[str]:
    """First lines of a scenario file: its rules by their paths from `file`, then the entries that are not empty."""
    folder = posixpath.dirname(file)
    places: list[Json] = [relative_place(folder, overlay, files) for overlay in overlays]
    for key, data in {"ruleset": relative_place(folder, ruleset, files), "overlays": places, **entries}.items():
        if data:
            yield f"{key}: {format_one_line(data)}"


def name_by_file(file: str) -> str:
    """What the scenario of a file is called by the name of the file: `ada and ben` in `ada-and-ben.scenario.yaml`."""
    words = posixpath.basename(file).removesuffix(SCENARIO_SUFFIX).replace("-", " ").replace("_", " ").split()
    return " ".join(words) or "recorded"


def relative_place(folder: str, place: str, provider: FileProvider) -> str:
    """Path from a folder to a file or folder; a place that does not exist (a name) stays as it is."""
    if not provider.get_file_type(place):
        return place
    here, there = provider.get_identity(folder or "."), provider.get_identity(place)
    return posixpath.relpath(there, here)


def _script_lines(session: Session) -> Iterator[str]:
    if session.turns:
        yield "    script:"
        yield from (f"      {line}" for line in format_script(session.list_answers()).splitlines())


def _bare_script_lines(session: Session) -> Iterator[str]:
    bare: list[Json] = [_answer_entry(answer) for _, _, answer in session.list_answers()]
    line = f"    script: {format_one_line(bare)}"
    if bare and len(line) <= MAX_LINE_CHARS:
        yield line
    elif bare:
        yield from ("    script:", *(f"      - {format_one_line(item)}" for item in bare))


def _answer_entry(answer: Json) -> Json:
    return {ANSWER: answer} if isinstance(answer, dict) and answer.keys() & {ANSWER, ALWAYS} else answer


def shorten_state(situation: Situation, program: Program) -> dict[str, Json]:
    """Data of a state without start values and default settings.

    Things of a kind without other attributes are a list of ids.
    """
    names, whole = NameTable(program, situation.base), state_to_json(situation, program)
    for kind in program.kinds.values():
        things, starts = whole[kind.plural], _start_values(kind.fields, names)
        assert isinstance(things, dict)
        shortened: dict[str, Json] = {id_: _drop_start_values(thing, starts) for id_, thing in things.items()}
        ids: list[Json] = [*shortened]
        whole[kind.plural] = shortened if any(shortened.values()) else ids
    whole[GAME] = _drop_start_values(whole.get(GAME, {}), _start_values(program.game.values(), names))
    settings = {
        setting.name: value_to_json(initial_value(setting), setting.type, names)
        for setting in program.settings.values()
    }
    whole[SETTINGS] = _drop_start_values(whole.get(SETTINGS, {}), settings)
    return {key: item for key, item in whole.items() if item not in ([], {})}


def _start_values(fields: Iterable[Field], names: NameTable) -> dict[str, Json]:
    return {
        field.name: value_to_json(evaluate_start_value(field.start, field.type), field.type, names)
        for field in fields
        if field.start is not None
    }


def _drop_start_values(written: Json, starts: Mapping[str, Json]) -> dict[str, Json]:
    assert isinstance(written, dict)
    return {name: item for name, item in written.items() if name not in starts or starts[name] != item}


def _recorded_expectations(session: Session) -> dict[str, Json]:
    outcome, start = session.outcome, session.start
    if isinstance(outcome, Refused):
        return {"refused": [render_reason(reason, start.names) for reason in outcome.reasons]}
    steps = [id_to_json(entry.address.partition("/")[2]) for entry in session.entries if entry.sort == "step"]
    expected: dict[str, Json] = {"path": steps, "changes": session_changes(session)}
    if isinstance(outcome, Faulted):
        return {"fault": outcome.code, **expected}
    assert isinstance(outcome, Ended)
    result = start.procedure.result
    return expected if result is None else {"result": value_to_json(outcome.result, result, start.names), **expected}
