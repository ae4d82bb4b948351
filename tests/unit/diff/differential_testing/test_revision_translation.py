"""States, values and questions of two revisions that call things differently."""

from typing import Any

import pytest

from rulewright.diff.differential_testing.play_comparison import compare_plays
from rulewright.diff.differential_testing.results import ChangedNames, ComparisonEffort
from rulewright.diff.differential_testing.revision_translation import (
    NoCounterpartError,
    ValueTranslation,
    translate_state,
)
from rulewright.diff.edits import Correspondence
from rulewright.program.outline.items import DeclaredName
from rulewright.program.types import NumberType, OptionalType, SetType, WordType
from support.revision_pairs import check_text, match_names

OLD = """
ruleset camp "Camp" revision "1"

values Mood: calm, angry

kind Scout, scouts:
  owner: player
  at: hex
  mood: Mood
  moods: set of Mood = {}
  weight: 0..9 = 0

board field of hex:
  rough: flag = no

game:
  round: 1..9 = 1

setting lucky: flag = no

external procedure wind(scout: Scout) gives 0..3 changes Scout.mood "Wind"

procedure rest(scout: Scout) "Rest":
  perform wind(scout) as gust
  if gust >= 2:
    set scout.mood to calm
  ask scout.owner for mate in scouts where mate != scout "With whom?":
    set mate.mood to scout.mood
"""

NEW = """
ruleset camp "Camp" revision "2"

values Temper: cross, calm

kind Ranger, rangers:
  boots: 0..4 = 2
  name: text = "nobody"
  owner: player
  at: hex
  temper: Temper
  tempers: set of Temper = {}

board meadow of hex:
  stony: flag = no

game:
  turn: 1..9 = 1

setting lucky: flag = no
setting mild: flag = no

external procedure breeze(ranger: Ranger) gives 0..3 changes Ranger.temper "Breeze"

procedure sleep(ranger: Ranger) "Sleep":
  perform breeze(ranger) as gust
  if gust > 1:
    set ranger.temper to calm
  ask ranger.owner for mate in rangers where mate != ranger "Beside whom?":
    set mate.temper to ranger.temper
"""

RENAMED = {
    ("values", "Mood"): "Temper",
    ("word", "Mood/calm"): "Temper/calm",
    ("word", "Mood/angry"): "Temper/cross",
    ("kind", "Scout"): "Ranger",
    ("plural", "Scout"): "Ranger",
    ("attribute", "Scout/owner"): "Ranger/owner",
    ("attribute", "Scout/at"): "Ranger/at",
    ("attribute", "Scout/mood"): "Ranger/temper",
    ("attribute", "Scout/moods"): "Ranger/tempers",
    ("board", "field"): "meadow",
    ("cell", "field/rough"): "meadow/stony",
    ("field", "round"): "turn",
    ("external", "wind"): "breeze",
    ("procedure", "rest"): "sleep",
    ("parameter", "rest/scout"): "sleep/ranger",
}

STATE: dict[str, Any] = {
    "players": {"red": {}, "blue": {}},
    "scouts": {"fox": {"owner": "red", "at": [0, 0], "mood": "angry", "moods": ["calm", "angry"], "weight": 3}},
    "field": {"shape": {"radius": 1}, "cells": {"1,0": {"rough": True}}},
    "game": {"round": 4},
    "settings": {"lucky": True},
    "removed": ["scouts/fox"],
}


def names() -> Correspondence:
    """The names of both camps."""
    told = {DeclaredName(sort, old): DeclaredName(sort, new) for (sort, old), new in RENAMED.items()}
    return match_names(check_text(OLD), check_text(NEW), told)


def test_a_state_is_carried_over_with_all_names() -> None:
    assert translate_state(STATE, ValueTranslation(check_text(OLD), check_text(NEW), names())) == {
        "players": {"red": {}, "blue": {}},
        "rangers": {"fox": {"owner": "red", "at": [0, 0], "temper": "cross", "tempers": ["calm", "cross"]}},
        "meadow": {"shape": {"radius": 1}, "cells": {"1,0": {"stony": True}}},
        "game": {"turn": 4},
        "settings": {"lucky": True},
        "removed": ["rangers/fox"],
    }


def test_links_stand_in_the_order_of_the_state() -> None:
    camp = check_text(OLD + "relation path(a: Scout, b: Scout) symmetric\n")
    state = {"players": {}, "scouts": {"owl": {}, "fox": {}, "elk": {}}, "path": [["owl", "fox"], ["elk", "owl"]]}
    told = translate_state(state, ValueTranslation(camp, camp, match_names(camp, camp)))
    assert told["path"] == [["owl", "fox"], ["elk", "owl"]]


def test_a_value_without_a_counterpart_is_lost() -> None:
    gone = Correspondence({old: new for old, new in names().names.items() if old.name != "Mood/angry"}, {})
    crossing = ValueTranslation(check_text(OLD), check_text(NEW), gone)
    mood, temper = WordType("Mood"), WordType("Temper")
    assert crossing.translate_value(["calm"], SetType(mood), SetType(temper)) == ["calm"]
    with pytest.raises(NoCounterpartError):
        crossing.translate_value("angry", mood, temper)
    with pytest.raises(NoCounterpartError):
        crossing.translate_value(7, NumberType(0, 9), NumberType(0, 5))
    with pytest.raises(NoCounterpartError):
        crossing.translate_value(None, OptionalType(mood), temper)


def test_only_names_differ() -> None:
    old, new = check_text(OLD), check_text(NEW)
    alone = ComparisonEffort(work=480_000, workers=1)
    changed = ChangedNames((DeclaredName("procedure", "rest"),), (DeclaredName("procedure", "sleep"),))
    found = compare_plays(old, new, names(), changed, effort=alone, seed=3)
    assert found.witnesses == ()
    assert (found.verdict.word, found.verdict.limit) == ("unknown", f"nothing differed in {found.plays} plays")


def test_a_difference_is_found_behind_other_names() -> None:
    old, new = check_text(OLD), check_text(NEW.replace("gust > 1", "gust > 2"))
    alone = ComparisonEffort(work=480_000, workers=1, witnesses=1)
    found = compare_plays(old, new, names(), effort=alone, seed=3)
    (witness,) = found.witnesses
    assert witness.sort == "end"
    assert witness.old.answers[0].answer == {"result": 2, **_changes(witness.old.answers[0].answer)}


def _changes(answer: Any) -> dict[str, Any]:
    return {"changes": answer["changes"]} if "changes" in answer else {}
