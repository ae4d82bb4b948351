"""What a ruleset has to play: procedures with their roles, readings, things, measures and scenarios, as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from rulewright.base.bounded_files import read_text_file
from rulewright.base.files import FileProvider
from rulewright.base.source import Text
from rulewright.documents.answer_scripts import default_policy
from rulewright.documents.document_nodes import map_entries
from rulewright.documents.procedure_arguments import expand_measure_calls, list_fitting_names, list_startable_procedures
from rulewright.documents.state_json import state_to_json
from rulewright.odds.parameter_sweeps import suggest_sweep_axes
from rulewright.play.session import PlayStart
from rulewright.play.session_views import worths
from rulewright.program.declarations import Measure, Procedure, Program, Setting
from rulewright.program.outline.items import render_default_reading
from rulewright.program.types import PLAYER, FlagType, NumberType, ThingType, Type, WordType, strip_optional
from rulewright.runtime.state import Situation
from rulewright.scenarios.case_opening import RulesetLoader
from rulewright.scenarios.expectation_schema import ODDS_KEY
from rulewright.scenarios.scenario_files import resolve_shipped_place
from rulewright.scenarios.suite import ScenarioCase
from rulewright.scenarios.suite_reader import read_suite
from rulewright.wording.english import speak_name

PLAYABLE_FORMAT_VERSION = 1


def playable_to_json(  # noqa: PLR0913 - what a command names
    program: Program,
    situation: Situation | None,
    scenario_files: Sequence[str],
    files: FileProvider,
    procedure: str | None = None,
    *,
    start: PlayStart | None = None,
) -> dict[str, Any]:
    """All of it, with the things of a situation; of a `start` also what it begins.

    What can be varied is that of a procedure, where one is named.
    """
    startable = list_startable_procedures(program)
    procedure = procedure if start is None else start.procedure.name
    played = [each for each in startable if procedure in {None, each.name}]
    begins = (
        None
        if start is None
        else {"procedure": procedure, "with": start.arguments_to_json(), "worths": list(worths(start))}
    )
    return {
        "version": PLAYABLE_FORMAT_VERSION,
        "ruleset": program.name,
        "title": program.title,
        "procedures": [_procedure_json(each, program, situation) for each in startable],
        "begins": begins,
        "readings": [_setting_json(setting, program) for setting in program.settings.values()],
        "things": [] if situation is None else list(_things_json(program, situation)),
        "players": list(list_fitting_names(ThingType("player"), program, situation)),
        "measures": [_measure_json(measure, program, situation) for measure in program.measures.values()],
        "varies": list(dict.fromkeys(suggest_sweep_axes(played, program))),
        "externals": list(_external_templates(program)),
        "scenarios": list(_scenario_files_json(scenario_files, files)),
    }


def _procedure_json(procedure: Procedure, program: Program, situation: Situation | None) -> dict[str, Any]:
    roles = [
        {
            "name": parameter.name,
            "type": str(parameter.type),
            "fits": list(list_fitting_names(parameter.type, program, situation)),
            "optional": default is not None,
        }
        for parameter, default in zip(procedure.parameters, procedure.defaults, strict=True)
    ]
    gives = None if procedure.result is None else str(procedure.result)
    outcomes = [] if procedure.result is None else list(_outcomes_json(procedure.result, program))
    return {
        "name": procedure.name,
        "title": procedure.title,
        "roles": roles,
        "gives": gives,
        "outcomes": outcomes,
    }


def _outcomes_json(type_: Type, program: Program) -> Iterator[dict[str, Any]]:
    """The words that a procedure can give, with their titles; yes and no; empty for any other type."""
    sort = strip_optional(type_)
    if isinstance(sort, WordType):
        for word in program.values[sort.values].words:
            yield {"value": word.name, "says": " ".join(word.title.split()) or speak_name(word.name)}
    elif isinstance(sort, FlagType):
        yield from ({"value": value, "says": value} for value in ("no", "yes"))


def _things_json(program: Program, situation: Situation) -> Iterator[dict[str, Any]]:
    """Each kind with its things in play, the players whose they are, and its attributes with a few values."""
    state = state_to_json(situation, program)
    for kind in program.kinds.values():
        things_of_kind = state.get(kind.plural)
        things = things_of_kind if isinstance(things_of_kind, dict) else {}
        owner = next((item.name for item in kind.fields if strip_optional(item.type) == PLAYER), None)
        short = [
            item for item in kind.fields if isinstance(strip_optional(item.type), NumberType | FlagType | WordType)
        ]
        yield {
            "kind": kind.name,
            "plural": kind.plural,
            "title": kind.title,
            "things": [
                {
                    "id": id_,
                    "owner": data.get(owner) if owner else None,
                    "values": {item.name: data.get(item.name) for item in short},
                }
                for id_, data in things.items()
                if isinstance(data, dict)
            ],
            "attributes": [{"name": item.name, "title": item.title, "type": str(item.type)} for item in short],
        }


def _setting_json(setting: Setting, program: Program) -> dict[str, Any]:
    listed = _listable_values(setting.type, program)
    return {
        "name": setting.name,
        "title": setting.title,
        "value": render_default_reading(setting, program),
        "values": listed,
    }


def _listable_values(type_: Type, program: Program) -> list[str]:
    """Words of a word type, `yes` and `no` of a flag; else empty."""
    return ["yes", "no"] if isinstance(strip_optional(type_), FlagType) else [*list_fitting_names(type_, program, None)]


def _measure_json(measure: Measure, program: Program, situation: Situation | None) -> dict[str, Any]:
    """A measure, its parameters, and its calls with the things of a state."""
    of = [{"name": one.name, "type": str(one.type)} for one in measure.parameters]
    calls = expand_measure_calls(measure, program, situation) or ()
    return {"name": measure.name, "title": measure.title, "of": of, "asked": list(calls)}


def _external_templates(program: Program) -> Iterator[str]:
    """Values for `--external`: each external with likelihoods for two of its answers, where these can be listed."""
    types = {
        **{one.name: one.type for one in program.external_terms.values()},
        **{one.name: one.result for one in program.external_procedures.values()},
    }
    for name, type_ in types.items():
        known = [] if type_ is None else _listable_values(type_, program)
        one, other, *_ = [*known, "…", "…"]
        yield f"{name}={{{one}: 2/3, {other}: 1/3}}"


def _scenario_files_json(places: Sequence[str], files: FileProvider) -> Iterator[dict[str, Any]]:
    """Scenario files of a ruleset: all scenarios by name, and those that expect a refusal; nothing is played."""
    rules = RulesetLoader(files)
    for place in places:
        text = read_text_file(resolve_shipped_place(place, files), files)
        suite = read_suite(text, files, rules.texts, judged=False).value if isinstance(text, Text) else None
        cases = () if suite is None else suite.cases
        odds_questions = {case_.name: _odds_question_json(case_) for case_ in cases if ODDS_KEY in case_.expect}
        refused = [case_.name for case_ in cases if "refused" in case_.expect]
        begins = {case_.name: case_.procedure.text for case_ in cases if not case_.problems}
        names = [case_.name for case_ in cases]
        yield {"file": place, "cases": names, "refused": refused, "procedures": begins, "odds": odds_questions}


def _odds_question_json(case: ScenarioCase) -> dict[str, Any]:
    node = case.expect.get(ODDS_KEY)
    expressions = [key.text for key, _ in map_entries(node)]
    return {"of": expressions, "policy": default_policy(case.policies)}
