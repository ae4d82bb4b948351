"""Plays of the old revision under the new one."""

from rulewright.diff.differential_testing.play_comparison import compare_plays
from rulewright.diff.differential_testing.results import ComparisonEffort, ComparisonFixtures
from rulewright.diff.differential_testing.scenario_migration import MigratedPlay, migrate_saved_plays
from rulewright.documents.saved_sessions import RecordedAnswer, SavedSession
from support.revision_pairs import check_text, match_names
from unit.diff.differential_testing.test_witnesses import RULES

STATE = {
    "players": {"red": {}, "blue": {}},
    "knights": {"gawain": {"owner": "red", "wounds": 3}, "mordred": {"owner": "blue", "wounds": 1}},
}
ANSWERS = (
    RecordedAnswer("strike/1/mighty", "red", False),
    RecordedAnswer("strike/1/blow", "red", [3]),
    RecordedAnswer("strike/2/answer", "blue", "raise"),
)


def what_becomes(before: str, after: str, number: int = 3) -> MigratedPlay:
    """What becomes of a strike, as far as so many answers, where one text stands for another."""
    old, new = check_text(RULES), check_text(RULES.replace(before, after))
    roles = {"striker": "gawain", "target": "mordred"}
    save = SavedSession("duel", "1", "", "strike", roles, STATE, None, ANSWERS[:number])
    (found,) = migrate_saved_plays(old, new, match_names(old, new), {"one": save})
    return found


def test_a_play_may_run_on() -> None:
    assert what_becomes("natural >= 4", "natural >= 5") == MigratedPlay("one", "same", answers=3)
    assert what_becomes("ask target.owner to choose", "ask striker.owner to choose", 1) == MigratedPlay(
        "one", "same", answers=1
    )


def test_a_play_may_differ() -> None:
    assert what_becomes("natural >= 4", "natural >= 3") == MigratedPlay("one", "differs", "end", 3)
    addresses = ("strike/2/answer", "strike/2/answer")
    asked = what_becomes("ask target.owner to choose", "ask striker.owner to choose")
    assert asked == MigratedPlay("one", "differs", "asked", 2, addresses)
    refused = what_becomes("striker.wounds >= 1", "striker.wounds >= 4")
    assert refused == MigratedPlay("one", "differs", "refused", 0, ("strike/1/mighty", "strike/standing"))


def test_a_play_may_not_load() -> None:
    assert what_becomes("wounds: 0..5", "wounds: 0..5\n  name: text").message == "`gawain` lacks `name`"
    narrower = what_becomes("wounds: 0..5", "wounds: 0..2")
    assert (narrower.outcome, narrower.message) == ("lost", "it holds something that the new revision does not know")


def test_recorded_plays_are_played_first() -> None:
    old, new = check_text(RULES), check_text(RULES.replace("natural >= 4", "natural >= 3"))
    save = SavedSession("duel", "1", "", "strike", {"striker": "gawain", "target": "mordred"}, STATE, None, ANSWERS)
    alone = ComparisonEffort(work=1, workers=1)
    (witness,) = compare_plays(
        old, new, match_names(old, new), fixtures=ComparisonFixtures(plays=(save,)), effort=alone
    ).witnesses
    assert witness.sort == "end"
    assert [each.answer for each in witness.old.answers] == [False, [3], "raise"]
