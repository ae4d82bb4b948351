"""What `diff` makes of plays: scenarios written, saves and scenarios of the old revision."""

from rulewright.base.files import MemoryFiles
from rulewright.documents.answers import read_answer
from rulewright.documents.document_nodes import Json, data_to_node
from rulewright.documents.name_table import NameTable
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.documents.state_generation import parse_situation
from rulewright.runtime.executable import compile_program
from rulewright.runtime.run import Paused, start_run
from support.duel_example import STRIKE_RULES


def test_shares_of_nobody_are_no_fault_of_the_tool() -> None:
    rules = f"{STRIKE_RULES}procedure share(k: Knight):\n  ask k.owner to split 2 over {{k}} + knights as shares\n"
    provider = MemoryFiles({"duel.rules": f"{rules}  for each x in knights:\n    take up to shares[x] from x.health\n"})
    found = load_ruleset(locate_ruleset("duel.rules", provider), provider=provider)
    assert found.program is not None
    knights: Json = {"a": {"owner": "red", "health": 3}, "b": {"owner": "red", "health": 3}}
    situation = parse_situation({"players": ["red"], "knights": knights}, found.program)
    assert situation is not None
    outcome = start_run(compile_program(found.program, traced=True), situation, "share", (1,))
    assert isinstance(outcome, Paused)
    read = read_answer(outcome.request, data_to_node({"ghost": 2}), NameTable(found.program, situation.base))
    assert [each.code for each in read.diagnostics] == ["RW0714"]
