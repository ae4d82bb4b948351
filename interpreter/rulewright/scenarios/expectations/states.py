"""How things stand after a play: what changed and nothing else, or a part of the state."""

from rulewright.drivers.showing import in_game, show, show_place
from rulewright.inputs.json_values import node_of
from rulewright.inputs.nodes import Mapping
from rulewright.inputs.state_file import state_of
from rulewright.inputs.state_json import state_json
from rulewright.inputs.wording import did_you_mean, one_of, quoted
from rulewright.machine.codec import changes as differences
from rulewright.machine.situation import Situation
from rulewright.machine.state import initial
from rulewright.machine.trace import Change
from rulewright.scenarios.expectations.judging import Judging
from rulewright.scenarios.merging import merged
from rulewright.scenarios.results import Miss


def changes(judging: Judging) -> tuple[Miss, ...]:
    """The whole difference: what is written replaces what was at the start, all else stays."""
    return _compared("changes", judging.session.begun.situation, judging)


def state(judging: Judging) -> tuple[Miss, ...]:
    """A part of the state at the end; what is not written may be anything."""
    assert judging.session.state is not None
    return _compared("state", judging.session.state.situation(), judging)


def _compared(what: str, base: Situation, judging: Judging) -> tuple[Miss, ...]:
    """What differs between the end and the base with what is written over it."""
    if not isinstance(judging.node, Mapping):
        judging.wrong(judging.node, "a mapping, a part of a state")
        return ()
    if not _only_known_things(judging, base):
        return ()
    found = state_of(merged(node_of(state_json(base, judging.program), ""), judging.node), judging.program)
    if found.value is None:
        judging.findings.found.extend(found.diagnostics)
        return ()
    end = judging.session.state
    assert end is not None
    different = differences(initial(found.value, end.layout), end)
    return tuple(_miss(what, each, judging) for each in different if in_game(each))


def _miss(what: str, change: Change, judging: Judging) -> Miss:
    return Miss(
        what,
        show(change.before, change.type, judging.names),
        show(change.after, change.type, judging.names),
        show_place(change, judging.names),
    )


def _only_known_things(judging: Judging, base: Situation) -> bool:
    """Whether all things named are in the state; RW1007 for each that is not."""
    assert isinstance(judging.node, Mapping)
    right = True
    for kind in judging.program.kinds.values():
        ids = base.base.things[kind.name]
        named = judging.node.get(kind.plural)
        for key, _ in named if isinstance(named, Mapping) else ():
            if key.text not in ids:
                right = False
                remedy = did_you_mean(key.text, ids) or (f"there are {one_of(ids)}" if ids else "there are none")
                judging.findings.error("RW1007", key, f"no {kind.plural} are called {quoted(key.text)}", help=remedy)
    return right
