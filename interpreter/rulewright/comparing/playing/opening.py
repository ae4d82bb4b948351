"""From data to a play that both revisions can begin."""

from collections.abc import Mapping

from rulewright.comparing.playing.common import Common
from rulewright.comparing.playing.crossing import Ways
from rulewright.diagnostics import has_errors
from rulewright.frozen import dataclass
from rulewright.inputs.arguments import arguments_of
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json, mapping
from rulewright.machine.situation import Situation
from rulewright.machine.values import Value
from rulewright.program.declarations import Procedure, Program
from rulewright.situations.legal import situation_of


@dataclass(frozen=True, slots=True)
class Start:
    """Where a play begins in one revision: a state in the form of a state file, and roles, both as JSON."""

    state: Mapping[str, Json]
    roles: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Opened:
    """A play that both revisions can begin, each part in the old revision and in the new one.

    Attributes:
        procedures: what is begun.
        starts: as data.
        situations: as they were read.
        arguments: in the order of the parameters; nothing where one is lacking.
        common: for comparing values.
        lacking: the first parameter that is neither given nor has a default; empty where there is none.
    """

    procedures: tuple[Procedure, Procedure]
    starts: tuple[Start, Start]
    situations: tuple[Situation, Situation]
    arguments: tuple[tuple[Value, ...], tuple[Value, ...]]
    common: Common
    lacking: tuple[str, str] = ("", "")


def opened(procedures: tuple[Procedure, Procedure], starts: tuple[Start, Start], ways: Ways) -> Opened | None:
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
