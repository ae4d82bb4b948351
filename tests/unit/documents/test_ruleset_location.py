from pathlib import Path

import pytest

from rulewright.base.files import DiskFiles, MemoryFiles
from rulewright.documents.ruleset_location import RulesetLocation, locate_ruleset

RULESET = 'ruleset {} "Title" revision "1"\n'
AMENDS = '# a comment first\n\namends {} revision "1"\n'


def memory(**more: str) -> MemoryFiles:
    texts = {
        "mine/one.rules": RULESET.format("one"),
        "mine/house.rules": AMENDS.format("one"),
        "mine/things.rules": "kind Unit, units:\n  owner: player\n",
        "two-games/two_games.rules": RULESET.format("two"),
        "two-games/other.rules": RULESET.format("other"),
        "many/a.rules": RULESET.format("a"),
        "many/b.rules": RULESET.format("b"),
        "empty/readme.txt": "nothing",
        "ship/mel/mel.rules": RULESET.format("mel"),
    }
    return MemoryFiles(texts | more, shipped="ship")


def codes(found: RulesetLocation) -> list[str]:
    assert found.main is None
    return [each.code for each in found.diagnostics]


def test_a_file_is_itself() -> None:
    assert locate_ruleset("mine/one.rules", memory()) == RulesetLocation("mine/one.rules")


def test_a_folder_stands_for_its_only_ruleset() -> None:
    assert locate_ruleset("mine", memory()) == RulesetLocation("mine/one.rules")
    assert locate_ruleset("mine/", memory()) == RulesetLocation("mine/one.rules")


def test_a_folder_stands_for_the_file_of_its_name() -> None:
    assert locate_ruleset("two-games", memory()) == RulesetLocation("two-games/two_games.rules")


def test_a_name_stands_for_a_shipped_ruleset() -> None:
    assert locate_ruleset("mel", memory()) == RulesetLocation("ship/mel/mel.rules")


def test_an_overlay_brings_its_base() -> None:
    assert locate_ruleset("mine/house.rules", memory()) == RulesetLocation("mine/one.rules", ("mine/house.rules",))


def test_an_overlay_of_a_shipped_ruleset_may_stand_anywhere() -> None:
    found = locate_ruleset("mine/mel_house.rules", memory(**{"mine/mel_house.rules": AMENDS.format("mel")}))
    assert found == RulesetLocation("ship/mel/mel.rules", ("mine/mel_house.rules",))


def test_an_overlay_without_base_is_refused() -> None:
    texts = {"mine/lost.rules": AMENDS.format("nowhere")}
    assert codes(locate_ruleset("mine/lost.rules", memory(**texts))) == ["RW0009"]


def test_an_overlay_of_one_of_several_rulesets_of_a_name_is_refused() -> None:
    texts = {"mine/before.rules": RULESET.format("one")}
    (found,) = locate_ruleset("mine/house.rules", memory(**texts)).diagnostics
    assert (found.code, found.message, found.help) == (
        "RW0007",
        "`mine/house.rules` amends `one`, and `mine/before.rules` and `mine/one.rules` have this name",
        "name one of them, with `--overlay mine/house.rules`",
    )


def test_a_folder_stands_for_the_ruleset_that_uses_the_others() -> None:
    texts = {"copy/first.rules": RULESET.format("first"), "copy/whole.rules": RULESET.format("whole")}
    texts["copy/whole.rules"] += '\nuse "first.rules"\n'
    assert locate_ruleset("copy", memory(**texts)).main == "copy/whole.rules"


def test_a_scenario_is_no_ruleset() -> None:
    (found,) = locate_ruleset(
        "mine/one.scenario.yaml", memory(**{"mine/one.scenario.yaml": "procedure: rally\n"})
    ).diagnostics
    assert (found.code, found.message, found.help) == (
        "RW0014",
        "`mine/one.scenario.yaml` holds no rules",
        "name a file that ends in `.rules`, or its folder",
    )


@pytest.mark.parametrize(
    ("name", "code", "remedy"),
    [
        ("mine/q", "RW0001", ""),
        ("mine/ones.rules", "RW0001", "did you mean `mine/one.rules`?"),
        ("empty", "RW0006", "name a folder that holds a `.rules` file, or the file itself"),
        ("many", "RW0007", "name one of `many/a.rules`, `many/b.rules`; a scenario file does so by a line `ruleset:`"),
        ("mell", "RW0008", "did you mean `mel`?"),
        ("zzz", "RW0008", "shipped rulesets are `mel`"),
        ("", "RW0008", "shipped rulesets are `mel`"),
        ("a\0b", "RW0008", "shipped rulesets are `mel`"),
    ],
)
def test_what_is_not_there_is_named(name: str, code: str, remedy: str) -> None:
    found = locate_ruleset(name, memory())
    assert codes(found) == [code]
    assert found.diagnostics[0].help == remedy


def test_the_disk_is_read_alike(tmp_path: Path) -> None:
    (tmp_path / "one.rules").write_text(RULESET.format("one"), encoding="utf-8")
    assert locate_ruleset(str(tmp_path), DiskFiles()) == RulesetLocation(f"{tmp_path}/one.rules")


def test_shipped_rulesets_are_found_on_disk() -> None:
    found = locate_ruleset("mel", DiskFiles())
    assert found.main is not None
    assert found.main.endswith("rulesets/mel/mel.rules")
