"""The first screen of a comparison: what it names, and what it never says."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from rulewright.base.files import get_resource_folder
from support.compared_wordings import NEW, OLD, Screen, compare_wordings
from support.duel_example import STRIKE_RULES, RunCommand
from support.yaml_data import read_yaml

CHANGES = {
    "several units of one player in a combat": ("", "phase.once"),
    "who is down makes no attack": ("", "phase.impaired-no-attack"),
    "the parts of a combat": ("", "combat.connected"),
    "who goes first: who charged, or who Engaged": ("order.charged-first", "order.newly-engaged-first"),
    "the direction of Agility": ("order.agility-ascending", "order.agility"),
    "equal Agility": ("", "order.d20"),
    "equal dice": ("", "order.reroll order.d20"),
    "units of one player in a row": ("", "order.swap"),
    "what costs a unit its turn": ("end.injured-lose", "run.removed"),
    "targets are enemies": ("attack.target", "declare.targets.contact"),
    "who is down is no target beside who is not": ("", "declare.targets.healthy-first"),
    "all targets before the first die": ("", "declare.must-first resolve.declare-before"),
    "the number of attacks": ("", "declare.count.base declare.count.dual declare.count.other"),
    "one more for two weapons": ("", "declare.count.dual"),
    "other rules for the number": ("", "declare.count.other"),
    "the split over targets": ("", "declare.split"),
    "each weapon used": ("", "declare.each-weapon-used"),
    "dice rolled together": ("attack.check", "attack.checks"),
    "a natural 20": ("attack.crit-skip", "attack.crit-double"),
    "which value injures": ("wounds.injury-basis", "attack.injure-highest"),
    "the pool": ("", "attack.pool"),
    "what leaves the pool": ("", "attack.pool-random"),
    "the Improvement Deck": ("", "attack.improve"),
    "attacks on who is down": ("status.elsewhere", ""),
    "Advantage against Dazed": ("", "dazed.checks"),
    "Dazed and a failed check": ("", "dazed.any-fail"),
    "Stunned": ("", "stunned.auto"),
    "the Melee modifier": ("", "weapon.melee-modifier"),
    "Pierce": ("", "weapon.pierce"),
    "Injury": ("", "weapon.injury"),
    "weapon slots": ("", "weapon.two-slots"),
    "Dual Wielding": ("", "dual.definition"),
}
"""What a reader of both clause lists finds changed: an old clause and new ones of which one tells it, if there are."""
LABELS = ("STATED", "REWORDED")
SAME = ("attack.remember", "attack.defence", "wounds.reduce", "wounds.injuries-section")
"""Old clauses that the new document only words otherwise."""


@pytest.fixture(scope="module")
def screen() -> Screen:
    return compare_wordings()


def clauses(name: str) -> dict[str, str]:
    """The sentences of a shipped ruleset by the clause without its document."""
    (place,) = (get_resource_folder("rulesets") / name).glob("*.clauses.yaml")
    listed = read_yaml(place)["clauses"]
    return {each["id"].partition(".")[2]: each["says"] for each in listed}


def test_it_is_one_screen(screen: Screen) -> None:
    lines = screen.text.splitlines()
    assert len(lines) <= 64
    assert max(map(len, lines)) <= 120


def is_told(clauses_: str, sentences: dict[str, str], text: str) -> bool:
    """Whether a text has the whole sentence of one of some clauses."""
    return not clauses_ or any(sentences[each].rstrip(".") in text for each in clauses_.split())


def test_nearly_every_change_of_both_lists_is_told_in_words(screen: Screen) -> None:
    text, lists = " ".join(screen.text.split()), (clauses(OLD), clauses(NEW))
    told = [each for each, sides in CHANGES.items() if all(map(is_told, sides, lists, (text, text)))]
    assert len(CHANGES) - len(told) <= 4, CHANGES.keys() - set(told)


def test_every_change_of_both_lists_is_known(screen: Screen) -> None:
    shown = screen.data["screen"]
    known = {each for row in shown["rows"] for side in row["clauses"].values() for each in side}
    known |= {f"MPO.{each['old']}" for each in shown["also"]} | {f"MPH.{each['new']}" for each in shown["also"]}
    unknown = [
        subject
        for subject, sides in CHANGES.items()
        for document, side in zip(("MPO", "MPH"), sides, strict=True)
        if not known.issuperset(f"{document}.{each}" for each in side.split())
    ]
    assert not unknown


def test_what_is_said_for_the_first_time_is_not_called_reworded(screen: Screen) -> None:
    text = screen.text.replace("\n" + " " * 10, " ")
    stated, reworded = (next(each for each in text.splitlines() if each.startswith(head)) for head in LABELS)
    assert all(is_told(each, clauses(NEW), stated) for each in ("phase.mandatory", "phase.attackers", "order.d20"))
    assert not [each for each in ("phase.mandatory", "phase.attackers", "order.d20") if each in reworded]


def test_what_is_reworded_is_counted_as_it_is_listed(screen: Screen) -> None:
    text = screen.text.replace("\n" + " " * 10, " ")
    (listed,) = (each for each in text.splitlines() if each.startswith("REWORDED"))
    titles = re.search(r"(\d+) titles? (?:and|or) questions?", listed)
    counted = re.search(r"(\d+) reworded, (\d+) stated anew", screen.data["screen"]["headline"])
    assert titles is not None
    assert counted is not None
    assert int(counted[1]) == sum(each["old"] is not None for each in screen.data["screen"]["also"]) + int(titles[1])
    assert int(counted[2]) == sum(each["old"] is None for each in screen.data["screen"]["also"])


def test_what_says_the_same_is_no_change(screen: Screen) -> None:
    changed = {clause for row in screen.data["screen"]["rows"] for clause in row["clauses"]["old"]}
    assert changed.isdisjoint(f"MPO.{clause}" for clause in SAME)


def test_a_rename_is_told_as_a_rename_alone(screen: Screen) -> None:
    shown = screen.data["screen"]
    assert {"old": "knocked_down", "new": "dazed"} in shown["names"]
    assert not [row for row in shown["rows"] if row["was"] and _renamed(row["was"]) == _renamed(row["now"])]


def _renamed(text: str) -> str:
    return re.sub(r"knocked[ _]down", "dazed", text, flags=re.IGNORECASE)


def test_two_halves_are_never_the_same(screen: Screen) -> None:
    for row in screen.data["screen"]["rows"]:
        assert row["was"] != row["now"]
        assert row["kind"] == "changed" or not (row["was"] and row["now"])


def test_no_heading_is_empty(screen: Screen) -> None:
    log = screen.log.splitlines()
    after = [each for number, each in enumerate(log) if number > 1 and log[number - 2].startswith("## ")]
    assert after
    assert not [each for each in after if not each or each.startswith(("#", "Reason"))]
    assert "## Without a clause" not in "\n".join(log).partition("## MPH")[0]


def compared(run: RunCommand, old: str, new: str, *more: str) -> tuple[list[str], list[dict[str, Any]]]:
    """The lines of the screen of two texts, and its rows as data."""
    Path("old.rules").write_text(old, encoding="utf-8")
    Path("new.rules").write_text(new, encoding="utf-8")
    arguments = ("diff", "old.rules", "new.rules", "--workers", "1", "--work", "60000", *more)
    document = json.loads(run(*arguments, "--format", "json").out)
    schema = json.loads((get_resource_folder("grammar") / "schemas" / "diff.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(document)
    return run(*arguments).out.splitlines(), document["screen"]["rows"]


def test_the_lines_of_what_came_are_told_in_sentences(run: RunCommand) -> None:
    out = run("diff", "risk", "blackjack", "--work", "0").out
    told = " ".join(out.split())
    assert "NEW A card is dealt: Draw a card from the top of" in told
    assert "NEW The outcome: " in told
    assert "GONE Attack until one side gives up: Repeat while " in told
    assert "`" not in told.partition("NEW A hand")[2]


DUEL_OF_TWO = STRIKE_RULES.replace(
    "    if blow.natural >= 4:\n", "    roll d6 as cover by target.owner\n    if B > C:\n"
).replace("from target.health\n", "from target.health\n    else:\n      take up to 1 from striker.health\n")


@pytest.mark.parametrize(
    ("terms", "told"),
    [
        (
            ("blow.natural", "cover.natural"),
            "the blow shows more than what the cover shows → at least what the cover shows",
        ),
        (
            ("blow.natural", "cover.natural + 1"),
            "the blow shows more than what the cover shows + 1 → at least what the cover shows + 1",
        ),
        (
            ("blow.natural", "2 * cover.natural"),
            "more than 2 \N{MULTIPLICATION SIGN} what the cover shows → at least 2 \N{MULTIPLICATION SIGN} what",
        ),
    ],
)
def test_an_operator_stands_with_what_it_compares(run: RunCommand, terms: tuple[str, str], told: str) -> None:
    before = DUEL_OF_TWO.replace("B > C", f"{terms[0]} > {terms[1]}")
    after = before.replace(" > ", " >= ")
    (_, *lines), _ = compared(run, before, after)
    assert told in "\n".join(lines)


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("blow.natural - cover.natural >= 4", "is at least 4 → at least 3"),
        ("blow.natural = 6 or (blow.natural >= 4)", "Roll to hit: the blow shows at least 4 → at least 3"),
    ],
)
def test_a_bound_stands_with_a_name_only_where_nothing_else_is_compared(
    run: RunCommand, condition: str, told: str
) -> None:
    before = DUEL_OF_TWO.replace("B > C", condition)
    (_, *lines), _ = compared(run, before, before.replace(">= 4", ">= 3"))
    assert told in "\n".join(lines)


@pytest.mark.parametrize(
    ("line", "told"), [(r"add up to 1 to \1", " gains 1 health"), (r"set \1 to 1", ".health becomes 1")]
)
def test_a_row_says_what_its_play_comes_to(run: RunCommand, line: str, told: str) -> None:
    before = DUEL_OF_TWO.replace("B > C", "blow.natural > cover.natural")
    before = re.sub(r"take up to 1 from (\w+\.health)", line, before)
    Path("old.rules").write_text(before, encoding="utf-8")
    Path("new.rules").write_text(before.replace(" > ", " >= "), encoding="utf-8")
    lines = run("diff", "old.rules", "new.rules", "--workers", "1", "--work", "60000").out.splitlines()
    (said,) = [each.strip() for each in lines if each.startswith("       in a play: ")]
    assert re.fullmatch(rf"in a play: (knight_\d){told} → (?!\1)knight_\d{told}", said)


def test_scenarios_of_a_shipped_ruleset_are_named_by_its_folder(run: RunCommand) -> None:
    lines = run("diff", "risk", "blackjack", "--scenarios").out.splitlines()
    assert not [each for each in lines if "site-packages" in each or str(get_resource_folder("rulesets")) in each]
    assert any(each.startswith("  risk/risk.scenario.yaml: ") for each in lines)
    assert not [each for each in lines if each.startswith("SCENARIOS") and "--scenarios" in each]
    log = run("diff", "risk", "blackjack", "--work", "0", "--format", "markdown").out
    addresses = log.partition("## Addresses in scripts and scenarios")[2]
    assert "- risk/risk.scenario.yaml:" in addresses
    assert str(get_resource_folder("rulesets")) not in log


LISTED = STRIKE_RULES.replace("kind", 'document DUE "A duel"\nkind', 1).replace(
    "target.health\n", "target.health  @wound @hurt\n"
)
SENTENCES = 'document: DUE\ntitle: A duel\nclauses:\n  - {id: DUE.wound, says: "%s"}\n  - {id: DUE.hurt, says: "%s"}\n'


def shared_by_two_rows(folder_: str, text: str, *says: str) -> None:
    Path(folder_).mkdir()
    Path(folder_, "duel.rules").write_text(text, encoding="utf-8")
    Path(folder_, "DUE.clauses.yaml").write_text(SENTENCES % says, encoding="utf-8")


def test_a_row_is_marked_alike_wherever_it_is_told(run: RunCommand) -> None:
    shared_by_two_rows("old", LISTED, "A wound costs 1 health", "Nobody is hurt twice")
    shared_by_two_rows("new", LISTED.replace("up to 1", "up to 2"), "A wound costs 2 health", "All are hurt twice")
    said = run("diff", "old", "new", "--html", "page.html", "--log", "log.md").out
    rows = json.loads(run("diff", "old", "new", "--format", "json").out)["screen"]["rows"]
    assert [(row["now"], row["shown"]) for row in rows] == [
        ("A wound costs 2 health", False),
        ("All are hurt twice", False),
    ]
    assert [line[:4] for line in said.splitlines() if line[:2] in {" 1", " 2"}] == [" 1 ?", " 2 ?"]
    page = Path("page.html").read_text(encoding="utf-8")
    assert re.findall(r'<p class="row">\d+ (<b>\*</b>)?', page) == ["", ""]
    assert "No play of its own; this one shows it together with row 2" in page
    assert not re.search(r"^\d+\. .*\\\*$", Path("log.md").read_text(encoding="utf-8"), re.MULTILINE)
    shown = run("diff", "old", "new", "--show", "2").out
    assert "2 ? Roll to hit" in shown
    assert "No play of its own; this one shows it together with row 1\nA play of row 2:" in shown
