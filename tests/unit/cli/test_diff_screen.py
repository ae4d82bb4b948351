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


@pytest.mark.parametrize(
    ("before", "after", "name", "was", "now"),
    [
        ("natural >= 4", "natural >= 3", "Roll to hit", "the blow shows at least 4", "at least 3"),
        ("natural >= 4", "natural > 4", "Roll to hit", "the blow shows at least 4", "more than 4"),
        ("health: 0..9", "health: 0..8", "A knight: health", "0 to 9", "0 to 8"),
        (
            "take up to 1",
            "take up to 2",
            "Roll to hit",
            "The target loses 1 health, as far as possible",
            "The target loses 2",
        ),
    ],
)
def test_values_and_bounds_are_words(run: RunCommand, before: str, after: str, name: str, was: str, now: str) -> None:
    _, (row,) = compared(run, STRIKE_RULES, STRIKE_RULES.replace(before, after))
    assert (row["kind"], row["name"], row["was"]) == ("changed", name, was)
    assert row["now"].startswith(now)


STEP = '  step 2 "Take breath" when target.health = 0:\n    set striker.health to 9\n'


def test_what_another_reading_brings_is_told_where_nothing_else_changed(run: RunCommand) -> None:
    read = STRIKE_RULES.replace("kind Knight", 'setting hard: flag = no "Hard"\nkind Knight', 1)
    read = read.replace("blow.natural >= 4", "blow.natural >= 4 and (not hard or target.health > 2)")
    _, rows = compared(run, read, read.replace("health > 2", "health > 3"))
    assert [each["kind"] for each in rows] == ["changed"]


def test_a_step_that_is_new_or_gone_is_opened(run: RunCommand) -> None:
    lines, (row,) = compared(run, STRIKE_RULES, STRIKE_RULES + STEP)
    assert (row["kind"], row["name"], row["now"]) == ("new", "A strike: Take breath", "The striker's health becomes 9")
    assert [each for each in lines if "NEW  A strike: Take breath: The striker's health becomes 9" in each]
    _, (gone,) = compared(run, STRIKE_RULES + STEP, STRIKE_RULES)
    assert (gone["kind"], gone["was"], gone["now"]) == ("gone", "The striker's health becomes 9", "")


READ = "setting hard: flag = no\n"
HARD = STRIKE_RULES.replace("take up to 1", "take up to if(hard, 2, 1)").replace("kind Knight", f"{READ}kind Knight", 1)


def test_what_only_another_reading_brings_is_counted(run: RunCommand) -> None:
    lines, rows = compared(run, STRIKE_RULES, HARD)
    assert rows == []
    assert "--readings (2)" in lines[-1]
    _, (row,) = compared(run, HARD, HARD.replace("= no", "= yes"))
    assert (row["was"], row["now"]) == ("no", "yes")


@pytest.mark.parametrize(
    ("after", "head"),
    [
        (STRIKE_RULES, "PLAY THE SAME  identical"),
        (STRIKE_RULES + "# read\n", "PLAY THE SAME  cosmetic"),
        (STRIKE_RULES.replace("health", "wounds"), "PLAY THE SAME  renumbered"),
        (STRIKE_RULES.replace(">= 4", "> 3"), "PLAY THE SAME  equivalent"),
    ],
)
def test_what_plays_the_same_has_no_rows(run: RunCommand, after: str, head: str) -> None:
    lines, rows = compared(run, STRIKE_RULES, after)
    assert rows == []
    assert lines[1].startswith(head)


def test_a_row_is_told_in_full_with_its_play(run: RunCommand) -> None:
    compared(run, STRIKE_RULES, STRIKE_RULES.replace("natural >= 4", "natural >= 3"))
    arguments = ("diff", "old.rules", "new.rules", "--workers", "1", "--work", "60000", "--show")
    told = run(*arguments, "1")
    assert told.exit == 1
    assert "1 * Roll to hit" in told.out
    assert "A play of row 1: A strike: the game ends differently" in told.out
    assert run(*arguments, "2").exit == 2
    beside = run(*arguments, "1", "--scenarios").out
    assert beside == f"{told.out}\nNo scenarios and scripts beside OLD\n"


@pytest.mark.parametrize(
    ("flag", "heading"),
    [
        ("--edits", "Rules:"),
        ("--margins", "Remarks:"),
        ("--readings", "No change of a reading alone\n"),
        ("--scenarios", ""),
    ],
)
def test_options_show_the_rest(run: RunCommand, flag: str, heading: str) -> None:
    ruled = STRIKE_RULES.replace("kind Knight", 'ruling F1 "once"\nkind Knight', 1)
    compared(run, STRIKE_RULES, ruled.replace("natural >= 4", "natural >= 3"))
    told = run("diff", "old.rules", "new.rules", "--work", "0", flag)
    assert heading in told.out
    assert "1 ? " not in told.out
    assert told.exit == 3


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


TITLED = """\
ruleset duel "A duel" revision "1"
values Odds:
  even "1:1"
  double "2:1"
values Outcome:
  grazed "Grazed"
  struck "Struck down"
table outcome(throw: 1..6, odds: Odds) gives Outcome "Blow by blow":
  across odds: even | double
  1..3 | grazed | struck
  4..6 | struck | struck
"""


def test_words_have_the_titles_of_their_own_revision(run: RunCommand) -> None:
    after = TITLED.replace("1..3 | grazed | struck", "1..3 | grazed | grazed").replace('"Grazed"', '"A graze"')
    Path("old.rules").write_text(TITLED, encoding="utf-8")
    Path("new.rules").write_text(after, encoding="utf-8")
    told = run("diff", "old.rules", "new.rules", "--workers", "1", "--work", "2000", "--show", "1").out
    assert "1 * Blow by blow: 1..3/2:1\n  was  Struck down\n  is   A graze\n" in told
    assert "Value: outcome: Struck down in OLD, A graze in NEW for throw 1, odds 2:1" in told


TAKE = "      take up to 1 from target.health\n"
WRAPPED = f"      if target != striker:\n  {TAKE}"
GUARD = "    roll d6 as guard by target.owner\n"
SAME = STRIKE_RULES.replace(TAKE, f"{TAKE}      add up to 2 to striker.health\n{TAKE}")


@pytest.mark.parametrize(
    ("before", "after", "now"),
    [
        pytest.param(
            STRIKE_RULES,
            STRIKE_RULES.replace(TAKE, WRAPPED),
            "The target loses 1 health, as far as possible → If the target is not the striker: the target loses 1 ",
            id="put into a block",
        ),
        pytest.param(
            STRIKE_RULES.replace(TAKE, WRAPPED),
            STRIKE_RULES,
            "If the target is not the striker: the target loses 1 health, as far as possible → The target loses 1 ",
            id="taken out of a block",
        ),
        pytest.param(
            STRIKE_RULES.replace(TAKE, WRAPPED),
            STRIKE_RULES.replace(TAKE, WRAPPED.replace("if target != striker", "for each n in 1..target.health")),
            "If the target is not the striker → For each N from 1 to the target's health",
            id="in another block",
        ),
        pytest.param(
            STRIKE_RULES.replace("    if blow", f"{GUARD}    if blow"),
            STRIKE_RULES.replace("    roll d6", f"{GUARD}    roll d6"),
            "The target's owner rolls one d6 (guard); this now comes before: The striker's owner rolls one d6 (blow)",
            id="a line that is called something",
        ),
        pytest.param(
            SAME,
            STRIKE_RULES.replace(TAKE, f"{TAKE}{TAKE}      add up to 2 to striker.health\n"),
            "The target loses 1 health, as far as possible; this now comes before: The striker gains 2 health, as far",
            id="one of two lines that read the same",
        ),
    ],
)
def test_where_a_line_went_is_one_row_that_says_which_line(run: RunCommand, before: str, after: str, now: str) -> None:
    lines, rows = compared(run, before, after)
    assert len(rows) == 1
    assert f"Roll to hit: {now}" in " ".join(" ".join(lines).split())


def test_why_nobody_knows_is_told_to_its_end(run: RunCommand) -> None:
    fallen = "count(each k in knights where k.health = 0) >= 15"
    before = STRIKE_RULES.replace("blow.natural >= 4", f"blow.natural >= 4 and {fallen}")
    lines, _ = compared(run, before, before.replace(">= 15", ">= 16"))
    assert lines[1].startswith("PLAY UNKNOWN")
    told = " ".join(" ".join(lines[2:]).partition(" 1 ? ")[0].split())
    assert told.endswith("seed 0")
    assert max(map(len, lines)) <= 120


def test_another_order_is_no_matter_of_a_reading(run: RunCommand) -> None:
    before = STRIKE_RULES.replace("kind Knight", f"{READ}kind Knight", 1).replace("    if blow", f"{GUARD}    if blow")
    after = before.replace(GUARD, "").replace("    roll d6", f"{GUARD}    roll d6")
    _, (row,) = compared(run, before, after)
    assert row["now"].endswith("this now comes before: The striker's owner rolls one d6 (blow)")


LUCKY = """\
ruleset duel "A duel" revision "1"
values Face: blank, star
die luck: blank, star * 2
kind Knight, knights "A knight":
  owner: player
  health: 0..9
procedure bout(striker: Knight, target: Knight) "A bout":
  perform strike(striker, target)
  perform strike(striker: target, target: striker) steps 2 to 3
procedure strike(striker: Knight, target: Knight) "A strike":
  step 1 "Before":
    ask striker.owner whether first "Spend a point?"
    ask target.owner whether second "Spend a point?"
    set striker.health to if(first, 1, 2)
    set target.health to if(second, 1, 2)
  step 2 "Roll to hit":
    roll luck as thrown by striker.owner
    if thrown.face = star:
      take up to 1 from target.health
  step 3 "Falls" when target.health = 0:
    remove target
whenever tired for each k in knights "Tired":
  when k.health = 9
  priority 1
  lowers sum(each x in knights: x.health)
  set k.health to 8
whenever rested for each k in knights "Rested":
  when k.health = 9
  priority 2
  lowers sum(each x in knights: x.health)
  set k.health to 7
"""


ASKED = """\
    ask striker.owner whether first "Spend a point?"
    ask target.owner whether second "Spend a point?"
"""


@pytest.mark.parametrize(
    ("was", "now", "told"),
    [
        ("blank, star * 2", "blank * 2, star", "luck: 1 blank, 2 star → 2 blank, 1 star"),
        ("blank, star * 2", "star * 3", "luck: 1 blank, 2 star → no blank, 3 star"),
        ("blank, star * 2", "blank, star", "luck: 2 star → 1 star"),
        ("priority 2", "priority 0", "Rested: priority 2 → priority 0"),
        (
            " steps 2 to 3",
            " steps 2 to 2",
            "(striker: the target, target: the striker) → Carry out steps 2 to 2 of “A strike” ",
        ),
        (
            ASKED,
            "".join(ASKED.splitlines(keepends=True)[::-1]),
            "Before: Spend a point?: The target's owner may spend a point; this now comes first",
        ),
    ],
)
def test_a_row_tells_what_is_otherwise(run: RunCommand, was: str, now: str, told: str) -> None:
    lines, _ = compared(run, LUCKY, LUCKY.replace(was, now))
    assert told in " ".join(" ".join(lines).split())


def test_what_is_preferred_first_is_told(run: RunCommand) -> None:
    weak, own = "      prefer weak: x.health <= 2\n", "      prefer own: x.owner = striker.owner\n"
    asked = '    ask striker.owner for x in knights where x != striker "Who is favoured?":\n'
    lines = "      set x.health to 9\n    else:\n      nothing\n"
    old, new = (
        LUCKY.replace('  step 2 "Roll', f'{asked}{rows}{lines}  step 2 "Roll') for rows in (weak + own, own + weak)
    )
    told, _ = compared(run, old, new)
    assert (
        "Who is favoured?: If possible: the knight's health is at most 2; this now comes after: If possible:"
        in " ".join(" ".join(told).split())
    )


def test_a_row_says_by_its_title_what_it_comes_after(run: RunCommand) -> None:
    before = LUCKY.replace(" steps 2 to 3", "")
    first, second = before.index('  step 2 "Roll'), before.index('  step 3 "Falls')
    end = before.index("whenever tired")
    after = before[:first] + before[second:end] + before[first:second] + before[end:]
    lines, _ = compared(run, before, after)
    assert 'now comes before step 2 "Roll' in " ".join(" ".join(lines).split())


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
