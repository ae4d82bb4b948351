"""Saving a session, going on from a save, and writing a session as a scenario."""

import posixpath
import shlex
from collections.abc import Mapping as MappingOf, Sequence
from dataclasses import replace
from pathlib import Path

from rulewright.cli.loading import load_program, value_of
from rulewright.cli.named_files import can_write, files_for, read_text, write
from rulewright.cli.opening import Asked, PlayToBegin, open_script, without_scenario
from rulewright.cli.output import Stop, stopped
from rulewright.diagnostics.terminal import is_unicode
from rulewright.drivers.chance import Chance, fresh_seed
from rulewright.drivers.run import replay
from rulewright.drivers.session import Begun, Session
from rulewright.drivers.sources import Sources
from rulewright.files import DISK
from rulewright.inputs.arguments import arguments_of, find_procedure, read_arguments
from rulewright.inputs.findings import quoted
from rulewright.inputs.nodes import Json, Mapping
from rulewright.inputs.policies import deciding
from rulewright.inputs.save import Save, misfit, open_save, save_text, too_large
from rulewright.inputs.state_data import state_from
from rulewright.inputs.state_file import read_state
from rulewright.inputs.state_json import state_json
from rulewright.inputs.tables import Tables
from rulewright.inputs.value_reader import node_of
from rulewright.inputs.yaml_places import LARGEST_TEXT
from rulewright.machine.compile import compile_program
from rulewright.machine.faults import Limits
from rulewright.machine.run import Paused
from rulewright.program.declarations import Program
from rulewright.scenarios.loading import ENDING
from rulewright.scenarios.recording import recording, way_from
from rulewright.source import Text

_RULES = ".rules"


def rules_from(file: str, opening: PlayToBegin) -> tuple[str, tuple[str, ...]]:
    """Where the ruleset of a play and its overlays are, as seen from the folder of a file."""
    folder = posixpath.dirname(file)
    overlays = tuple(way_from(folder, each, DISK) for each in opening.overlays)
    return way_from(folder, opening.ruleset, DISK), overlays


def saved(session: Session, file: str, opening: PlayToBegin) -> str:
    """The text of a save that is to stand in a file; stops with RW0005 where it would be too large to be read."""
    session = _by_the_rules_alone(session, opening) if opening.laid.laid else session
    text = save_text(session.save(*rules_from(file, opening)))
    trouble = too_large(text)
    if trouble is not None:
        raise Stop([trouble])
    return text


def _by_the_rules_alone(session: Session, opening: PlayToBegin) -> Session:
    """The same play under the rules without policies for single questions, whose names frames of a save do not have."""
    program, _ = load_program(opening.ruleset, opening.overlays)
    procedure = program.procedures[session.begun.procedure.name]
    begun = replace(session.begun, executable=compile_program(program, traced=True), procedure=procedure)
    return value_of(replay(begun, replace(session.sources, script=None), replace(session.save(), state=None)))


def resume(file: str, asked: Asked, *, seed: int | None, rolls: bool) -> tuple[Session, PlayToBegin]:
    """The session of a save, replayed, with the texts read on the way.

    Where no ruleset is named it is the one that the save names, with its overlays. A seed given now is used from here
    on; else the dice go on as they were.

    Raises:
        Stop: something cannot be read or does not fit; RW0790, the options say something else than the save; RW0755,
            the answers do not lead where the save says; RW0875, nobody says where the rules are.
    """
    text = read_text(file)
    save = value_of(open_save(text), text)
    named = (asked.ruleset,) if asked.ruleset else (".", file)
    files = files_for(*named, *asked.overlays)
    asked = without_scenario(asked) if asked.ruleset else _named(save, asked, posixpath.dirname(file), text)
    program, loaded = load_program(asked.ruleset, asked.overlays, files)
    single = next((each for each in asked.policies if each.question), None)
    if single is not None:
        message = f"a saved play cannot go on by {quoted(single.written)}, a policy for one question"
        raise stopped("RW0790", message, f"give a policy of the player, `{single.player}=first`, or begin anew")
    trouble = misfit(save, program, text)
    if trouble is not None:
        names = {posixpath.basename(each).removesuffix(_RULES) for each in asked.overlays}
        lacking = [each for each in save.overlays if posixpath.basename(each).removesuffix(_RULES) not in names]
        added = shlex.join(part for each in lacking for part in ("--overlay", each))
        _agree("`--overlay`", not lacking, f"the save was made with `{added}`")
        raise Stop([trouble], {text.name: text})
    begun = _begun(save, asked, program)
    script, texts = open_script(asked.script, program)
    chance = Chance(fresh_seed() if save.seed is None else save.seed)
    if seed is not None:
        chance = Chance(seed)
    sources = Sources(begun.names, chance, None, rolls=rolls and (save.seed is not None or seed is not None))
    session = value_of(replay(begun, sources, save), text)
    texts = {**loaded.texts, text.name: text, **texts}
    decided = value_of(deciding(asked.policies, begun.names))
    opening = PlayToBegin(
        begun, script, texts, asked.ruleset, asked.overlays, policies=asked.policies, deciding=decided
    )
    return replace(session, sources=replace(session.sources, script=script, insisted=seed is not None)), opening


def _named(save: Save, asked: Asked, folder: str, text: Text) -> Asked:
    """The same, of the rules that a save names: a shipped ruleset, a folder, or files of rules."""
    overlays = [*(_place(each, folder) for each in save.overlays), *asked.overlays]
    ruleset = _place(save.rules, folder)
    is_rules = ruleset.endswith(_RULES) or DISK.sort(ruleset) != "file"
    if not save.rules or not is_rules or not all(each.endswith(_RULES) or not DISK.sort(each) for each in overlays):
        remedy = f"name them: `rulewright play RULESET --load {shlex.quote(text.name)}`"
        raise stopped("RW0875", f"`{text.name}` does not say where its rules are", remedy)
    return replace(asked, ruleset=ruleset, overlays=overlays)


def _place(named: str, folder: str) -> str:
    """What a save names from its folder, as seen from here; the name of something shipped stays."""
    place = posixpath.normpath(posixpath.join(folder, named))
    return place if named and DISK.sort(place) else named


def _begun(save: Save, asked: Asked, program: Program) -> Begun:
    """The beginning a save tells of; options that tell of it too have to agree."""
    procedure = value_of(find_procedure(asked.procedure or save.procedure, program))
    _agree("the procedure", procedure.name == save.procedure, f"the save is of `{save.procedure}`")
    situation = value_of(state_from(save.start, program, LARGEST_TEXT))
    if asked.state is not None:
        text = read_text(asked.state)
        tables = Tables(files_for(asked.state), {})
        given = value_of(read_state(text, program, asked.settings, tables), text, *tables.texts.values())
        _agree("`--state`", state_json(given, program) == save.start, "leave it out, or begin anew without `--load`")
    arguments = value_of(arguments_of(_mapping(save.arguments), procedure, situation, program))
    if asked.roles:
        roles = value_of(read_arguments(asked.roles, procedure, situation, program))
        _agree("`--with`", roles == arguments, "leave it out; the save holds who is what")
    executable = compile_program(program, traced=True)
    return Begun(executable, procedure, situation, arguments, Limits(**asked.limits)).at_table()


def _agree(what: str, agrees: bool, remedy: str) -> None:  # noqa: FBT001 - what has to be true
    if not agrees:
        raise stopped("RW0790", f"{what} differs from the one in the save", remedy)


def _mapping(data: MappingOf[str, Json]) -> Mapping:
    node = node_of(dict(data))
    assert isinstance(node, Mapping)
    return node


def may_record(file: str | None) -> None:
    """Looks, before anything is played, whether a scenario can be written to a file.

    Raises:
        Stop: RW1016, the file is there already or its name is not that of a scenario file; RW0011, it cannot be
            written.
    """
    if file is None:
        return
    if not file.endswith(ENDING):
        remedy = f"the name of a scenario file ends in `{ENDING}`"
        raise stopped("RW1016", f"`{file}` is not a name for a scenario file", remedy)
    if DISK.sort(file):
        raise stopped("RW1016", f"`{file}` is there already", "name a new file, and bring the scenario over from there")
    can_write(file)


def can_name(file: str | None, ruleset: str, overlays: Sequence[str]) -> None:
    """Looks, before anything is played, whether a scenario in a file can name the rules it is of.

    Stops with RW1016 where the name of a file or folder on the way there is not UTF-8, as scenarios are.
    """
    ways = () if file is None else (way_from(posixpath.dirname(file), each, DISK) for each in (ruleset, *overlays))
    unnamed = next((each for each in ways if not is_unicode(each)), None)
    if unnamed is not None:
        remedy = "rename it, or record the play in the folder of the rules and name that folder"
        raise stopped("RW1016", f"a scenario cannot name `{unnamed}`, which is not UTF-8", remedy)


def record(file: str | None, session: Session, ruleset: str, overlays: Sequence[str]) -> None:
    """Writes a play as a scenario, where that is asked for.

    Stops with RW1017, the play is not over, or RW0011, the file cannot be written.
    """
    if file is None:
        return
    if isinstance(session.outcome, Paused):
        remedy = "play it to its end; `--save` keeps a play to go on with"
        raise stopped("RW1017", "only a play that is over can be recorded", remedy)
    write(Path(file), recording(session, ruleset, overlays, file, DISK))
