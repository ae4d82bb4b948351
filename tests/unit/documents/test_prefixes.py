"""A ruleset used under a prefix: its names need the prefix only where another has the same name."""

import jsonschema

from rulewright.base.files import MemoryFiles
from rulewright.base.source import Text
from rulewright.documents.document_nodes import data_to_node
from rulewright.documents.document_schemas import state_schema
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.documents.state_file import parse_state, read_state
from rulewright.documents.state_json import state_to_json
from rulewright.program.declarations import Program

FILES = {
    "base.rules": """\
ruleset base "Base" revision "1"
kind Unit, units:
  owner: player
  morale: 0..9
game:
  active: Unit
procedure rally(unit: Unit) "Rally":
  step 1 "Rally":
    ask unit.owner whether cheer when unit = active and unit.morale < 9 "Cheer?":
      add up to 1 to unit.morale
""",
    "main.rules": """\
ruleset main "Main" revision "1"
use "base.rules" as base
procedure twice(unit: base.Unit) "Twice":
  perform base.rally(unit)
  perform base.rally(unit)
""",
}
STATE = "players: [red]\nunits: {hammer: {owner: red, morale: 2}}\ngame: {active: hammer}\n"


def _program() -> Program:
    provider = MemoryFiles(FILES)
    loaded = load_ruleset(locate_ruleset("main.rules", provider), provider=provider)
    assert loaded.diagnostics == ()
    assert loaded.program
    return loaded.program


def test_a_section_stands_once_in_one_of_its_spellings() -> None:
    found = read_state(Text("s.yaml", STATE + "base.units: {}\n"), _program()).diagnostics
    assert [(each.code, each.message) for each in found] == [
        ("RW0704", "`base.units` is given twice, with and without its prefix")
    ]


def test_states_are_written_with_prefixes_and_fit_the_schema() -> None:
    program = _program()
    situation = read_state(Text("s.yaml", STATE), program).value
    assert situation
    written = state_to_json(situation, program)
    assert list(written) == ["players", "base.units", "game"]
    jsonschema.validate(written, state_schema(program))
    assert parse_state(data_to_node(written), program).diagnostics == ()
