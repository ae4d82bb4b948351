"""From the options of `run` and `play` to a play that can begin."""

from collections.abc import Mapping, Sequence
from typing import Any

from rulewright.cli.loading import load_program, value_of
from rulewright.cli.reading import read_text
from rulewright.cli.stop import Stop, complaint
from rulewright.drivers.session import Begun
from rulewright.frozen import dataclass
from rulewright.inputs.arguments import find_procedure, read_arguments
from rulewright.inputs.script import Script, read_script
from rulewright.inputs.state_file import read_state
from rulewright.machine.compile import compile_program
from rulewright.machine.limits import Limits
from rulewright.program.declarations import Program
from rulewright.source import Text


@dataclass(frozen=True, slots=True)
class Asked:
    """What a command line asks to play.

    Attributes:
        ruleset: file, folder or shipped name.
        procedure: its name.
        overlays: files that amend the ruleset.
        state: the state file, or none.
        roles: `role=id`, as written.
        settings: `setting=value`, as written.
        script: the script, or none.
        limits: those given.
    """

    ruleset: str
    procedure: str
    overlays: Sequence[str]
    state: str | None
    roles: Sequence[str]
    settings: Sequence[str]
    script: str | None
    limits: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Opening:
    """A play that can begin, its script, and every text read on the way."""

    begun: Begun
    script: Script | None
    texts: Mapping[str, Text]


def limits_of(options: Mapping[str, int | None]) -> dict[str, Any]:
    """The limits that were given, from the options `--max-steps` and so on."""
    return {_LIMITS[option]: limit for option, limit in options.items() if limit is not None}


_LIMITS = {"max_steps": "work", "max_depth": "depth", "max_members": "members", "max_dice": "dice"}


def open_play(asked: Asked) -> Opening:
    """Reads and judges everything a play begins with.

    Raises:
        Stop: something cannot be read or does not fit; RW0788, there is no state.
    """
    program, loaded = load_program(asked.ruleset, asked.overlays)
    procedure = value_of(find_procedure(asked.procedure, program))
    if asked.state is None:
        remedy = f"add `--state FILE`; `rulewright schema {asked.ruleset} state` says what stands in it"
        raise Stop([complaint("RW0788", "a play begins with a state, and there is none", remedy)])
    state = read_text(asked.state)
    situation = value_of(read_state(state, program, asked.settings), state)
    arguments = value_of(read_arguments(asked.roles, procedure, situation, program))
    script, texts = open_script(asked.script, program)
    executable = compile_program(program, traced=True)
    begun = Begun(executable, procedure, situation, arguments, Limits(**asked.limits))
    return Opening(begun, script, {**loaded.texts, state.name: state, **texts})


def open_script(name: str | None, program: Program) -> tuple[Script | None, dict[str, Text]]:
    """The script of a file, or none where none was given."""
    if name is None:
        return None, {}
    text = read_text(name)
    return value_of(read_script(text, program), text), {text.name: text}
