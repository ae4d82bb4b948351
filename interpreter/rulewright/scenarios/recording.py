"""A play that is over as a scenario that passes; how one state differs from another, in the form of state files."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rulewright.codecs.table import to_json
from rulewright.drivers.session import Session
from rulewright.files import Provider
from rulewright.inputs.names import CELLS, GAME, SETTINGS, SIDES, Names
from rulewright.inputs.nodes import Json, one_line
from rulewright.inputs.script import ALWAYS, ANSWER, script_text
from rulewright.inputs.state_json import state_json
from rulewright.inputs.value_reader import starting
from rulewright.machine.layout import start_value
from rulewright.machine.request import Ended, Faulted, Refused
from rulewright.machine.state import Situation
from rulewright.program.declarations import Field, Program
from rulewright.telling.happenings import reason

WIDEST = 110
_NOTHING: dict[str, Json] = {}


def named(id_: str) -> Json:
    """An id as people write it: `1` for a step of that number."""
    return int(id_) if id_.isdecimal() and str(int(id_)) == id_ else id_


def laid(key: str, data: Json, indent: int) -> Iterator[str]:
    """A key with its data: in one line where there is room, else one line for each entry; at the margin always so."""
    start = f"{' ' * indent}{one_line(key)}:"
    line = f"{start} {one_line(data)}"
    if not isinstance(data, dict) or not data or (indent and len(line) <= WIDEST):
        yield line
        return
    yield start
    for inner, node in data.items():
        yield from laid(inner, node, indent + 2)


_State = dict[str, Json]


def changes_of(session: Session) -> _State:
    """What a play changed, from its start to where it stands; it was not refused."""
    assert session.state is not None
    begun = session.begun
    program = begun.executable.program
    before, after = state_json(begun.situation, program), state_json(session.state.situation(), program)
    return differing(before, after, program, begun.names)


def differing(before: _State, after: _State, program: Program, names: Names) -> _State:
    """What has to be laid over the first state for the second: only what differs.

    Places of a board that are as at first are left out of a state; where they were otherwise before they are told.
    """
    told = dict(after)
    for board in program.boards.values():
        for part, fields in ((CELLS, board.fields), (SIDES, board.sides)):
            told = _with_gone(told, before, board.name, part, _starts(fields, names))
    for name in (*program.relations, "removed"):
        if name in before:
            told.setdefault(name, [])
    found = _differing(before, told)
    return found if isinstance(found, dict) else {}


def _with_gone(after: _State, before: _State, board: str, part: str, starts: dict[str, Json]) -> _State:
    """A state with the places that are as at first again."""
    held, now = before.get(board), after.get(board)
    places = held.get(part) if isinstance(held, dict) else None
    if not isinstance(places, dict) or not isinstance(now, dict):
        return after
    there = now.get(part)
    kept = there if isinstance(there, dict) else {}
    return {**after, board: {**now, part: {**dict.fromkeys(places, starts), **kept}}}


def _differing(before: Json, after: Json) -> Json:
    if not isinstance(before, dict) or not isinstance(after, dict):
        return after
    return {
        key: _differing(before[key], node) if key in before else node
        for key, node in after.items()
        if key not in before or before[key] != node
    }


def recording(  # noqa: PLR0913, PLR0917
    session: Session,
    ruleset: str,
    overlays: Sequence[str],
    file: str,
    provider: Provider,
    state: Mapping[str, Json] | None = None,
    more: Mapping[str, Json] = _NOTHING,
    roles: Mapping[str, Json] | None = None,
) -> str:
    """The text of a scenario file with this play; ruleset and overlays are named from where the file will stand.

    The play has ended, was refused or met a fault. State and roles are written as they are given, with who gave each
    answer and where, so that another revision cannot take it for something else; else without what goes without saying.
    More may be expected than what the play came to.
    """
    begun = session.begun
    folder = posixpath.dirname(file)
    lines = [f"ruleset: {one_line(way_from(folder, ruleset, provider))}"]
    if overlays:
        lines.append(f"overlays: {one_line([way_from(folder, each, provider) for each in overlays])}")
    lines.append(f"procedure: {one_line(begun.procedure.name)}")
    given = begun.arguments_json() if roles is None else dict(roles)
    lines += [f"with: {one_line(given)}"] if given else []
    lines += laid("state", in_short(begun.situation, begun.executable.program) if state is None else dict(state), 0)
    lines += ["scenarios:", "  recorded:"]
    lines += _bare_script(session) if state is None else _script(session)
    lines += laid("expect", {**_expected(session), **more}, 4)
    return "\n".join(lines) + "\n"


def way_from(folder: str, place: str, provider: Provider) -> str:
    """The way from a folder to a file or folder; a name stays as it is."""
    if not provider.sort(place):
        return place
    here, there = provider.identity(folder or "."), provider.identity(place)
    return posixpath.relpath(there, here)


def _script(session: Session) -> Iterator[str]:
    answers = script_text(session.answers()).splitlines()
    if not session.turns:
        return
    yield "    script:"
    yield from (f"      {line}" for line in answers)


def _bare_script(session: Session) -> Iterator[str]:
    """The answers alone: each question takes the next, and none is left out."""
    answers = [answer for _, _, answer in session.answers()]
    if not answers:
        return
    bare: list[Json] = [_entry(each) for each in answers]
    line = f"    script: {one_line(bare)}"
    if len(line) <= WIDEST:
        yield line
        return
    yield "    script:"
    yield from (f"      - {one_line(each)}" for each in bare)


def _entry(answer: Json) -> Json:
    """An answer as an entry of a script; one that could be taken for an entry with more in it is put into one."""
    return {ANSWER: answer} if isinstance(answer, dict) and answer.keys() & {ANSWER, ALWAYS} else answer


def in_short(situation: Situation, program: Program) -> dict[str, Json]:
    """The data of a state as people write it: attributes as at first and settings as the rules have them are left out.

    Things of a kind that have nothing else to say are a list of ids.
    """
    names, whole = Names(program, situation.base), state_json(situation, program)
    for kind in program.kinds.values():
        things, starts = whole[kind.plural], _starts(kind.fields, names)
        assert isinstance(things, dict)
        left: dict[str, Json] = {id_: _otherwise(thing, starts) for id_, thing in things.items()}
        ids: list[Json] = [*left]
        whole[kind.plural] = left if any(left.values()) else ids
    whole[GAME] = _otherwise(whole.get(GAME, {}), _starts(program.game.values(), names))
    settings = {each.name: to_json(starting(each), each.type, names) for each in program.settings.values()}
    whole[SETTINGS] = _otherwise(whole.get(SETTINGS, {}), settings)
    return {key: each for key, each in whole.items() if each not in ([], {})}


def _starts(fields: Iterable[Field], names: Names) -> dict[str, Json]:
    return {
        each.name: to_json(start_value(each.start, each.type), each.type, names)
        for each in fields
        if each.start is not None
    }


def _otherwise(written: Json, starts: Mapping[str, Json]) -> dict[str, Json]:
    """What is not as at first."""
    assert isinstance(written, dict)
    return {name: each for name, each in written.items() if name not in starts or starts[name] != each}


def _expected(session: Session) -> dict[str, Json]:
    outcome, begun = session.outcome, session.begun
    if isinstance(outcome, Refused):
        return {"refused": [reason(each, begun.names) for each in outcome.reasons]}
    steps = [named(each.address.partition("/")[2]) for each in session.entries if each.sort == "step"]
    expected: dict[str, Json] = {"path": steps, "changes": changes_of(session)}
    if isinstance(outcome, Faulted):
        return {"fault": outcome.code, **expected}
    assert isinstance(outcome, Ended)
    result = begun.procedure.result
    return expected if result is None else {"result": to_json(outcome.result, result, begun.names), **expected}
