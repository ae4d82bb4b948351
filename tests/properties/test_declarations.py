"""What is declared with any type and start value is refused, or can be made, played, written and read again."""

from random import Random

import jsonschema
from hypothesis import given, settings, strategies as st

from rulewright.base.diagnostics import has_errors
from rulewright.documents.document_schemas import script_schema, state_schema
from rulewright.documents.state_generation import make_state, parse_situation
from rulewright.documents.state_json import state_to_json
from rulewright.documents.value_sampling import SeededChoices, SizeRanges
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.request import Ended
from support.judge_comparison import compile_once
from support.legal_starts import begin_procedure, make_legal_situation
from support.reference.ruleset_texts import load_text
from support.sample_sizes import choose_count

PLAIN = "flag 0..3 -2..-1 text Mood Unit player hex direction inches Hit point angle".split()  # noqa: SIM905
STARTS = (
    *("no", "0", "-1", "7", "none", "{}", "[]", "calm", "hex(0, 0)", "hex(1 + 1, 0)", "point(1.5, 2)", '""', "far"),
    *("min(1, 2)", "1 + 2", "5 / 2", "not no", "{calm}", "Hit(amount: 1)"),
)
OWNERS = {
    "kind": "u.it",
    "player": "u.owner.it",
    "game": "it",
    "cell": "u.at.it",
    "side": "side(u.at, hex(9, 9)).it",
    "parameter": "it",
}


def draw_declaration(draw: Random) -> str:
    """A ruleset with one attribute, field or parameter of some type, with a start value or without."""
    owner = draw.choice(list(OWNERS))
    field = f"it: {draw_type(draw, 2)}{draw.choice(['', f' = {draw.choice(STARTS)}'])}"
    places = {owner: f"  {'side ' if owner == 'side' else ''}{field}\n"}
    parameter = f", {field}" if owner == "parameter" else ""
    game = f"game:\n{places['game']}" if "game" in places else ""
    return f"""\
ruleset example "Example" revision "1"
values Mood: calm, wary
setting far: 0..9 = 3
record Hit:
  amount: 0..3
kind Unit, units:
  owner: player
  at: hex
{places.get("kind", "")}kind player, players:
  score: 0..9 = 0
{places.get("player", "")}board field of hex:
  mud: flag = no
{places.get("cell", "")}{places.get("side", "")}{game}procedure main(u: Unit{parameter}):
  let old = {OWNERS[owner]}
  if old = {OWNERS[owner]}:
    add up to 1 to u.owner.score
  set u.at.mud to no
{"" if parameter else f"  set {OWNERS[owner]} to old"}
"""


def draw_type(draw: Random, depth: int) -> str:
    """A type as it is written, collections inside collections."""
    inner = draw.choice(PLAIN) if depth == 0 or draw.random() < 0.5 else draw_type(draw, depth - 1)
    form = draw.choice(["{}", "{}", "{}?", "set of {}", "list of {}", "bag of {}", "deck of {}", "map of Mood to {}"])
    return form.format(inner)


@settings(max_examples=choose_count(62, 250), deadline=None)
@given(seed=st.integers(0, 2**32))
def test_every_declaration_is_refused_or_plays(seed: int) -> None:
    read = load_text(draw_declaration(Random(seed)))
    if read.program is None or has_errors(read.diagnostics):
        return
    program, chooser = read.program, SeededChoices(seed)
    executable, schema = compile_once(program), jsonschema.Draft202012Validator(state_schema(program))
    script_schema(program)
    situation = make_legal_situation(lambda: make_state(program, SizeRanges(things={"Unit": (1, 3)}), chooser), program)
    start = situation and begin_procedure(executable, situation, program.procedures["main"], chooser, RunLimits())
    if not start:
        return
    assert isinstance(start[1], Ended)
    end = state_to_json(start[1].state.extract_situation(), program)
    assert schema.is_valid(end)
    assert parse_situation(end, program) is not None
