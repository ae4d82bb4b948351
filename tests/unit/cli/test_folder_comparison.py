"""Folders are compared with all that lies in them: overlays, other rulesets, files that nothing reads."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.duel_example import STRIKE_RULES, STRIKE_SCENARIOS, CommandOutcome, RunCommand

SCENARIOS = f"""\
{STRIKE_SCENARIOS}\
  at home: {{overlays: [house.rules], script: [[6]], expect: {{changes: {{}}}}}}
"""
HOUSE = """\
amends duel revision "1-house"
insert after strike/1 step 2 "Weary":
  take up to 1 from striker.health
"""
TWICE = HOUSE.replace("up to 1", "up to 2")
NEEDED = STRIKE_RULES.replace("procedure", "term needed() gives 1..6 means 4\nprocedure").replace(">= 4", ">= needed()")
EASIER = """\
amends duel revision "1-easy"
replace term needed means 3
"""
OTHER = STRIKE_RULES.replace("ruleset duel", "ruleset joust")


def put(**folders: dict[str, str]) -> None:
    """Two folders, `old` and `new`, with the same scenarios."""
    for folder, texts in folders.items():
        (Path(folder) / "duel").mkdir(parents=True)
        for name, text in {"duel.rules": STRIKE_RULES, "duel.scenario.yaml": SCENARIOS, **texts}.items():
            (Path(folder) / "duel" / name).write_text(text, encoding="utf-8")


def compared(run: RunCommand, *options: str) -> tuple[CommandOutcome, dict[str, Any]]:
    """How the comparison ended and what it showed, and the same as data."""
    sides = ("old/duel", "new/duel", "--workers", "1", "--work", "60000", *options)
    return run("diff", *sides), json.loads(run("diff", *sides, "--format", "json").out)


def word(document: dict[str, Any]) -> tuple[str, str]:
    """The verdict, and what it rests on."""
    return document["verdict"]["word"], document["verdict"]["how"]


@pytest.mark.parametrize(
    "base",
    [
        STRIKE_RULES,
        f"# a comment\n{STRIKE_RULES}",
        STRIKE_RULES.replace("Roll to hit", "To hit"),
        STRIKE_RULES.replace(">= 4", "> 3"),
    ],
)
def test_an_edited_overlay_is_a_change_whatever_becomes_of_the_ruleset(run: RunCommand, base: str) -> None:
    put(old={"house.rules": HOUSE}, new={"house.rules": TWICE, "duel.rules": base})
    done, document = compared(run)
    assert done.exit == run("diff", "old/duel", "new/duel", "--strict", "--work", "60000").exit == 1
    assert word(document) == ("changed", "with house.rules: 1 witness")
    assert "With house.rules: 1 rule differs   (1 witness, seed 0)\n 1 " in done.out
    assert "SCENARIOS  1 of 3 plays differently" in done.out
    assert document["layers"]["text"] == "changed"


def test_a_row_of_an_overlay_is_shown_and_written_like_any_other(run: RunCommand) -> None:
    put(old={"house.rules": HOUSE}, new={"house.rules": TWICE})
    sides = ("old/duel", "new/duel", "--workers", "1", "--work", "60000")
    done = run("diff", *sides, "--show", "1")
    assert "A play of row 1: A strike: the game ends differently" in done.out
    assert "gawain loses 2 health" in done.out
    assert run("diff", *sides, "--write-scenario", "seen.scenario.yaml", "--html", "seen.html").exit == 1
    assert "house.rules" in Path("seen.scenario.yaml").read_text(encoding="utf-8")
    assert run("test", "seen.scenario.yaml").exit == 0
    assert "With house.rules" in run("diff", *sides, "--all").out
    page = Path("seen.html").read_text(encoding="utf-8")
    assert "with house.rules: Weary" in page
    assert "old/duel/house.rules → new/duel/house.rules" in page


@pytest.mark.parametrize(("has", "lacks"), [("old", "new"), ("new", "old")])
def test_an_overlay_of_one_revision_alone(run: RunCommand, has: str, lacks: str) -> None:
    put(**{has: {"house.rules": HOUSE}, lacks: {"duel.rules": f"# a comment\n{STRIKE_RULES}"}})
    done, document = compared(run)
    assert done.exit == 1
    assert word(document) == ("changed", f"only {has.upper()} has house.rules")
    assert f"only {has.upper()} has house.rules" in done.out


def test_an_overlay_that_no_longer_fits(run: RunCommand) -> None:
    put(old={"house.rules": HOUSE}, new={"house.rules": HOUSE.replace("striker.health", "nobody.health")})
    _, document = compared(run)
    said, how = word(document)
    assert said == "changed"
    assert how.startswith("with house.rules NEW has errors: ")


def test_an_overlay_that_stayed_tells_apart_what_the_rulesets_do_not(run: RunCommand) -> None:
    put(
        old={"duel.rules": NEEDED, "easy.rules": EASIER},
        new={"duel.rules": NEEDED.replace(">= needed()", ">= 4"), "easy.rules": EASIER},
    )
    _, document = compared(run)
    assert word(document)[0] == "changed"
    assert word(document)[1].startswith("with easy.rules")


def test_what_is_proved_alone_and_with_each_overlay_is_the_same(run: RunCommand) -> None:
    put(old={"house.rules": HOUSE}, new={"house.rules": HOUSE, "duel.rules": STRIKE_RULES.replace(">= 4", "> 3")})
    done, document = compared(run)
    assert (done.exit, word(document)) == (0, ("equivalent", "proved"))
    assert "SCENARIOS  3 were not played, since both revisions are proved to play alike" in done.out


def test_another_ruleset_of_the_folder_is_compared(run: RunCommand) -> None:
    put(old={"joust.rules": OTHER}, new={"joust.rules": OTHER.replace("up to 1", "up to 2")})
    done, document = compared(run)
    assert done.exit == 1
    assert word(document) == ("changed", "joust.rules: 1 witness")


def test_files_that_differ_and_that_nothing_reads_are_named(run: RunCommand) -> None:
    put(old={"loose.rules": "term a() means 1\n"}, new={"loose.rules": "term a() means 2\n"})
    done, document = compared(run)
    assert (done.exit, word(document)) == (0, ("identical", ""))
    assert "NOT COMPARED  loose.rules differs, and is no part of the rules" in done.out
    assert document["unread"] == ["loose.rules"]


def test_an_overlay_of_a_revision_of_git(run: RunCommand) -> None:
    put(here={"house.rules": HOUSE})
    for command in (("init", "-q"), ("add", "-A"), ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a")):
        subprocess.run(("git", *command), check=True, capture_output=True)  # noqa: S607
    Path("here/duel/house.rules").write_text(TWICE, encoding="utf-8")
    done = run("diff", "--git", "HEAD", "here/duel", "--workers", "1", "--work", "60000")
    assert done.exit == 1
    assert "With house.rules: 1 rule differs" in done.out


def test_odds_are_not_proved_the_same_where_an_overlay_differs(run: RunCommand) -> None:
    put(old={"house.rules": HOUSE}, new={"house.rules": TWICE})
    done, _ = compared(run, "--odds", "--of", "gawain.health")
    assert "no change" not in done.out


@pytest.mark.parametrize(("side", "sides"), [("NEW", ("a.rules", "house.rules")), ("OLD", ("house.rules", "a.rules"))])
def test_an_overlay_that_may_amend_several_is_given_for_its_side(
    run: RunCommand, side: str, sides: tuple[str, str]
) -> None:
    for name, text in {"a.rules": STRIKE_RULES, "b.rules": STRIKE_RULES, "house.rules": HOUSE}.items():
        Path(name).write_text(text, encoding="utf-8")
    Path("duel.rules").unlink()
    advice = f"name one of them for {side}, and add `--{side.lower()}-overlay house.rules`"
    assert advice in run("diff", *sides).err
    done = run("diff", "a.rules", "a.rules", f"--{side.lower()}-overlay", "house.rules", "--work", "60000")
    assert done.exit == 1
    assert "PLAY CHANGED" in done.out


def test_an_estimate_of_odds_claims_no_proof_where_an_overlay_differs(run: RunCommand) -> None:
    put(old={"house.rules": HOUSE}, new={"house.rules": TWICE})
    asked = ("diff", "old/duel", "new/duel", "--odds", "--estimate", "--of", "mordred.health", "--policy", "first")
    assert "no change: both are proved" not in run(*asked).out
    assert not json.loads(run(*asked, "--format", "json").out)["proved"]


def test_an_estimate_of_odds_of_equal_folders_is_none(run: RunCommand) -> None:
    put(old={"house.rules": HOUSE}, new={"house.rules": HOUSE})
    asked = ("diff", "old/duel", "new/duel", "--odds", "--estimate", "--of", "mordred.health", "--policy", "first")
    assert "no change: both are proved" in run(*asked).out
