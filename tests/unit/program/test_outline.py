"""The outline keeps what the author wrote: ids, titles, clauses, own lines, and comments where they belong."""

from rulewright.base.files import MemoryFiles
from rulewright.base.source import Text
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import RulesetLocation
from rulewright.program.outline.items import OutlineItem
from rulewright.program.outline.outline_builder import build_outline

RULES = """\
# The title page of the text.

ruleset duel "Duel" revision "1"
document DUE "The Duel"

# Units are cardboard
# or wood.
kind Unit, units:  # one a base
  owner: player
  # Runs low in a siege.
  morale: 0..9

procedure rally(unit: Unit) "Rally":  @1
  # Only the brave.
  step 1 "Ask":
    ask unit.owner whether loud "Loud # or not?":  @1.b
      add up to 1 to unit.morale  # never above 9
"""


def _items() -> dict[str, OutlineItem]:
    loaded = load_ruleset(RulesetLocation("duel.rules"), (), MemoryFiles({"duel.rules": RULES}))
    assert loaded.program is not None
    return {each.address: each for each in build_outline(loaded.program, loaded.texts).walk_items()}


def test_comments_belong_to_what_they_stand_above_or_behind() -> None:
    found = {address: item.notes for address, item in _items().items() if item.notes}
    assert found == {
        "Unit": ("Units are cardboard", "or wood.", "one a base"),
        "Unit/morale": ("Runs low in a siege.",),
        "rally/1": ("Only the brave.",),
        "rally/1/add.unit.morale": ("never above 9",),
    }


def test_items_keep_ids_titles_clauses_and_their_own_line() -> None:
    step, ask = (_items()[each] for each in ("rally/1", "rally/1/loud"))
    assert (step.sort, step.id, step.title) == ("step", "1", "Ask")
    assert (ask.sort, ask.id, ask.title, ask.cites) == ("line", "loud", "Loud # or not?", ("DUE.1.b",))
    assert ask.text.startswith('ask unit.owner whether loud "Loud # or not?"')


def test_comments_are_no_part_of_what_is_said() -> None:
    loaded = load_ruleset(RulesetLocation("duel.rules"), (), MemoryFiles({"duel.rules": RULES}))
    assert loaded.program is not None
    texts = {name: Text(name, text.content.replace("#", " ")) for name, text in loaded.texts.items()}
    bare = build_outline(loaded.program, texts)
    noted = build_outline(loaded.program, loaded.texts)
    assert [each.form for each in bare.walk_items()] == [each.form for each in noted.walk_items()]
