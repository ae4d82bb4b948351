"""What is left of a program under its chosen readings."""

from rulewright.base.node_roles import walk_nodes
from rulewright.program import expressions as ex, statements as st
from rulewright.wording.chosen_readings import fold_chosen_readings
from support.revision_pairs import check_text

RULES = """\
ruleset things "Things" revision "1"
kind Unit, units:
  big: flag
  brave: flag
setting all_fight: flag = yes "All fight"
setting none_hide: flag = yes "None hide"
term may_fight(u: Unit) when any "may fight":
  reading: all_fight{guard}
  brave: u.brave
term is_seen(u: Unit) when all "is seen":
  reading: not none_hide{guard}
  big: u.big
procedure go(u: Unit) gives flag "Go":
  require fights: may_fight(u) "it does not fight"
  finish with is_seen(u)
"""


def _find_calls(guard: str) -> set[str]:
    """Terms that the folded procedure still calls."""
    program = fold_chosen_readings(check_text(RULES.format(guard=guard))).program
    return {node.function for node in walk_nodes(program.procedures["go"]) if isinstance(node, ex.CallFunction)}


def test_a_row_that_decides_always_decides_for_all() -> None:
    assert _find_calls("") == set()


def test_a_row_that_is_skipped_for_some_decides_nothing_for_all() -> None:
    assert _find_calls(" when u.big") == {"may_fight", "is_seen"}


STEERED = """\
ruleset things "Things" revision "1"
document T "The things"
kind Unit, units:
  big: flag
procedure go(u: Unit) gives flag "Go":
  let was_big = u.big
  let seen: flag = no
  if was_big and not u.big:
    ruling T.1 "a unit that shrank stays"
  if u.big:
    set seen to yes
  finish with seen
"""


def test_names_that_steer_rulings_alone_are_left_out_also_without_a_setting() -> None:
    folded = fold_chosen_readings(check_text(STEERED)).program.procedures["go"]
    assert [node.variable.name for node in walk_nodes(folded) if isinstance(node, st.Let)] == ["seen"]
    assert [type(node) for node in walk_nodes(folded) if isinstance(node, st.If | st.Ruling)] == [st.Ruling, st.If]
