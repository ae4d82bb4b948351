"""What a play starts from: ruleset, state, roles, settings and script, of files or of a scenario; who watches it."""

import posixpath
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import click

from rulewright.cli.loading import load_program, value_of
from rulewright.cli.named_files import files_for, read_text
from rulewright.cli.options import policies_of
from rulewright.cli.output import Exit, Stop, complaint, is_limit, stopped
from rulewright.diagnostics import Diagnostic, Severity
from rulewright.diagnostics.remedies import nearest, suggested
from rulewright.drivers.chance import Chance
from rulewright.drivers.run import Played
from rulewright.drivers.session import Begun
from rulewright.drivers.sources import Sources
from rulewright.drivers.views import seen
from rulewright.files import Provider, read as read_file
from rulewright.frozen import dataclass
from rulewright.inputs.arguments import begun, find_procedure, fitting, read_arguments
from rulewright.inputs.findings import Findings, one_of, quoted
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Key, Mapping as MappingNode, Node, merged_mappings
from rulewright.inputs.policies import NOBODY, Deciding, Policy, deciding, told_policies
from rulewright.inputs.script import Script, read_script
from rulewright.inputs.state_file import NO_TEXT, read_flags, read_state
from rulewright.inputs.tables import Tables
from rulewright.inputs.yaml_places import read
from rulewright.machine.compile import compile_program
from rulewright.machine.executable import Executable
from rulewright.machine.faults import Limits
from rulewright.machine.request import Ended, Faulted, Refused
from rulewright.machine.run import Outcome, Paused
from rulewright.machine.state import Situation
from rulewright.program.declarations import Procedure, Program
from rulewright.scenarios.loading import ENDING, resolved, scenario_files
from rulewright.scenarios.opening import Rules, opening
from rulewright.scenarios.suite import Case, Named
from rulewright.scenarios.suite_reader import read_suite
from rulewright.source import Span, Text
from rulewright.workspace import Loaded, locate
from rulewright.workspace.load import overlay_place
from rulewright.workspace.policies import NO_POLICIES, LaidPolicies, with_policies

_BEGINS = ("ruleset", "procedure", "overlays", "state", "roles", "settings", "script", "unscripted")
_LIMITS = {
    "max_steps": "work",
    "max_depth": "depth",
    "max_members": "members",
    "max_dice": "dice",
    "max_size": "size",
}
_MOST = 16
"""How many cases of a file are listed."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a command line asks to play."""

    ruleset: str  # file, folder or shipped name; or a scenario file
    procedure: str | None  # its name, or that of a scenario; none where there is one alone
    overlays: Sequence[str]  # files that amend the ruleset
    state: str | None  # the state file, or none
    roles: Sequence[str]  # `role=id`, as written
    settings: Sequence[str]  # `setting=value`, as written
    script: str | None  # the script, or none
    unscripted: bool  # whether any script is left out
    limits: Mapping[str, Any]  # those given
    rules: str | None = None  # the ruleset that plays a scenario in place of its own, or none
    recording: str = "full"  # what is recorded of the play, to be told afterwards: `full`, `decisive` or `none`
    policies: Sequence[Policy] = ()  # who chooses what no script does, before what a scenario says; the first count
    policies_beside: Sequence[Policy] = ()  # the same, after what a scenario says
    revision: Provider | None = None  # where rules and scenario come from, if not from the disk

    def files(self, *named: str) -> Provider:
        """The files that what it names may have read, with those of more places."""
        own = (self.ruleset, *([self.rules] if self.rules else []))
        return self.revision or files_for(*own, *named)


@dataclass(frozen=True, slots=True)
class PlayToBegin:
    """A play that can begin, its script, and every text read on the way."""

    begun: Begun  # it
    script: Script | None  # answers, or none
    texts: Mapping[str, Text]  # by name
    ruleset: str  # file, folder or shipped name
    overlays: Sequence[str]  # files that amend it
    case: Case | None = None  # the scenario it is taken from, as its file has it, or none
    policies: Sequence[Policy] = ()  # who chooses what the script does not; the first count
    deciding: Deciding = NOBODY  # the same, but for policies for single questions
    laid: LaidPolicies = NO_POLICIES  # those

    def sources(self, seed: int | None, fresh: int = 0) -> Sources:
        """Who answers; the seed is that of the scenario unless given, and dice without one fall afresh."""
        if self.case is not None and seed is None:
            seed = self.case.seed
        return Sources(
            names=self.begun.names,
            chance=Chance(fresh if seed is None else seed),
            script=self.script,
            rolls=seed is not None or self.script is None,
            insisted=seed is not None,
            policy=self.deciding.everyone or None,
            policies=self.deciding.players,
            told=told_policies(self.policies),
        )


def asked_play(given: Mapping[str, Any], recording: str = "full") -> Asked:
    """What is asked to play by `play_options` or `starting_options`, overlays and limits, among other options."""
    begins = {name: given[name] for name in _BEGINS}
    policies = policies_of(given.get("policies", ()))
    return Asked(
        **begins | {"ruleset": given["ruleset"] or ""},
        limits=limits_in(given),
        recording=recording,
        policies=policies,
    )


def limits_in(given: Mapping[str, Any]) -> dict[str, Any]:
    """The limits of a play that `limit_options` give, by their names in `Limits`."""
    return {limit: given[option] for option, limit in _LIMITS.items() if given[option] is not None}


def exit_at(outcome: Outcome, paused: Exit) -> Exit:
    """The exit of a play by where it ended, or stands at a request."""
    match outcome:
        case Ended():
            return Exit.FINE
        case Faulted(code=code) if is_limit(code):
            return Exit.UNKNOWN
        case Refused() | Faulted():
            return Exit.FOUND
        case Paused():
            return paused


def open_play(asked: Asked) -> PlayToBegin:
    """Reads and judges everything a play begins with.

    A ruleset without a state stands for the only scenario file beside it that is for it.

    Raises:
        Stop: something cannot be read or does not fit; RW0788, there is no state; RW0793 to RW0795, it is not said
            what is to be played.
    """
    return _of_scenario(asked) if is_scenario(asked.ruleset) else _of_options(asked)


def _of_options(asked: Asked) -> PlayToBegin:
    program, loaded = load_program(asked.ruleset, asked.overlays, asked.revision)
    if asked.state is None and asked.procedure not in program.procedures:
        own = _scenarios_for(asked)
        if len(own) == 1:
            return _of_scenario(replace(asked, ruleset=own[0]))
        if own and asked.procedure is None:
            raise _unnamed(asked.ruleset, own)
    policies = (*asked.policies, *asked.policies_beside)
    program, laid = _with_policies(loaded, asked, policies)
    situation, read_for_it = None, dict[str, Text]()
    if asked.state is not None:
        situation, read_for_it = situation_in(asked.state, asked.ruleset, program, asked.settings)
    procedure = chosen_procedure(asked.procedure, program, situation, asked.ruleset)
    if situation is None:
        raise Stop([_stateless(asked, procedure)])
    arguments = value_of(read_arguments(asked.roles, procedure, situation, program))
    script, texts = open_script(None if asked.unscripted else asked.script, program)
    executable = _compiled(program, asked.recording)
    begun = Begun(executable, procedure, situation, arguments, Limits(**asked.limits))
    decided = value_of(deciding(policies, begun.names))
    texts = {**loaded.texts, **read_for_it, **texts}
    return PlayToBegin(
        begun,
        script,
        texts,
        asked.ruleset,
        asked.overlays,
        policies=policies,
        deciding=decided,
        laid=laid,
    )


def _with_policies(loaded: Loaded, asked: Asked, policies: Sequence[Policy]) -> tuple[Program, LaidPolicies]:
    """The program with policies at its questions; stops with what is wrong with one."""
    files = asked.revision or files_for(asked.ruleset, *asked.overlays)
    made, laid = with_policies(loaded, locate(asked.ruleset, files), asked.overlays, files, policies)
    if made.program is None:
        raise Stop(made.errors, made.texts)
    return made.program, laid


def situation_in(
    state: str, ruleset: str, program: Program, settings: Sequence[str] = ()
) -> tuple[Situation, dict[str, Text]]:
    """The situation of a state file of a ruleset, with the texts that were read for it.

    Raises:
        Stop: RW0788, it is a scenario; it cannot be read, or does not fit.
    """
    text, tables = _state_text(state, ruleset), Tables(files_for(ruleset, state), {})
    found = value_of(read_state(text, program, settings, tables), text, *tables.texts.values())
    return found, {**tables.texts, text.name: text}


def _state_text(place: str, ruleset: str) -> Text:
    if is_scenario(place):
        remedy = f"name it in place of `{ruleset}`, without `--state`"
        raise stopped("RW0788", f"`{place}` is a whole scenario, not a state alone", remedy)
    return read_text(place)


def _scenarios_for(asked: Asked) -> tuple[str, ...]:
    """The scenario files beside a ruleset that are for it; where there is none, those that cannot be read."""
    files = asked.files()
    wanted = _main(asked.ruleset, files)
    suites = {
        place: read_suite(_text(place, files), files, {}, judged=False).value for place in scenarios_of(asked.ruleset)
    }
    own = [
        place
        for place, suite in suites.items()
        if suite is not None and any(_main(each.ruleset, files) == wanted for each in suite.cases)
    ]
    return tuple(own) or tuple(place for place, suite in suites.items() if suite is None)


def _main(ruleset: str, files: Provider) -> str:
    return posixpath.normpath(locate(ruleset, files).main or "")


def _unnamed(ruleset: str, scenarios: Sequence[str]) -> Stop:
    """RW0795, with the scenario files of a ruleset."""
    message = f"`{ruleset}` has {len(scenarios)} files of scenarios, and none is named"
    remedy = f"name one in place of `{ruleset}`: `{shlex.quote(scenarios[0])}`"
    return stopped("RW0795", message, remedy, _listed(scenarios))


def _stateless(asked: Asked, procedure: Procedure) -> Diagnostic:
    """RW0788, with a scenario of the ruleset that begins with the procedure, or one of its files of scenarios."""
    remedy = f"add `--state FILE`; `rulewright schema {asked.ruleset} state` says what stands in it"
    message = "a play begins with a state, and there is none"
    scenarios = scenarios_of(asked.ruleset)
    if not scenarios:
        return complaint("RW0788", message, remedy)
    named = next(_beginning_with(procedure, asked, scenarios), None)
    if named is None:
        way = f"name `{scenarios[0]}` in place of `{asked.ruleset}`"
    else:
        context = click.get_current_context(silent=True)
        verb = context.info_name if context is not None and context.info_name else "run"
        way = f"`{shlex.join(('rulewright', verb, *named))}`"
    return complaint("RW0788", message, remedy, [f"a scenario has its own state: {way}"])


def _beginning_with(procedure: Procedure, asked: Asked, scenarios: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The scenarios of a ruleset that begin with a procedure, as commands name them."""
    files = asked.files()
    main = _main(asked.ruleset, files)
    for place in scenarios:
        suite = read_suite(_text(place, files), files, {}, judged=False).value
        for case in suite.cases if suite is not None else ():
            if not case.wrong and case.procedure.text == procedure.name and _main(case.ruleset, files) == main:
                yield place, case.name


def _of_scenario(asked: Asked) -> PlayToBegin:
    """The play of a scenario, with what the options say in place of what it says."""
    files = asked.files(*asked.overlays)
    rules = Rules(files) if asked.recording == "full" else Rules(files, compiled=partial(_recording, asked.recording))
    case = _chosen_case(asked.ruleset, asked.procedure, rules)
    laid = _under_options(case, asked, rules.texts)
    found = value_of(opening(laid, rules, Limits(**asked.limits)), *rules.texts.values())
    overlays = [each.text for each in laid.overlays]
    return PlayToBegin(
        found.begun,
        found.script,
        rules.texts,
        laid.ruleset,
        overlays,
        case,
        policies=laid.policies,
        deciding=found.deciding,
        laid=found.ruled.policies,
    )


def _recording(recording: str, loaded: Loaded) -> Executable:
    assert loaded.program is not None
    return _compiled(loaded.program, recording)


def _compiled(program: Program, recording: str) -> Executable:
    return compile_program(program, traced=recording != "none", decisive=recording == "decisive")


def without_scenario(asked: Asked) -> Asked:
    """What is asked, with ruleset, overlays and procedure in place of the scenario that names them."""
    if not is_scenario(asked.ruleset):
        return asked
    case = _chosen_case(asked.ruleset, asked.procedure, Rules(files_for(asked.ruleset)))
    overlays = (*(each.text for each in case.overlays), *asked.overlays)
    return replace(asked, ruleset=case.ruleset, procedure=case.procedure.text, overlays=overlays)


def _under_options(case: Case, asked: Asked, texts: dict[str, Text]) -> Case:
    """A case of which nothing is judged, with the options laid over it."""
    nothing = MappingNode((), case.place.span, case.place.pointer)
    placeless = Key("", Span(NO_TEXT, 0, 0), "")
    roles = value_of(read_flags("--with", asked.roles))
    settings = value_of(read_flags("--set", asked.settings))
    return replace(
        case,
        ruleset=asked.rules or case.ruleset,
        overlays=(*_overlays(case, asked), *(Named(each, placeless) for each in asked.overlays)),
        state=case.state if asked.state is None else _state(asked.state, texts),
        patch=case.patch if asked.state is None else None,
        after=case.after if asked.state is None else None,
        roles=_with_flags(case.roles, roles),
        settings=_with_flags(case.settings or nothing, settings),
        script=_script_of(case, asked, texts),
        policies=(*asked.policies, *case.policies, *asked.policies_beside),
        covers=(),
        expect=nothing,
    )


def _overlays(case: Case, asked: Asked) -> Iterator[Named]:
    """What amends the ruleset of a case; of another ruleset its own version, where it has one at the same place."""
    rules = asked.rules
    if rules is None:
        yield from case.overlays
        return
    files = asked.files(case.ruleset)
    old, new = (posixpath.dirname(locate(each, files).main or "") for each in (case.ruleset, rules))
    for each in case.overlays:
        place = overlay_place(each.text, old, files)
        beside = posixpath.normpath(posixpath.join(new, posixpath.relpath(place, old or ".")))
        yield replace(each, text=beside) if files.sort(beside) == "file" else each


def _with_flags(written: MappingNode, flags: MappingNode) -> MappingNode:
    return replace(merged_mappings(written, flags), span=written.span, pointer=written.pointer)


def _script_of(case: Case, asked: Asked, texts: dict[str, Text]) -> Node | None:
    if asked.unscripted:
        return None
    return case.script if asked.script is None else _node(asked.script, texts)


def _state(place: str, texts: dict[str, Text]) -> Node:
    """A state with its tables; their texts are added."""
    node, findings = _node(place, texts), Findings()
    whole = Tables(files_for(place), texts).inlined(node, findings)
    return value_of(findings.read(whole), *texts.values())


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


def is_scenario(place: str) -> bool:
    """Whether a word of a command line names a scenario file."""
    return place.endswith(ENDING)


def scenarios_of(ruleset: str) -> tuple[str, ...]:
    """The scenario files beside a ruleset and below, as `run` takes them."""
    files = files_for(ruleset)
    main, shipped = locate(ruleset, files).main, files.shipped()
    found = tuple(scenario_files(posixpath.dirname(main) or ".", files)) if main else ()
    is_name = not files.sort(ruleset)
    return tuple(posixpath.relpath(each, shipped) for each in found) if is_name else found


def chosen_procedure(name: str | None, program: Program, situation: Situation | None, ruleset: str) -> Procedure:
    """The procedure of a name, or without one the only procedure that can be begun; `ruleset` as it is written.

    Raises:
        Stop: RW0793, there are several and none is named, or there is none; what `find_procedure` reports.
    """
    if name is not None:
        return value_of(find_procedure(name, program))
    choices = begun(program)
    if len(choices) == 1:
        return choices[0]
    if not choices:
        raise stopped("RW0793", f"`{program.name}` has no procedure that can be begun", "write a `procedure`")
    message = f"`{program.name}` has {len(choices)} procedures, and none is named"
    remedy = f"write its name behind `{ruleset}`; its roles follow as `--with ROLE=ID`"
    raise stopped("RW0793", message, remedy, [_told(each, program, situation) for each in choices])


def _told(procedure: Procedure, program: Program, situation: Situation | None) -> str:
    """A procedure with its title and roles, and what of the state each role can be."""
    roles = []
    for parameter, default in zip(procedure.parameters, procedure.defaults, strict=True):
        names = fitting(parameter.type, program, situation)
        fits = f": {one_of(names)}" if names else ""
        roles.append(f"{parameter.name} ({parameter.type}{fits}{', may be left out' if default else ''})")
    title = f" “{procedure.title}”" if procedure.title else ""
    return f"`{procedure.name}`{title}{' with ' if roles else ''}{', '.join(roles)}"


def _chosen_case(place: str, name: str | None, rules: Rules) -> Case:
    """The case of a scenario file that is called so, or the only one it has; nothing need be expected of it.

    A part of a name does where it is a part of one alone, and of what follows that one. The file is one of the disk, or
    of a shipped ruleset: `NAME/push.scenario.yaml`. Texts that are read are added to those of the rules.
    """
    read_ = read_suite(_text(place, rules.provider), rules.provider, rules.texts, judged=False)
    suite = value_of(read_, *rules.texts.values())
    case = _called(name, {each.name: each for each in suite.cases}, place)
    if case.wrong:
        raise Stop(case.wrong, rules.texts)
    return case


def _text(place: str, files: Provider) -> Text:
    found = resolved(place, files)
    text = read_file(found, files)
    if isinstance(text, Text):
        return text
    folder = posixpath.dirname(found) or "."
    raise Stop([replace(text, notes=_listed(scenario_files(folder, files) if files.sort(folder) == "folder" else ()))])


def _called(name: str | None, cases: Mapping[str, Case], place: str) -> Case:
    """The case meant by a name, by a part of it, or by none: with what follows it, it is one."""
    if name is not None and name in cases:
        return cases[name]
    held = [each for each in cases if (name or "").lower() in each.lower()]
    begun = [cases[each] for each in held if (after := cases[each].after) is None or after.name not in held]
    if len(begun) == 1:
        return begun[0]
    if name is None:
        message = f"`{place}` has {len(cases)} scenarios, and none is named"
        remedy = f"write its name behind the file, or a part of it: `{shlex.join([place, *held[:1]])}`"
        raise stopped("RW0795", message, remedy, _listed(held))
    if held:
        message = f"{len(held)} scenarios of `{place}` have {quoted(name)} in their names"
        raise stopped("RW0795", message, "write more of the name", _listed(held))
    close = nearest(name, cases)
    remedy = f"did you mean {quoted(close)}?" if close else "name one of these"
    raise stopped("RW0794", f"no scenario of `{place}` is called {quoted(name)}", remedy, _listed(cases))


def _listed(names: Iterable[str]) -> tuple[str, ...]:
    """Names as notes, one a line; of very many the first."""
    shown = [f"`{each}`" for each in names]
    return (*shown[:_MOST], *([f"and {len(shown) - _MOST} more"] if len(shown) > _MOST else []))


def player_of(written: str, names: Names) -> int:
    """The number of a player; stops with RW0260 where nobody is called so."""
    ids = names.ids("player")
    if written in ids:
        return list(ids).index(written)
    guess = nearest(written, list(ids))
    listed = f"the players are {', '.join(f'`{each}`' for each in ids)}" if ids else "the state has no players"
    raise stopped("RW0260", f"there is no player {quoted(written)}", suggested(guess, listed))


def as_seen(played: Played, player: int) -> Played:
    """The run and its findings without what the player may not know, the text of the script included (RW0261)."""
    session = seen(played.session, player)
    outcome = session.outcome
    if not played.diagnostics or not isinstance(outcome, Paused) or not outcome.request.closed:
        return Played(session, tuple(_placeless(each) for each in played.diagnostics))
    address = outcome.request.address
    message = "the run stops at a question whose answers are not for this player"
    remedy = "without `--view` it says why"
    return Played(session, (Diagnostic("RW0261", Severity.ERROR, message, help=remedy, address=address),))


def _placeless(found: Diagnostic) -> Diagnostic:
    """A finding that shows no line of a script, where the answers of others stand."""
    return replace(found, primary=None, secondary=(), edits=())
