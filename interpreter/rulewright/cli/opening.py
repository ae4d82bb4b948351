"""From the options of `run` and `play` to a play that can begin."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rulewright.cli.choosing import chosen_case, chosen_procedure, is_scenario, scenarios_of
from rulewright.cli.loading import load_program, value_of
from rulewright.cli.reading import files_for, read_text
from rulewright.cli.stop import Stop, complaint
from rulewright.diagnostics import Diagnostic
from rulewright.drivers.session import Begun
from rulewright.frozen import dataclass
from rulewright.inputs.arguments import read_arguments
from rulewright.inputs.flags import NO_TEXT, read_flags
from rulewright.inputs.nodes import Key, Node
from rulewright.inputs.nodes import Mapping as Written
from rulewright.inputs.script import Script, read_script
from rulewright.inputs.state_file import read_state
from rulewright.inputs.yaml_places import read
from rulewright.machine.compile import compile_program
from rulewright.machine.executable import Executable
from rulewright.machine.limits import Limits
from rulewright.program.declarations import Program
from rulewright.scenarios.beginning import Rules, opening
from rulewright.scenarios.fields import Named
from rulewright.scenarios.merging import merged_mappings
from rulewright.scenarios.suite import Case
from rulewright.source import Span, Text
from rulewright.workspace import Loaded


@dataclass(frozen=True, slots=True)
class Asked:
    """What a command line asks to play.

    Attributes:
        ruleset: file, folder or shipped name; or a scenario file.
        procedure: its name, or that of a scenario; none where there is one alone.
        overlays: files that amend the ruleset.
        state: the state file, or none.
        roles: `role=id`, as written.
        settings: `setting=value`, as written.
        script: the script, or none.
        unscripted: whether any script is left out.
        limits: those given.
        traced: whether the play is recorded, to be told afterwards.
    """

    ruleset: str
    procedure: str | None
    overlays: Sequence[str]
    state: str | None
    roles: Sequence[str]
    settings: Sequence[str]
    script: str | None
    unscripted: bool
    limits: Mapping[str, Any]
    traced: bool = True


@dataclass(frozen=True, slots=True)
class Opening:
    """A play that can begin, its script, and every text read on the way.

    Attributes:
        begun: it.
        script: answers, or none.
        texts: by name.
        ruleset: file, folder or shipped name.
        overlays: files that amend it.
        case: the scenario it is taken from, as its file has it, or none.
    """

    begun: Begun
    script: Script | None
    texts: Mapping[str, Text]
    ruleset: str
    overlays: Sequence[str]
    case: Case | None = None


def limits_of(options: Mapping[str, int | None]) -> dict[str, Any]:
    """The limits that were given, from the options `--max-steps` and so on."""
    return {_LIMITS[option]: limit for option, limit in options.items() if limit is not None}


_LIMITS = {
    "max_steps": "work",
    "max_depth": "depth",
    "max_members": "members",
    "max_dice": "dice",
    "max_size": "size",
}


def open_play(asked: Asked) -> Opening:
    """Reads and judges everything a play begins with.

    Raises:
        Stop: something cannot be read or does not fit; RW0788, there is no state; RW0793 to RW0795, it is not said
            what is to be played.
    """
    return _of_scenario(asked) if is_scenario(asked.ruleset) else _of_options(asked)


def _of_options(asked: Asked) -> Opening:
    program, loaded = load_program(asked.ruleset, asked.overlays)
    state = None if asked.state is None else _state_text(asked.state, asked.ruleset)
    situation = None if state is None else value_of(read_state(state, program, asked.settings), state)
    procedure = chosen_procedure(asked.procedure, program, situation, asked.ruleset)
    if state is None or situation is None:
        raise Stop([_stateless(asked.ruleset)])
    arguments = value_of(read_arguments(asked.roles, procedure, situation, program))
    script, texts = open_script(None if asked.unscripted else asked.script, program)
    executable = compile_program(program, traced=asked.traced)
    begun = Begun(executable, procedure, situation, arguments, Limits(**asked.limits))
    return Opening(begun, script, {**loaded.texts, state.name: state, **texts}, asked.ruleset, asked.overlays)


def _state_text(place: str, ruleset: str) -> Text:
    if is_scenario(place):
        remedy = f"name it in place of `{ruleset}`, without `--state`"
        raise Stop([complaint("RW0788", f"`{place}` is a whole scenario, not a state alone", remedy)])
    return read_text(place)


def _stateless(ruleset: str) -> Diagnostic:
    """RW0788, with the scenarios that stand below the ruleset and have a state."""
    remedy = f"add `--state FILE`; `rulewright schema {ruleset} state` says what stands in it"
    scenarios = scenarios_of(ruleset)
    note = [f"a scenario has its own state: name `{scenarios[0]}` in place of `{ruleset}`"] if scenarios else []
    return complaint("RW0788", "a play begins with a state, and there is none", remedy, note)


def _of_scenario(asked: Asked) -> Opening:
    """The play of a scenario, with what the options say in place of what it says."""
    files = files_for(asked.ruleset, *asked.overlays)
    rules = Rules(files) if asked.traced else Rules(files, compiled=_untraced)
    case = chosen_case(asked.ruleset, asked.procedure, rules)
    laid = _under_options(case, asked, rules.texts)
    found = opening(laid, rules, Limits(**asked.limits))
    if found.value is None:
        raise Stop(found.diagnostics, rules.texts)
    overlays = [each.text for each in laid.overlays]
    return Opening(found.value.begun, found.value.script, rules.texts, case.ruleset, overlays, case)


def _untraced(loaded: Loaded) -> Executable:
    assert loaded.program is not None
    return compile_program(loaded.program, traced=False)


def without_scenario(asked: Asked) -> Asked:
    """The same with ruleset, overlays and procedure in place of the scenario that names them."""
    if not is_scenario(asked.ruleset):
        return asked
    case = chosen_case(asked.ruleset, asked.procedure, Rules(files_for(asked.ruleset)))
    overlays = (*(each.text for each in case.overlays), *asked.overlays)
    return replace(asked, ruleset=case.ruleset, procedure=case.procedure.text, overlays=overlays)


def _under_options(case: Case, asked: Asked, texts: dict[str, Text]) -> Case:
    """A case of which nothing is judged, with the options laid over it."""
    nothing = Written((), case.place.span, case.place.pointer)
    placeless = Key("", Span(NO_TEXT, 0, 0), "")
    roles = value_of(read_flags("--with", asked.roles))
    settings = value_of(read_flags("--set", asked.settings))
    return replace(
        case,
        overlays=(*case.overlays, *(Named(each, placeless) for each in asked.overlays)),
        state=case.state if asked.state is None else _node(asked.state, texts),
        roles=_with_flags(case.roles, roles),
        settings=_with_flags(case.settings or nothing, settings),
        script=_script_of(case, asked, texts),
        covers=(),
        expect=nothing,
    )


def _with_flags(written: Written, flags: Written) -> Written:
    return replace(merged_mappings(written, flags), span=written.span, pointer=written.pointer)


def _script_of(case: Case, asked: Asked, texts: dict[str, Text]) -> Node | None:
    if asked.unscripted:
        return None
    return case.script if asked.script is None else _node(asked.script, texts)


def _node(place: str, texts: dict[str, Text]) -> Node:
    """What stands in a state or script; its text is added."""
    text = read_text(place)
    texts[text.name] = text
    return value_of(read(text), text)


def open_script(name: str | None, program: Program) -> tuple[Script | None, dict[str, Text]]:
    """The script of a file, or none where none was given."""
    if name is None:
        return None, {}
    text = read_text(name)
    return value_of(read_script(text, program), text), {text.name: text}
