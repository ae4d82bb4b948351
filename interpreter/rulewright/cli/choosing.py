"""Which procedure of a ruleset, and which case of a scenario file, a command line means."""

import posixpath
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import replace

from rulewright.cli.reading import files_for
from rulewright.cli.stop import Stop, complaint
from rulewright.diagnostics.suggest import nearest
from rulewright.files import Provider
from rulewright.files import read as read_file
from rulewright.inputs.arguments import begun, find_procedure, fitting
from rulewright.inputs.wording import one_of, quoted
from rulewright.machine.situation import Situation
from rulewright.program.declarations import Procedure, Program
from rulewright.program.describe import describe
from rulewright.scenarios.beginning import Rules
from rulewright.scenarios.finding import ENDING, resolved, scenario_files
from rulewright.scenarios.reading import read_suite
from rulewright.scenarios.suite import Case
from rulewright.source import Text
from rulewright.workspace import locate

_MOST = 16
"""How many cases of a file are listed."""


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
        found = find_procedure(name, program)
        if found.value is None:
            raise Stop(found.diagnostics)
        return found.value
    choices = begun(program)
    if len(choices) == 1:
        return choices[0]
    if not choices:
        raise Stop([complaint("RW0793", f"`{program.name}` has no procedure that can be begun", "write a `procedure`")])
    message = f"`{program.name}` has {len(choices)} procedures, and none is named"
    remedy = f"write its name behind `{ruleset}`; its roles follow as `--with ROLE=ID`"
    raise Stop([complaint("RW0793", message, remedy, [_told(each, program, situation) for each in choices])])


def _told(procedure: Procedure, program: Program, situation: Situation | None) -> str:
    """A procedure with its title and roles, and what of the state each role can be."""
    roles = []
    for parameter, default in zip(procedure.parameters, procedure.defaults, strict=True):
        names = fitting(parameter.type, program, situation)
        fits = f": {one_of(names)}" if names else ""
        roles.append(f"{parameter.name} ({describe(parameter.type)}{fits}{', may be left out' if default else ''})")
    title = f" “{procedure.title}”" if procedure.title else ""
    return f"`{procedure.name}`{title}{' with ' if roles else ''}{', '.join(roles)}"


def chosen_case(place: str, name: str | None, rules: Rules) -> Case:
    """The case of a scenario file that is called so, or the only one it has; nothing need be expected of it.

    A part of a name does where it is a part of one alone. The file is one of the disk, or of a shipped ruleset:
    `NAME/push.scenario.yaml`. Texts that are read are added to those of the rules.

    Raises:
        Stop: RW0794, no case is called so; RW0795, several are, or none is named; what reading the file reports, and
            what is wrong with the case.
    """
    suite = read_suite(_text(place, rules.provider), rules.provider, rules.texts, judged=False)
    if suite.value is None:
        raise Stop(suite.diagnostics, rules.texts)
    case = _called(name, {each.name: each for each in suite.value.cases}, place)
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
    """The case meant by a name, by a part of it, or by none."""
    if name is not None and name in cases:
        return cases[name]
    held = [each for each in cases if (name or "").lower() in each.lower()]
    if len(held) == 1:
        return cases[held[0]]
    if name is None:
        message = f"`{place}` has {len(cases)} scenarios, and none is named"
        remedy = f"write its name behind the file, or a part of it: `{shlex.join([place, *held[:1]])}`"
        raise Stop([complaint("RW0795", message, remedy, _listed(held))])
    if held:
        message = f"{len(held)} scenarios of `{place}` have {quoted(name)} in their names"
        raise Stop([complaint("RW0795", message, "write more of the name", _listed(held))])
    close = nearest(name, cases)
    remedy = f"did you mean {quoted(close)}?" if close else "name one of these"
    raise Stop([complaint("RW0794", f"no scenario of `{place}` is called {quoted(name)}", remedy, _listed(cases))])


def _listed(names: Iterable[str]) -> tuple[str, ...]:
    """Names as notes, one a line; of very many the first."""
    shown = [f"`{each}`" for each in names]
    return (*shown[:_MOST], *([f"and {len(shown) - _MOST} more"] if len(shown) > _MOST else []))
