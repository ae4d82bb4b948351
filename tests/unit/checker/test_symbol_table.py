"""The symbol table of a check: what each name of a text means."""

from collections import Counter

import pytest

from rulewright.base.files import DISK, get_resource_folder
from rulewright.checker.infer.calls import LANGUAGE_FUNCTIONS
from rulewright.checker.name_spaces import PLAIN_TYPES
from rulewright.checker.symbol_table import SymbolTable
from rulewright.documents.ruleset_loading import LoadedRuleset, load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.syntax.nodes import expressions as e, statements as s
from rulewright.syntax.nodes.expressions import Dotted, Name, walk_written_nodes
from support.reference.ruleset_texts import load_files
from support.sample_sizes import sample_cases

RULESETS = sorted(each.name for each in get_resource_folder("rulesets").iterdir() if each.is_dir())

RULES = """\
ruleset small "Small" revision "1"

values Mood: calm, wild

kind Knight, knights:
  health: 0..9
  mood: Mood
  owner: player
  angry means mood = wild

game:
  round: 0..9 = 1

event struck(one: Knight) "Struck"

term tired(one: Knight, limit: 0..9) gives flag means one.health < limit

procedure strike(one: Knight, other: Knight) "Strike":
  step 1:
    roll 2d6 as blow
    take up to total(blow) from other.health
    if other.angry and not tired(one, limit: round):
      proceed to 2
  step 2:
    trigger struck(other)
    for each k in knights where k.health = 0:
      remove k

procedure again(one: Knight, foe: Knight) like strike(one, other: foe) "Strike again":
  replace step 2:
    set foe.mood to calm

handler grieve for each k in {one} on struck "Grieve":
  set one.mood to wild
"""


def listed(loaded: LoadedRuleset) -> list[str]:
    """Uses as `space owner name` under the written name."""
    text = loaded.texts["small.rules"].content
    return [
        f"{text[span.start : span.end]}: {use.space} {use.owner}/{use.name}"
        for span, use in loaded.symbols.uses.items()
    ]


def test_what_names_mean() -> None:
    loaded = load_files({"small.rules": RULES}, "small.rules")
    assert loaded.errors == ()
    counted = Counter(listed(loaded))
    assert counted["one: locals tired/one"] == 1
    assert counted["limit: locals tired/limit"] == 1, "read in the term"
    assert counted["limit: parameters tired/limit"] == 1, "filled in the call"
    assert counted["health: attributes Knight/health"] == 3
    assert counted["mood: attributes Knight/mood"] == 3
    assert counted["wild: words Mood/wild"] == 2
    assert counted["Mood: types /Mood"] == 1
    assert counted["angry: attributes Knight/angry"] == 1
    assert counted["round: names /round"] == 1
    assert counted["knights: names /knights"] == 1
    assert counted["2: steps strike/2"] == 1
    assert counted["struck: callables /struck"] == 2
    assert counted["one: locals struck/one"] == 2, "a handler names what its event is about"
    assert counted["strike: callables /strike"] == 1
    assert counted["other: locals strike/other"] == 3
    assert counted["other: parameters strike/other"] == 1, "the role of what is like it"
    assert counted["foe: locals again/foe"] == 2


def test_names_of_a_used_ruleset() -> None:
    written = """\
ruleset war "War" revision "1"
use "arms.rules" as arms
procedure fight(one: arms.Unit):
  perform arms.hit(one)
"""
    arms = """\
ruleset arms "Arms" revision "1"
kind Unit, units:
  health: 0..9
procedure hit(one: Unit):
  take up to 1 from one.health
"""
    uses = load_files({"war.rules": written, "arms.rules": arms}, "war.rules").symbols.uses.items()
    named = {(written[at.start : at.end], use.space, use.name) for at, use in uses if at.source == "war.rules"}
    assert named == {
        ("arms", "prefixes", "arms"),
        ("Unit", "types", "arms.Unit"),
        ("hit", "callables", "arms.hit"),
        ("one", "locals", "one"),
    }


LANGUAGE_NAMES = {
    *LANGUAGE_FUNCTIONS, *PLAIN_TYPES, "direction", "gone", "natural", "face", "at", "thing", "self", "other",
}  # fmt: skip


@pytest.mark.parametrize("name", sample_cases(RULESETS, 3))
def test_every_name_is_noted(name: str) -> None:
    loaded = load_ruleset(locate_ruleset(str(get_resource_folder("rulesets") / name)), (), DISK)
    assert loaded.linked is not None
    written = (
        found
        for module in loaded.linked.modules
        for node in walk_written_nodes(module.declarations)
        for found in written_names(node)
    )
    assert {found.text for found in written if found.span not in loaded.symbols.uses} <= LANGUAGE_NAMES


def written_names(node: object) -> tuple[Name, ...]:
    """Names directly in a node that mean something declared elsewhere."""
    match node:
        case e.Reference(name=text, span=span):
            return (Name(text, span),)
        case e.Attribute(name=Name() as name) | e.Argument(name=Name() as name) | s.Proceed(step=name):
            return (name,)
        case Dotted(parts=parts):
            return parts
        case _:
            return ()


def test_a_table_without_uses() -> None:
    assert SymbolTable().uses == {}
