"""Situations and plays that people wrote, beside a ruleset and in its scenarios."""

import json
import posixpath
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as MappingOf
from dataclasses import replace

from rulewright.comparing.playing.states import State
from rulewright.diagnostics import has_errors
from rulewright.drivers.run import run
from rulewright.drivers.session import Session
from rulewright.files import Provider
from rulewright.files import read as read_file
from rulewright.inputs.nodes import Json, Mapping, Node, Scalar
from rulewright.inputs.save import Save
from rulewright.inputs.sections import GAME, SETTINGS, Sections
from rulewright.inputs.state_file import state_of
from rulewright.inputs.state_json import state_json
from rulewright.inputs.yaml_places import read
from rulewright.machine.compile import compile_program
from rulewright.machine.limits import Limits
from rulewright.machine.situation import Situation
from rulewright.program.declarations import Program
from rulewright.scenarios.beginning import opened
from rulewright.scenarios.finding import ENDING
from rulewright.scenarios.ruled import Ruled
from rulewright.scenarios.suite import Case
from rulewright.source import Text
from rulewright.workspace import locate

_FOLDERS = ("", "examples")
_ENDINGS = (".yaml", ".yml", ".json")


def fixtures(program: Program, home: str, cases: Sequence[Case], provider: Provider) -> tuple[Situation, ...]:
    """The states beside a ruleset, in its folder and the one for examples, then those of scenarios; each once.

    What is no state of this program is passed over.
    """
    nodes = [*_beside(home, provider), *(each.state for each in cases)]
    found: dict[str, Situation] = {}
    for each in _situations(nodes, program):
        found.setdefault(json.dumps(state_json(each, program), sort_keys=True), each)
    return tuple(found.values())


def recorded(program: Program, cases: Iterable[Case]) -> tuple[Save, ...]:
    """The plays of scenarios that are written for a program, one of each, as far as their answers go.

    What cannot begin is passed over, and so is what a scenario expects.
    """
    ruled = Ruled(compile_program(program, traced=False), frozenset())
    begun = ((case, opened(replace(case, covers=()), ruled, Limits()).value) for case in cases if not case.skip)
    return tuple(
        saved(run(each.begun, each.sources(case, 0)).session, case) for case, each in begun if each is not None
    )


def saved(session: Session, case: Case) -> Save:
    """A play of a scenario as it was written: what is left to defaults, start values and readings is left out."""
    save, program = session.save(), session.begun.executable.program
    arguments = {role: value for role, value in save.arguments.items() if role in case.roles}
    start = as_written(dict(save.start), case.state, program)
    readings = set() if case.settings is None else {key.text for key, _ in case.settings}
    whole = save.start.get(SETTINGS)
    if readings and isinstance(whole, dict):
        named = {Sections(program).settings.get(each) for each in readings}
        written = start.get(SETTINGS)
        given = written if isinstance(written, dict) else {}
        start[SETTINGS] = {**given, **{name: value for name, value in whole.items() if name in named}}
    return replace(save, arguments=arguments, start=start)


def as_written(whole: State, written: Node, program: Program) -> State:
    """A state as far as somebody wrote it, from the same with every value."""
    sections = Sections(program)
    if not isinstance(written, Mapping):
        return whole
    given = {sections.names[key.text]: each for key, each in written if key.text in sections.names}
    things = {kind.plural for kind in program.kinds.values()}
    spelled = {GAME: sections.game, SETTINGS: sections.settings}
    found: State = {}
    for key, data in whole.items():
        if key in things and key in given and isinstance(data, dict):
            found[key] = {id_: _of_thing(each, id_, given[key]) for id_, each in data.items()}
        elif key in spelled and key in given and isinstance(data, dict):
            found[key] = _said(data, given[key], spelled[key])
        elif key in given:
            found[key] = data
    return found


def _of_thing(data: Json, id_: str, things: Node) -> Json:
    """The attributes of a thing that were written: none of one that is only listed."""
    if isinstance(things, Mapping):
        given = things.get(id_)
        if isinstance(given, Mapping) and isinstance(data, dict):
            return {name: value for name, value in data.items() if name in given}
        return {} if isinstance(given, Scalar) else data
    return {}


def _said(data: dict[str, Json], given: Node, spelled: MappingOf[str, str]) -> Json:
    names = {spelled.get(key.text) for key, _ in given} if isinstance(given, Mapping) else set()
    return {name: value for name, value in data.items() if name in names}


def fitting(cases: Iterable[Case], main: str, overlays: Sequence[str], provider: Provider) -> Iterator[Case]:
    """The scenarios of a ruleset with exactly these overlays, by the places of their files."""
    rules, amending = provider.identity(main), {*map(provider.identity, overlays)}
    for case in cases:
        located = locate(case.ruleset, provider)
        named = {provider.identity(each) for each in (*located.overlays, *(each.text for each in case.overlays))}
        if located.main is not None and provider.identity(located.main) == rules and named == amending:
            yield case


def _beside(home: str, provider: Provider) -> Iterator[Node]:
    for folder in _FOLDERS:
        place = posixpath.join(home, folder)
        for name in provider.files(place):
            if name.endswith(_ENDINGS) and not name.endswith(ENDING):
                text = read_file(posixpath.join(place, name), provider)
                node = read(text).value if isinstance(text, Text) else None
                if node is not None:
                    yield node


def _situations(nodes: Iterable[Node], program: Program) -> Iterator[Situation]:
    for node in nodes:
        found = state_of(node, program)
        if found.value is not None and not has_errors(found.diagnostics):
            yield found.value
