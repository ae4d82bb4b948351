"""Saves and recordings of sessions: writing, resuming by replay, and recording as a scenario."""

import posixpath
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rulewright.base.diagnostics import is_encodable
from rulewright.base.files import DISK
from rulewright.base.source import Text
from rulewright.cli.command_files import files_for, read_text, require_writable, write_file
from rulewright.cli.output import CommandStop, make_stop
from rulewright.cli.play_opening import OpenedPlay, PlayRequest, open_script, read_situation, resolve_scenario_request
from rulewright.cli.ruleset_loading import load_program, unwrap_or_stop
from rulewright.documents.answer_scripts import build_policy_table
from rulewright.documents.document_nodes import make_unplaced_map
from rulewright.documents.findings import quote_name
from rulewright.documents.procedure_arguments import bind_arguments, find_procedure, read_argument_flags
from rulewright.documents.saved_sessions import (
    SavedSession,
    check_save_program,
    check_save_size,
    format_save,
    parse_save,
)
from rulewright.documents.state_file import parse_state_data
from rulewright.documents.state_json import state_to_json
from rulewright.documents.yaml_reader import MAX_TEXT_CHARS
from rulewright.play.answer_sources import AnswerSourceChain
from rulewright.play.seeded_random import SeededRandom, make_fresh_seed
from rulewright.play.session import PlayStart, Session, replay_save
from rulewright.program.declarations import Program
from rulewright.runtime.executable import compile_program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.run import Paused
from rulewright.scenarios.scenario_files import SCENARIO_SUFFIX
from rulewright.scenarios.scenario_recording import record_scenario, relative_place

_RULES_SUFFIX = ".rules"


def relative_rules(file: str, opening: OpenedPlay) -> tuple[str, tuple[str, ...]]:
    """Paths of the ruleset and overlays of a play, relative to the folder of a file."""
    folder = posixpath.dirname(file)
    overlays = tuple(relative_place(folder, overlay, DISK) for overlay in opening.overlays)
    return relative_place(folder, opening.ruleset, DISK), overlays


def render_save(session: Session, file: str, opening: OpenedPlay) -> str:
    """Text of a save for a file; stops with RW0005 if it is too large to be read."""
    session = _replay_without_policies(session, opening) if opening.laid_policies.by_question else session
    text = format_save(session.make_save(*relative_rules(file, opening)))
    trouble = check_save_size(text)
    if trouble is not None:
        raise CommandStop([trouble])
    return text


def _replay_without_policies(session: Session, opening: OpenedPlay) -> Session:
    """The session replayed under rules without policies for single questions, which saves cannot name."""
    program, _ = load_program(opening.ruleset, opening.overlays)
    procedure = program.procedures[session.start.procedure.name]
    start = replace(session.start, executable=compile_program(program, traced=True), procedure=procedure)
    return unwrap_or_stop(
        replay_save(start, replace(session.sources, script=None), replace(session.make_save(), state=None))
    )


def resume_save(file: str, play_request: PlayRequest, *, seed: int | None, rolls: bool) -> tuple[Session, OpenedPlay]:
    """The session of a save, replayed, and the opened play.

    The ruleset and overlays are by default those of the save. A new seed is used from here on, else the generator
    continues.

    Raises:
        CommandStop: something cannot be read or does not fit; RW0790, options disagree with the save; RW0755, the answers
            do not lead to the saved position; RW0875, the rules are not named.
    """
    text = read_text(file)
    save = unwrap_or_stop(parse_save(text), text)
    named = (play_request.ruleset,) if play_request.ruleset else (".", file)
    files = files_for(*named, *play_request.overlays)
    play_request = (
        resolve_scenario_request(play_request)
        if play_request.ruleset
        else _use_saved_rules(save, play_request, posixpath.dirname(file), text)
    )
    program, loaded = load_program(play_request.ruleset, play_request.overlays, files)
    single = next((policy for policy in play_request.policies if policy.question), None)
    if single is not None:
        message = f"a saved play cannot go on by {quote_name(single.written)}, a policy for one question"
        raise make_stop("RW0790", message, f"give a policy of the player, `{single.player}=first`, or begin anew")
    trouble = check_save_program(save, program, text)
    if trouble is not None:
        names = {posixpath.basename(overlay).removesuffix(_RULES_SUFFIX) for overlay in play_request.overlays}
        given = (posixpath.basename(overlay).removesuffix(_RULES_SUFFIX) for overlay in save.overlays)
        missing_overlays = [one for one, name in zip(save.overlays, given, strict=True) if name not in names]
        added = shlex.join(part for item in missing_overlays for part in ("--overlay", item))
        _require_agreement("`--overlay`", not missing_overlays, f"the save was made with `{added}`")
        raise CommandStop([trouble], {text.name: text})
    start = _begin_from_save(save, play_request, program)
    script, texts = open_script(play_request.script, program)
    saved_seed = make_fresh_seed() if save.seed is None else save.seed
    is_seeded = rolls and (save.seed is not None or seed is not None)
    chance = SeededRandom(saved_seed if seed is None else seed)
    sources = AnswerSourceChain(start.names, chance, None, has_seeded_dice=is_seeded)
    session = unwrap_or_stop(replay_save(start, sources, save), text)
    texts = {**loaded.texts, text.name: text, **texts}
    decided = unwrap_or_stop(build_policy_table(play_request.policies, start.names))
    ruleset, overlays, policies = play_request.ruleset, play_request.overlays, play_request.policies
    opening = OpenedPlay(start, script, texts, ruleset, overlays, policies=policies, deciding=decided)
    sources = replace(session.sources, script=script, is_chance_requested=seed is not None)
    return replace(session, sources=sources), opening


def _use_saved_rules(save: SavedSession, play_request: PlayRequest, folder: str, text: Text) -> PlayRequest:
    """Request with the rules of a save: a shipped ruleset, a folder, or files of rules."""
    overlays = [*(_saved_place(overlay, folder) for overlay in save.overlays), *play_request.overlays]
    ruleset = _saved_place(save.rules, folder)
    is_rules = ruleset.endswith(_RULES_SUFFIX) or DISK.get_file_type(ruleset) != "file"
    if (
        not save.rules
        or not is_rules
        or not all(overlay.endswith(_RULES_SUFFIX) or not DISK.get_file_type(overlay) for overlay in overlays)
    ):
        remedy = f"name them: `rulewright play RULESET --load {shlex.quote(text.name)}`"
        raise make_stop("RW0875", f"`{text.name}` does not say where its rules are", remedy)
    return replace(play_request, ruleset=ruleset, overlays=overlays)


def _saved_place(named: str, folder: str) -> str:
    """A place in a save, from the current folder; shipped names stay."""
    place = posixpath.normpath(posixpath.join(folder, named))
    return place if named and DISK.get_file_type(place) else named


def _begin_from_save(save: SavedSession, play_request: PlayRequest, program: Program) -> PlayStart:
    """The start of a save; stops where options disagree with it."""
    procedure = unwrap_or_stop(find_procedure(play_request.procedure or save.procedure, program))
    _require_agreement("the procedure", procedure.name == save.procedure, f"the save is of `{save.procedure}`")
    situation = unwrap_or_stop(parse_state_data(save.start, program, MAX_TEXT_CHARS))
    if play_request.state is not None:
        given = read_situation(play_request.state, play_request.ruleset, program, play_request.settings)
        _require_agreement(
            "`--state`", state_to_json(given, program) == save.start, "leave it out, or begin anew without `--load`"
        )
    arguments = unwrap_or_stop(bind_arguments(make_unplaced_map(dict(save.arguments)), procedure, situation, program))
    if play_request.roles:
        roles = unwrap_or_stop(read_argument_flags(play_request.roles, procedure, situation, program))
        _require_agreement("`--with`", roles == arguments, "leave it out; the save holds who is what")
    executable = compile_program(program, traced=True)
    return PlayStart(
        executable, procedure, situation, arguments, RunLimits(**play_request.limits)
    ).with_withheld_questions()


def _require_agreement(what: str, agrees: bool, remedy: str) -> None:  # noqa: FBT001 - what has to be true
    if not agrees:
        raise make_stop("RW0790", f"{what} differs from the one in the save", remedy)


def require_recordable(file: str | None) -> None:
    """Check before the play that a scenario can be written to a file.

    Raises:
        CommandStop: RW1016, the file exists or has no scenario suffix; RW0011, it cannot be written.
    """
    if file is None:
        return
    if not file.endswith(SCENARIO_SUFFIX):
        remedy = f"the name of a scenario file ends in `{SCENARIO_SUFFIX}`"
        raise make_stop("RW1016", f"`{file}` is not a name for a scenario file", remedy)
    if DISK.get_file_type(file):
        raise make_stop(
            "RW1016", f"`{file}` is there already", "name a new file, and bring the scenario over from there"
        )
    require_writable(file)


def require_nameable_rules(file: str | None, ruleset: str, overlays: Sequence[str]) -> None:
    """Check before the play that a scenario file can name its rules.

    Stops with RW1016 if a path between them is not UTF-8, as scenarios are.
    """
    paths = (
        () if file is None else (relative_place(posixpath.dirname(file), item, DISK) for item in (ruleset, *overlays))
    )
    unnamed = next((way for way in paths if not is_encodable(way)), None)
    if unnamed is not None:
        remedy = "rename it, or record the play in the folder of the rules and name that folder"
        raise make_stop("RW1016", f"a scenario cannot name `{unnamed}`, which is not UTF-8", remedy)


def write_recording(
    file: str | None, session: Session, ruleset: str, overlays: Sequence[str], name: str = "recorded"
) -> None:
    """Write a session as a scenario, if a file is named.

    Stops with RW1017, the play is not over, or RW0011, the file cannot be written.
    """
    if file is None:
        return
    if isinstance(session.outcome, Paused):
        remedy = "play it to its end; `--save` keeps a play to go on with"
        raise make_stop("RW1017", "only a play that is over can be recorded", remedy)
    write_file(Path(file), record_scenario(session, ruleset, overlays, file, DISK, name=name))
