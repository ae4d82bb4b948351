"""A ruleset that asks every sort of question, and a table to play it at."""

from dataclasses import dataclass, field
from typing import Any

from rulewright.base.diagnostics import PLAIN_PAINTER, Diagnostic
from rulewright.base.diagnostics.renderings import render_plain_diagnostic
from rulewright.base.files import MemoryFiles
from rulewright.documents.answer_scripts import AnswerScript, parse_script
from rulewright.documents.document_nodes import data_to_node
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.documents.state_file import parse_state
from rulewright.play.answer_sources import AnswerSourceChain
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import PlayStart
from rulewright.play.terminal_play import PlayTerminal
from rulewright.runtime.executable import compile_program
from rulewright.runtime.faults import RunLimits

RULES = """\
ruleset shapes "Shapes" revision "1"
values Mood: calm, angry

kind Unit, units:
  owner: player
  at: hex
  facing: direction
  health: 0..9
  mood: Mood = calm

board field of hex

external procedure test(u: Unit) gives 0..3 changes Unit.mood "A test"
external procedure omen(u: Unit) changes Unit.mood "An omen"
external term bonus(u: Unit) gives 0..3 "Bonus"

event begins(who: Unit) "It begins":
  holders units
  order by [who.owner]
handler cheer for each u in units on begins when u.owner = who.owner optional "Cheer?":
  take up to 1 from u.health
handler groan for each u in {who} on begins "Groan":
  add up to 1 to u.health

procedure foretold(u: Unit) "An omen":
  perform omen(u)

procedure window(u: Unit) "A window":
  trigger begins(u)

procedure pick(u: Unit) "A pick":
  ask u.owner to pick 0..2 of each w in units as used "Which?":
    require own: (no x in used) or u in used "must hold itself"
  if u in used:
    remove u

procedure split(u: Unit) "A split":
  ask u.owner to split 3 over units as shares "Shares"
  add up to shares[u] to u.health

procedure order(u: Unit) "An order":
  ask u.owner to order units as turns "Order?"
  if turns[1] = u:
    remove u

procedure arranged(u: Unit) "An order with a row":
  ask u.owner to order units as turns "Order?":
    require last: turns[3] = u "it comes last"
  remove u

procedure heading(u: Unit) "A turn":
  ask u.owner to turn u as way "Where to?"
  turn u to way

procedure one(u: Unit) "One of a set":
  ask u.owner for w in units where w.health > 2 "Whom?":
    remove w
  else:
    nothing

procedure place_to_go(u: Unit) "A hex":
  ask u.owner for dest in neighbours(u.at) "Where?":
    move u to dest
  else:
    nothing

procedure choose(u: Unit) "Options":
  ask u.owner to choose way "How?":
    option hard when u.health > 8 "The hard way":
      remove u
    option easy "The easy way":
      take up to 1 from u.health
    option never "Not at all":
      nothing

procedure dice(u: Unit) "Dice":
  roll 2d6 as luck by u.owner
  ask u.owner to pick 0..1 of each d in luck where d.rerolls = 0 as again "Again?"
  reroll again by u.owner
  if total(luck) > 7:
    take up to 1 from u.health

procedure lots(u: Unit) "Lots":
  let hat = units
  draw from hat as lot
  if lot = u:
    remove u

procedure elsewhere(u: Unit) "Elsewhere":
  if bonus(u) > 1:
    perform test(u) as found
    take up to found from u.health
"""
STATE: dict[str, Any] = {
    "players": ["red", "blue"],
    "units": {
        "hammer": {"owner": "red", "at": [0, 0], "facing": 2, "health": 3},
        "anvil": {"owner": "blue", "at": [1, 0], "facing": 3, "health": 2},
        "tongs": {"owner": "red", "at": [0, 1], "facing": 3, "health": 3},
    },
    "field": {"shape": {"radius": 2}},
}
_PROVIDER = MemoryFiles({"shapes.rules": RULES})
_PROGRAM = load_ruleset(locate_ruleset("shapes.rules", _PROVIDER), provider=_PROVIDER).program
assert _PROGRAM is not None
_EXECUTABLE = compile_program(_PROGRAM, traced=True)


def begin_play(procedure: str, state: dict[str, Any] | None = None) -> PlayStart:
    situation = parse_state(data_to_node(state or STATE), _EXECUTABLE.program).value
    assert situation is not None
    return PlayStart(_EXECUTABLE, _EXECUTABLE.program.procedures[procedure], situation, (0,), RunLimits())


def make_sources(of: PlayStart, script: Any = None, **more: Any) -> AnswerSourceChain:
    found: AnswerScript | None = (
        None if script is None else parse_script(data_to_node(script), _EXECUTABLE.program).value
    )
    assert script is None or found is not None
    return AnswerSourceChain(of.names, SeededRandom(1), found, **more)


@dataclass
class TableSession:
    """What was typed and said at a table."""

    typed: list[str]
    said: list[str] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)

    @property
    def make_terminal(self) -> PlayTerminal:
        lines = iter(self.typed)

        def ask(prompt: str) -> str:
            del prompt
            line = next(lines, None)
            if line is None:
                raise EOFError
            return line

        def report(found: tuple[Diagnostic, ...]) -> None:
            self.said.extend(render_plain_diagnostic(each, {}) for each in found)

        def write(file: str, beginning: str, content: str) -> None:
            del beginning
            self.written[file] = content

        def left_alone(prompt: str) -> str:
            raise EOFError(prompt)

        return PlayTerminal(
            ask,
            self.said.append,
            report,
            write,
            ask,
            hide_typed=lambda: self.said.append("(hidden)"),
            paint=PLAIN_PAINTER,
            viewer=None,
            rule_texts={},
            ask_after_end=left_alone,
            attempt=lambda action: action(),
            locate_rules=lambda _: ("", ()),
            has_script=False,
            list_advice=lambda *_: ("there is no advice here",),
            explain_step=lambda *_: (),
        )
