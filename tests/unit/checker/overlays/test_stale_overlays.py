"""Overlays that were written for other rules than those they amend."""

import pytest

from rulewright.base.diagnostics.remedies import apply_diagnostic_edits
from rulewright.documents.ruleset_loading import LoadedRuleset
from support.reference.ruleset_texts import load_files

BASE = """\
ruleset base "Base" revision "1"
kind Unit, units:
  owner: player
  health: 0..9
tally dice(u: Unit) from u.health "Dice":
  weak: -1 when u.health < 3
  floor: at least 0
procedure rest(u: Unit) "Rest":
  if dice(u) < 3:
    add up to 1 to u.health
  take up to 1 from u.health
"""
HOUSE = """\
amends base revision "1-house"
written for revision "1" fingerprint ""
replace row dice/weak: -2 when u.health < 3
insert into rest/if:
  add up to 1 to u.health
"""


def read(base: str, house: str, more: str = "") -> LoadedRuleset:
    texts = {"base.rules": base, "house.rules": house} | ({"more.rules": more} if more else {})
    overlays = ("more.rules", "house.rules") if more else ("house.rules",)
    return load_files(texts, "base.rules", overlays)


def told(loaded: LoadedRuleset) -> list[str]:
    """What is said of the line, with what is known to have changed."""
    return [" ".join((each.message, *each.notes)) for each in loaded.diagnostics if each.code == "RW0617"]


def renewed(base: str, house: str) -> str:
    found = read(base, house)
    (warning,) = (each for each in found.diagnostics if each.code == "RW0617")
    return apply_diagnostic_edits([warning], found.texts)["house.rules"]


WRITTEN = renewed(BASE, HOUSE)


def test_an_empty_fingerprint_is_filled_in() -> None:
    (warning,) = read(BASE, HOUSE).diagnostics
    assert warning.message == "the fingerprint of `base` is not written yet"
    assert all(edit.safe for edit in warning.edits)
    assert told(read(BASE, WRITTEN)) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("at least 0\n", "at least 0  # never less\n", ""),
        ("weak: -1", "weak: -3", "`dice/weak`"),
        ("dice(u) < 3", "dice(u) < 4", "`rest/if`"),
        ("  if dice(u) < 3:\n    add up to 1 to u.health\n", "  nothing\n", "`rest/if`"),
        ("take up to 1", "take up to 2", "Nothing"),
    ],
)
def test_what_changed_is_named(old: str, new: str, message: str) -> None:
    found = told(read(BASE.replace(old, new), WRITTEN))
    if not message:
        assert found == []
        return
    (said,) = found
    about = "Nothing that this overlay is about has changed." if message == "Nothing" else ""
    named = about or f"These parts that the overlay is about have changed: {message}."
    assert said == f'`base` revision "1" has changed since this was written {named}'


def test_another_revision_is_told_first() -> None:
    (said,) = told(read(BASE.replace('revision "1"', 'revision "2"'), WRITTEN))
    assert said.startswith('this was written for revision "1" of `base`, which is at "2" now Nothing')


def test_of_an_overlay_changed_since_only_that_the_base_moved_on_is_said() -> None:
    (said,) = told(read(BASE.replace("weak: -1", "weak: -3"), f"{WRITTEN}remove dice/floor\n"))
    assert said == '`base` revision "1" has changed since this was written'


def test_renewing_is_for_who_looked() -> None:
    base = BASE.replace("weak: -1", "weak: -3")
    (warning,) = read(base, WRITTEN).diagnostics
    assert not any(edit.safe for edit in warning.edits)
    assert told(read(base, renewed(base, WRITTEN))) == []


def test_overlays_beside_it_change_nothing_for_it() -> None:
    more = 'amends base revision "1-more"\ninsert before rest/if:\n  if dice(u) < 1:\n    stop\n'
    assert told(read(BASE, WRITTEN, more.replace("stop", "finish"))) == []


def test_the_line_does_not_count_in_the_fingerprint_of_what_it_makes() -> None:
    first, second = read(BASE, WRITTEN).program, read(BASE, HOUSE).program
    assert first is not None
    assert second is not None
    assert first.fingerprint == second.fingerprint
