"""States as data in the form of state files, carried to the other revision, and plays that both can begin."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rulewright.comparing.playing.translate_values import Common, Crossing, LostError, Ways
from rulewright.diagnostics import has_errors
from rulewright.frozen import dataclass
from rulewright.inputs.arguments import arguments_of
from rulewright.inputs.names import CELLS, GAME, REMOVED, SETTINGS, SIDES, Names
from rulewright.inputs.nodes import Json, mapping
from rulewright.machine.state import Situation
from rulewright.machine.values import Value
from rulewright.program.declarations import Field, Kind, Procedure, Program
from rulewright.situations.making import situation_of

if TYPE_CHECKING:
    from rulewright.program.expressions import Variable

State = dict[str, Json]


def carried(state: Mapping[str, Json], crossing: Crossing) -> State:
    """A state as the other revision writes it; what that does not know is left out.

    Raises:
        LostError: a value of something both know has no counterpart.
    """
    ways = (_kinds, _boards, _game, _relations, _readings)
    found = {key: value for way in ways for key, value in way(state, crossing)}
    removed = sorted(_removed(state.get(REMOVED), crossing))
    return found | ({REMOVED: list(removed)} if removed else {})


def spelled_out(state: State, whole: Mapping[str, Any], crossing: Crossing) -> State:
    """A state with the values that it leaves to start values, wherever the other revision has no start value.

    `whole` is the same state with every value.
    """
    found = dict(state)
    for kind in crossing.here.kinds.values():
        target = crossing.there.kinds.get(crossing.names.new("kind", kind.name) or "")
        if kind.plural in state and target is not None:
            needed = _Paired.of("attribute", kind.name, kind.fields, target.fields, crossing).needed()
            things = _given(state[kind.plural]) if needed else []
            if things:
                found[kind.plural] = {id_: _spelled(given, whole[kind.plural][id_], needed) for id_, given in things}
    if GAME in state:
        here, there = (tuple(each.game.values()) for each in (crossing.here, crossing.there))
        needed = _Paired.of("field", "", here, there, crossing).needed()
        found[GAME] = _spelled(state[GAME], whole[GAME], needed)
    return found


def _spelled(given: Any, whole: Mapping[str, Any], needed: Sequence[str]) -> dict[str, Any]:
    return {**{name: whole[name] for name in needed if name in whole}, **(given or {})}


_Sections = Iterator[tuple[str, Any]]


def _kinds(state: Mapping[str, Any], crossing: Crossing) -> _Sections:
    for kind in crossing.here.kinds.values():
        target = crossing.there.kinds.get(crossing.names.new("kind", kind.name) or "")
        if kind.plural in state and target is not None:
            paired = _Paired.of("attribute", kind.name, kind.fields, target.fields, crossing)
            yield target.plural, {id_: paired.carried(given) for id_, given in _given(state[kind.plural])}


def _boards(state: Mapping[str, Any], crossing: Crossing) -> _Sections:
    for board in crossing.here.boards.values():
        known = crossing.there.boards.get(crossing.names.new("board", board.name) or "")
        if board.name in state and known is not None:
            cells = _Paired.of("cell", board.name, board.fields, known.fields, crossing)
            sides = _Paired.of("side", board.name, board.sides, known.sides, crossing)
            yield known.name, _board(state[board.name], cells, sides)


def _game(state: Mapping[str, Any], crossing: Crossing) -> _Sections:
    if GAME in state and crossing.there.game:
        here, there = (tuple(each.game.values()) for each in (crossing.here, crossing.there))
        yield GAME, _Paired.of("field", "", here, there, crossing).carried(state[GAME])


def _relations(state: Mapping[str, Any], crossing: Crossing) -> _Sections:
    for name, relation in crossing.here.relations.items():
        other = crossing.names.new("relation", name) or ""
        if name in state and other in crossing.there.relations:
            for first, second in zip(relation.parameters, crossing.there.relations[other].parameters, strict=True):
                crossing.value("", first.type, second.type)
            yield other, list(state[name])


def _readings(state: Mapping[str, Any], crossing: Crossing) -> _Sections:
    found = dict(_settings(state.get(SETTINGS, {}), crossing))
    if found:
        yield SETTINGS, found


def _given(things: Any) -> list[tuple[str, Any]]:
    return [(each, {}) for each in things] if isinstance(things, list) else list(things.items())


@dataclass(frozen=True, slots=True)
class _Paired:
    """Stored fields here, by name, with their counterparts there, and whether values are written alike.

    Those of another sort of type are strangers.
    """

    crossing: Crossing
    pairs: Mapping[str, tuple[Field, Field, bool]]

    @classmethod
    def of(cls, sort: str, owner: str, here: Sequence[Field], there: Sequence[Field], crossing: Crossing) -> "_Paired":
        """The fields of one owner; they are looked for once."""
        found = crossing.fields.get((sort, owner))
        if found is None:
            found = crossing.fields[sort, owner] = cls._made(sort, owner, here, there, crossing)
        assert isinstance(found, cls)
        return found

    @classmethod
    def _made(
        cls, sort: str, owner: str, here: Sequence[Field], there: Sequence[Field], crossing: Crossing
    ) -> "_Paired":
        known = {each.name: each for each in there}
        prefix = f"{owner}/" if owner else ""
        pairs = {}
        for each in here:
            found = crossing.names.new(sort, prefix + each.name)
            name = "" if found is None else found.rpartition("/")[2]
            if name in known and type(known[name].type) is type(each.type):
                pairs[each.name] = (each, known[name], crossing.keeps(each.type, known[name].type))
        return cls(crossing, pairs)

    def needed(self) -> tuple[str, ...]:
        """Fields that start with a value here and have none there."""
        return tuple(name for name, (here, there, _) in self.pairs.items() if here.start and there.start is None)

    def carried(self, given: Mapping[str, Any] | None) -> dict[str, Any]:
        """Values of the fields that both know, under their names there."""
        found = {}
        for name, value in (given or {}).items():
            if name in self.pairs:
                here, there, kept = self.pairs[name]
                found[there.name] = value if kept else self.crossing.value(value, here.type, there.type)
        return found


def _board(given: Mapping[str, Any], cells: _Paired, sides: _Paired) -> dict[str, Any]:
    found = {key: value for key, value in given.items() if key not in {CELLS, SIDES}}
    for part, paired in ((CELLS, cells), (SIDES, sides)):
        places = {place: paired.carried(values) for place, values in given.get(part, {}).items()}
        kept = {place: values for place, values in sorted(places.items()) if values}
        found |= {part: kept} if kept else {}
    return found


def _settings(given: Mapping[str, Any], crossing: Crossing) -> Iterator[tuple[str, Any]]:
    for name, value in given.items():
        other = crossing.names.new("setting", name) or ""
        if other in crossing.there.settings:
            here, there = crossing.here.settings[name].type, crossing.there.settings[other].type
            if type(here) is type(there):
                yield other, crossing.value(value, here, there)


def _removed(given: Any, crossing: Crossing) -> Iterator[str]:
    plurals = {kind.plural: kind for kind in crossing.here.kinds.values()}
    for written in given or ():
        plural, _, id_ = written.rpartition("/")
        kind = plurals.get(plural)
        yield written if kind is None else f"{_target(kind, crossing).plural}/{id_}"


def _target(kind: Kind, crossing: Crossing) -> Kind:
    found = crossing.there.kinds.get(crossing.names.new("kind", kind.name) or "")
    if found is None:
        raise LostError
    return found


def shared_settings(state: Mapping[str, Json], crossing: Crossing) -> State:
    """A state without readings of settings that the other revision does not have."""
    given = state.get(SETTINGS)
    if not isinstance(given, dict):
        return dict(state)
    known = crossing.there.settings
    return {
        **state,
        SETTINGS: {key: each for key, each in given.items() if crossing.names.new("setting", key) in known},
    }


def carried_roles(roles: Mapping[str, Json], here: Procedure, there: Procedure, crossing: Crossing) -> dict[str, Json]:
    """Arguments by role as the other revision takes them; roles it does not have are left out.

    Raises:
        LostError: a value has no counterpart.
    """
    known: dict[str, Variable] = {each.name: each for each in there.parameters}
    found = {}
    for each in here.parameters:
        other = (crossing.names.new("parameter", f"{here.name}/{each.name}") or "").rpartition("/")[2]
        if each.name in roles and other in known:
            found[other] = crossing.value(roles[each.name], each.type, known[other].type)
    return found


@dataclass(frozen=True, slots=True)
class Start:
    """Where a play begins in one revision: a state in the form of a state file, and roles, both as JSON."""

    state: Mapping[str, Json]
    roles: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Opened:
    """A play that both revisions can begin, each part in the old revision and in the new one."""

    procedures: tuple[Procedure, Procedure]  # what is begun
    starts: tuple[Start, Start]  # as data
    situations: tuple[Situation, Situation]  # as they were read
    # in the order of the parameters; nothing where one is lacking
    arguments: tuple[tuple[Value, ...], tuple[Value, ...]]
    common: Common  # for comparing values
    # the first parameter that is neither given nor has a default; empty where there is none
    lacking: tuple[str, str] = ("", "")


def opened_in_both(procedures: tuple[Procedure, Procedure], starts: tuple[Start, Start], ways: Ways) -> Opened | None:
    """A play from its data; none where a reader refuses the state or the roles of one revision."""
    programs = ways.across.here, ways.across.there
    first = situation_of(dict(starts[0].state), programs[0])
    shared = ways.interchangeable and starts[0].state == starts[1].state
    second = first if shared else situation_of(dict(starts[1].state), programs[1])
    if first is None or second is None:
        return None
    situations = first, second
    return with_roles(procedures, starts, situations, ways)


def with_roles(
    procedures: tuple[Procedure, Procedure],
    starts: tuple[Start, Start],
    situations: tuple[Situation, Situation],
    ways: Ways,
) -> Opened | None:
    """A play from situations and roles; none where the roles of one revision do not fit, or both lack one."""
    programs = ways.across.here, ways.across.there
    lacking = lacks(procedures[0], starts[0].roles), lacks(procedures[1], starts[1].roles)
    old = () if lacking[0] else _arguments(starts[0].roles, procedures[0], situations[0], programs[0])
    new = () if lacking[1] else _arguments(starts[1].roles, procedures[1], situations[1], programs[1])
    if old is None or new is None or all(lacking):
        return None
    common = Common(ways, Names(programs[0], situations[0].base), Names(programs[1], situations[1].base))
    return Opened(procedures, starts, situations, (old, new), common, lacking)


def lacks(procedure: Procedure, roles: Mapping[str, Json]) -> str:
    """The first parameter without a default that the roles leave out; empty where there is none."""
    pairs = zip(procedure.parameters, procedure.defaults, strict=True)
    return next((each.name for each, default in pairs if default is None and each.name not in roles), "")


def _arguments(
    roles: Mapping[str, Json], procedure: Procedure, situation: Situation, program: Program
) -> tuple[Value, ...] | None:
    found = arguments_of(mapping(dict(roles)), procedure, situation, program)
    return None if has_errors(found.diagnostics) else found.value
