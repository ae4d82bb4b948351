"""What of a ruleset can be played: its procedures with their roles, its readings, its scenarios; `play --list`."""

from collections.abc import Iterator
from typing import Any

from rulewright.cli.loading import load_program
from rulewright.cli.named_files import files_for
from rulewright.cli.opening import Asked, is_scenario, open_play, scenarios_of, situation_in
from rulewright.cli.output import Exit, Output
from rulewright.diagnostics.terminal import visible
from rulewright.files import read
from rulewright.inputs.arguments import asked_as, begun, fitting
from rulewright.inputs.findings import one_of
from rulewright.inputs.nodes import entries_of
from rulewright.inputs.policies import everyone
from rulewright.machine.state import Situation
from rulewright.odds.sweeps import to_vary
from rulewright.outline.items import reading
from rulewright.program.declarations import Measure, Procedure, Program, Setting
from rulewright.program.types import FlagType, ThingType, Type, present
from rulewright.scenarios.expectations.shapes import ODDS
from rulewright.scenarios.loading import resolved
from rulewright.scenarios.opening import Rules
from rulewright.scenarios.suite import Case
from rulewright.scenarios.suite_reader import read_suite
from rulewright.source import Text

VERSION = 1


def list_playable(asked: Asked, out: Output) -> Exit:
    """Prints what can be played, with what of a state, or of that of a scenario, each role can be."""
    found = _playable(asked)
    if out.form == "json":
        out.data(found)
        return Exit.FINE
    out.tell(map(visible, _lines(found)))
    return Exit.FINE


def _lines(found: dict[str, Any]) -> Iterator[str]:
    for each in found["procedures"]:
        yield f"{each['name']}{_called(each['title'])}"
        for role in each["roles"]:
            fits = f": {one_of(role['fits'])}" if role["fits"] else ""
            yield f"  --with {role['name']}=…  {role['type']}{fits}{', may be left out' if role['optional'] else ''}"
    for each in found["readings"]:
        yield f"--set {each['name']}={each['value']}{_called(each['title'])}"
        if each["values"]:
            yield f"  {one_of(each['values'])}"
    for each in found["scenarios"]:
        yield f"{each['file']}: {len(each['cases'])} scenario{'' if len(each['cases']) == 1 else 's'}"


def _called(title: str) -> str:
    return f"  {title}" if title else ""


def _playable(asked: Asked) -> dict[str, Any]:
    procedure, situation = asked.procedure, None
    if is_scenario(asked.ruleset):
        opened = open_play(asked).begun
        program, situation, procedure = opened.executable.program, opened.situation, opened.procedure.name
    else:
        program, _ = load_program(asked.ruleset, asked.overlays)
        situation = None if asked.state is None else situation_in(asked.state, asked.ruleset, program)[0]
    played = [each for each in begun(program) if procedure in {None, each.name}]
    return {
        "version": VERSION,
        "ruleset": program.name,
        "title": program.title,
        "procedures": [_procedure(each, program, situation) for each in begun(program)],
        "readings": [_reading(each, program) for each in program.settings.values()],
        "players": list(fitting(ThingType("player"), program, situation)),
        "measures": [_measure(each, program, situation) for each in program.measures.values()],
        "varies": list(dict.fromkeys(to_vary(played, program))),
        "externals": list(_externals(program)),
        "scenarios": list(_scenarios(asked.ruleset)),
    }


def _procedure(procedure: Procedure, program: Program, situation: Situation | None) -> dict[str, Any]:
    roles = [
        {
            "name": each.name,
            "type": str(each.type),
            "fits": list(fitting(each.type, program, situation)),
            "optional": default is not None,
        }
        for each, default in zip(procedure.parameters, procedure.defaults, strict=True)
    ]
    gives = None if procedure.result is None else str(procedure.result)
    return {"name": procedure.name, "title": procedure.title, "roles": roles, "gives": gives}


def _reading(setting: Setting, program: Program) -> dict[str, Any]:
    """A reading, the value it has unless one is chosen, and the others where they can be listed."""
    listed = _listed(setting.type, program)
    return {"name": setting.name, "title": setting.title, "value": reading(setting, program), "values": listed}


def _listed(type_: Type, program: Program) -> list[str]:
    """The words of a type or `yes` and `no`; none of any other type."""
    return ["yes", "no"] if isinstance(present(type_), FlagType) else [*fitting(type_, program, None)]


def _measure(measure: Measure, program: Program, situation: Situation | None) -> dict[str, Any]:
    """A measure, with what it is asked of, and as it can be asked of the things of a state."""
    of = [{"name": each.name, "type": str(each.type)} for each in measure.parameters]
    asked = asked_as(measure, program, situation) or ()
    return {"name": measure.name, "title": measure.title, "of": of, "asked": list(asked)}


def _externals(program: Program) -> Iterator[str]:
    """What `--external` takes: each external with likelihoods for two of its answers, where these can be listed."""
    types = {
        **{each.name: each.type for each in program.external_terms.values()},
        **{each.name: each.result for each in program.external_procedures.values()},
    }
    for name, type_ in types.items():
        known = [] if type_ is None else _listed(type_, program)
        one, other, *_ = [*known, "…", "…"]
        yield f"{name}={{{one}: 2/3, {other}: 1/3}}"


def _scenarios(ruleset: str) -> Iterator[dict[str, Any]]:
    """The scenario files of a ruleset: all scenarios by name, and those that expect a refusal; nothing is judged."""
    files = files_for(ruleset)
    rules = Rules(files)
    for place in scenarios_of(ruleset):
        text = read(resolved(place, files), files)
        suite = read_suite(text, files, rules.texts, judged=False).value if isinstance(text, Text) else None
        cases = () if suite is None else suite.cases
        asked = {each.name: _odds(each) for each in cases if ODDS in each.expect}
        refused = [each.name for each in cases if "refused" in each.expect]
        begins = {each.name: each.procedure.text for each in cases if not each.wrong}
        names = [each.name for each in cases]
        yield {"file": place, "cases": names, "refused": refused, "procedures": begins, "odds": asked}


def _odds(case: Case) -> dict[str, Any]:
    """The question of odds that a scenario asks: what of, and who chooses."""
    node = case.expect.get(ODDS)
    asked = [key.text for key, _ in entries_of(node)]
    return {"of": asked, "policy": everyone(case.policies)}
