import json
import re
import shlex
import sys
from pathlib import Path

import jsonschema
import pytest

import rulewright
from rulewright.base.files import get_resource_folder
from support.duel_example import RunCommand
from support.git_repository import GitRepository
from support.html_pages import HtmlPage

COMMAND = shlex.join(
    ["env", f"PYTHONPATH={Path(rulewright.__file__).parents[1]}", sys.executable, "-m", "rulewright", "diff"]
)

OLD = """\
ruleset duel "A duel" revision "1"
document DUE "The duel"
use "../base/dice.rules"
kind Knight, knights "A knight":
  owner: player
  health: 0..9
setting hard: flag = no "hard blows"
ruling DUE.F.dice "a die is rolled once"
procedure strike(striker: Knight, target: Knight) "A strike":  @1
  step 1 "Roll to hit":
    roll d6 as blow by striker.owner
    if blow.natural >= 4 and target.health >= 1:
      take up to harm(blow.natural = 6) from target.health
  step 2 "Falls" when target.health = 0:  @2
    remove target
"""
NEW = """\
ruleset duel "A duel" revision "2"
document DUE "The duel"
use "../base/dice.rules"
kind Knight, knights "A knight":
  owner: player
  wounds: 0..9
ruling DUE.F.dice "a die is thrown once"
procedure strike(striker: Knight, target: Knight) "A blow":  @1
  step 1 "Roll to hit":  @1 @1.a
    roll d6 as blow by striker.owner
    if blow.natural >= 3 and target.wounds >= 1:
      take up to harm(blow.natural = 6) from target.wounds
  step 2 "Falls" when target.wounds = 0:  @2
    remove target
"""
DICE = "term harm(hit: flag) gives 0..3 means if(hit, 2, 1)  @2.a\n"
HOUSE = 'amends duel revision "house"\nreplace step strike/1 "Roll":\n  nothing\n'
CLAUSES = """\
document: DUE
clauses:
  - {id: DUE.1, where: page 1}
  - {id: DUE.1.a, where: "page 1, box"}
  - {id: DUE.2, where: page 2}
  - {id: DUE.2.a, where: "page 2, box"}
"""
PLAIN = """\
OLD main:duel.rules  duel "A duel" revision 1
NEW duel.rules       duel "A duel" revision 2

unknown (plays were not compared): no difference was found in play, and none is excluded
  text       changed
  structure  changed  edits of rules: 2 changed; \
edits of declarations: 1 removed; 1 renamed; 1 reworded; 1 in margins; 1 in remarks
  meaning    unknown  not proved alike: harm, procedure strike
  behaviour  unknown

Rules:
  strike 1 "Roll to hit": the blow shows at least 4 → at least 3
  term harm: 2 if “hit” is yes, else 1 → 3 if “hit” is yes, else 1

Declarations:
  setting hard "hard blows": removed: yes or no; no unless chosen

Names:
  attribute Knight.health: is now called Knight.wounds

Wording:
  procedure strike: "A strike" → "A blow"

Margins:
  strike 1: cites DUE.1.a

Remarks:
  ruling DUE.F.dice: "a die is rolled once" → "a die is thrown once"
"""
WITNESS = """\
A strike → A blow: the game ends differently
  shows
    term harm: 2 if “hit” is yes, else 1 → 3 if “hit” is yes, else 1
  start
       players:
         red: {}
       knights:
  OLD    knight_1: {owner: red, health: 3}
  NEW    knight_1: {owner: red, wounds: 3}
  OLD    knight_3: {owner: red, health: 0}
  NEW    knight_3: {owner: red, wounds: 0}
       with: {striker: knight_3, target: knight_1}
  play
       1  Roll to hit
         red   blow 1d6: 6
  OLD    because the die is 6, at least 4 and knight_1's health is 3, at least 1
  NEW    because the die is 6, at least 3 and knight_1's wounds are 3, at least 1
  OLD    knight_1 loses 2 health: 3 → 1
  NEW    knight_1 loses 3 wounds: 3 → 0
  OLD  2  Falls: skipped, knight_1's health is 1
  NEW  2  Falls
  NEW    knight_1 is out of play
       strike ended

Witness 2: A strike → A blow: the game ends differently
  shows
    strike 1 "Roll to hit": the blow shows at least 4 → at least 3
  start
       players:
         red: {}
       knights:
  OLD    knight_1: {owner: red, health: 1}
  NEW    knight_1: {owner: red, wounds: 1}
  OLD    knight_2: {owner: red, health: 0}
  NEW    knight_2: {owner: red, wounds: 0}
       with: {striker: knight_2, target: knight_1}
  play
       1  Roll to hit
         red   blow 1d6: 3
  OLD    skipped, because the die is 3, less than 4
  NEW    because the die is 3, at least 3 and knight_1's wounds are 1, at least 1
  NEW    knight_1 loses 1 wound: 1 → 0
  OLD  2  Falls: skipped, knight_1's health is 1
  NEW  2  Falls
  NEW    knight_1 is out of play
       strike ended
"""
MARKDOWN = """\
# A duel: from revision 1 to 2

Play: **unknown**, no difference was found in play, and none is excluded.

## What changed

PLAY UNKNOWN 2 rules edited; 1 renamed, 1 reworded.

1. Roll to hit: the blow shows at least 4 → at least 3 (1, 1.a)
2. harm: 2 if “hit” is yes, else 1 → 3 if “hit” is yes, else 1 (2.a)

FOLDED 1 reading (--readings), 1 margin (--margins)

## DUE.1 (page 1)

- strike 1 "Roll to hit": the blow shows at least 4 → at least 3 (also DUE.1.a)

Reason:

## DUE.2.a (page 2, box)

- term harm: 2 if “hit” is yes, else 1 → 3 if “hit” is yes, else 1

Reason:

## Declarations

- setting hard "hard blows": removed: yes or no; no unless chosen

## Names

- attribute Knight.health: is now called Knight.wounds

## Wording

- procedure strike: "A strike" → "A blow"

## Rulings and clauses without a rule

- ruling DUE.F.dice: "a die is rolled once" → "a die is thrown once"
"""


@pytest.fixture
def repository(tmp_path: Path, run: RunCommand, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    """A game whose last revision is the branch `main`, edited since; we are in its folder."""
    del run
    for name, content in {"game/duel.rules": OLD, "game/DUE.clauses.yaml": CLAUSES, "base/dice.rules": DICE}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    repository = GitRepository(tmp_path)
    repository.commit()
    (tmp_path / "game/duel.rules").write_text(NEW, encoding="utf-8")
    (tmp_path / "base/dice.rules").write_text(DICE.replace("2,", "3,"), encoding="utf-8")
    monkeypatch.chdir(tmp_path / "game")
    return repository


@pytest.mark.usefixtures("repository")
def test_a_revision_of_git_is_read_with_all_it_uses(run: RunCommand) -> None:
    done = run("diff", "main:duel.rules", "duel.rules", "--work", "0", "--all")
    assert (done.exit, done.out, done.err) == (3, PLAIN, "")


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("place", [(), (".",), ("./duel.rules",), ("../game",)])
def test_the_work_tree_against_a_revision(run: RunCommand, place: tuple[str, ...]) -> None:
    done = run("diff", "--git", "main", "--work", "0", *place, "--all")
    assert done.exit == 3
    assert done.out.splitlines()[2:] == PLAIN.splitlines()[2:]


@pytest.mark.usefixtures("repository")
def test_margins_are_shown_when_all_is_asked_for(run: RunCommand) -> None:
    done = run("diff", "--git", "main", "--work", "0", "--all")
    assert "Margins:\n  strike 1: cites DUE.1.a\n\nRemarks:" in done.out


@pytest.mark.usefixtures("repository")
def test_a_draft_change_log_goes_by_clauses(run: RunCommand) -> None:
    assert run("diff", "--git", "main", "--work", "0", "--format", "markdown").out == MARKDOWN


@pytest.mark.usefixtures("repository")
def test_data_fits_the_schema(run: RunCommand) -> None:
    schema = json.loads(
        (Path(get_resource_folder("grammar")) / "schemas" / "diff.schema.json").read_text(encoding="utf-8")
    )
    jsonschema.Draft202012Validator.check_schema(schema)
    for places in (("--git", "main"), ("duel.rules", "duel.rules"), ("pig", "risk", "--work", "0")):
        jsonschema.Draft202012Validator(schema).validate(json.loads(run("diff", *places, "--format", "json").out))
    document = json.loads(run("diff", "--git", "main", "--work", "0", "--format", "json").out)
    assert document["verdict"] == {"word": "unknown", "how": "plays were not compared"}
    assert [(each["section"], each["sort"]) for each in document["edits"]] == [
        ("names", "renamed"),
        ("declarations", "removed"),
        ("remarks", "reworded"),
        ("wording", "reworded"),
        ("margins", "recited"),
        ("rules", "changed"),
        ("rules", "changed"),
    ]
    assert document["edits"][5] == {
        "section": "rules",
        "sort": "changed",
        "group": "strike 1",
        "title": "Roll to hit",
        "place": "strike 1",
        "text": "the blow shows at least 4 → at least 3",
        "cites": ["DUE.1", "DUE.1.a"],
        "old": {"file": "duel.rules", "line": 12, "column": 5},
        "new": {"file": "duel.rules", "line": 11, "column": 5},
    }
    assert document["unproved"]["new"] == [
        {"sort": "function", "name": "harm"},
        {"sort": "procedure", "name": "strike"},
    ]


@pytest.mark.usefixtures("repository")
def test_the_page_links_edits_to_both_texts(run: RunCommand) -> None:
    Path("duel.rules").write_text(NEW.replace('"A blow"', '"<b>&blow"'), encoding="utf-8")
    assert run("diff", "--git", "main", "--html", "page.html").exit == 1
    content = Path("page.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;&amp;blow" in content
    tags = HtmlPage(content).tags
    cells = {found["id"]: found for tag, found in tags if tag == "td" and found.get("id")}
    links = [found["href"] for tag, found in tags if tag == "a"]
    assert {str(each).removeprefix("#") for each in links} <= set(cells)
    assert cells["old0-7"]["class"] == "removed"
    assert cells["new0-11"]["class"] == "changed"
    assert cells["new0-6"]["class"] == "renamed"
    assert "class" not in cells["new0-3"]
    assert str(cells["old1-1"]["title"]) == "term harm: 2 if “hit” is yes, else 1 → 3 if “hit” is yes, else 1"


@pytest.mark.usefixtures("repository")
def test_the_page_is_for_the_dark_and_for_narrow_windows_too(run: RunCommand) -> None:
    run("diff", "--git", "main", "--html", "page.html")
    content = Path("page.html").read_text(encoding="utf-8")
    style = content.partition("<style>")[2].partition("</style>")[0]
    assert "color-scheme: light dark" in style
    assert "@media (prefers-color-scheme: dark)" in style
    assert "@media (max-width: 44rem)" in style
    used, given = set(re.findall(r"var\((--\w+)\)", style)), re.findall(r"(--\w+):", style)
    assert {each: given.count(each) for each in given} == dict.fromkeys(used, 2)
    classes = {each for _, found in HtmlPage(content).tags for each in (found.get("class") or "").split()}
    assert classes <= set(re.findall(r"\.([a-z]+)", style))


@pytest.mark.usefixtures("repository")
def test_backticks_in_what_is_quoted(run: RunCommand) -> None:
    Path("old.rules").write_text(OLD, encoding="utf-8")
    ticks = 'term odd(a: flag) gives flag means a "as `a` says, or ``b``"\nruling DUE.F.odd "what `a` is"\n'
    Path("new.rules").write_text(OLD + ticks, encoding="utf-8")
    log = run("diff", "old.rules", "new.rules", "--format", "markdown", "--html", "page.html").out
    assert "- term odd" in log
    assert '- ruling DUE.F.odd "what `a` is": added\n' in log
    content = Path("page.html").read_text(encoding="utf-8")
    told = "term odd(a: flag) gives flag means a &#34;as `a` says, or ``b``&#34;"
    assert f"<li>added <code>{told}</code> <a href=" in content


@pytest.mark.parametrize("name", ["mel", "duel.rules"])
def test_a_ruleset_is_identical_to_itself(run: RunCommand, name: str) -> None:
    done = run("diff", name, name, "--strict", "--all")
    assert done.exit == 0
    assert done.out.splitlines()[3:] == [
        "identical: both say the same, word for word",
        "  text       identical",
        "  structure  identical",
        "  meaning    identical",
        "  behaviour  identical",
    ]


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("before", "after", "word", "code"),
    [
        ("by striker.owner", "by striker.owner  # thrown", "cosmetic", 0),
        ('"A strike"', '"A blow"', "cosmetic", 0),
        ("health", "wounds", "renumbered", 0),
        ("target.health >= 1", "not target.health = 0", "equivalent (proved)", 0),
        (">= 4", ">= 5", "changed (1 witness)", 1),
    ],
)
def test_words_and_exits(run: RunCommand, before: str, after: str, word: str, code: int) -> None:
    Path("old.rules").write_text(OLD, encoding="utf-8")
    Path("new.rules").write_text(OLD.replace(before, after), encoding="utf-8")
    done = run("diff", "old.rules", "new.rules", "--all")
    assert (done.out.splitlines()[3].partition(":")[0], done.exit) == (word, code)
    assert run("diff", "old.rules", "new.rules", "--strict", "--all").exit == 1


@pytest.mark.usefixtures("repository")
def test_overlays_of_both_and_of_one_side(run: RunCommand) -> None:
    Path("house.rules").write_text(HOUSE, encoding="utf-8")
    Path("duel.rules").write_text(OLD, encoding="utf-8")
    both = run("diff", "duel.rules", "duel.rules", "--overlay", "house", "--all")
    assert both.out.startswith('OLD duel.rules  duel "A duel" revision 1, with house.rules revision house\n')
    assert both.exit == 0
    one = run("diff", "duel.rules", "duel.rules", "--new-overlay", "house", "--work", "0", "--all")
    assert '  strike 1 "Roll"\n    removed: The striker\'s owner rolls one d6 (blow)\n' in one.out
    assert one.out.splitlines()[:2] == [
        'OLD duel.rules  duel "A duel" revision 1',
        'NEW duel.rules  duel "A duel" revision 1, with house.rules revision house',
    ]
    other = run("diff", "house.rules", "duel.rules", "--work", "0", "--all")
    assert other.out.splitlines()[0] == 'OLD house.rules  duel "A duel" revision 1, with house.rules revision house'
    turned = run("diff", "duel.rules", "duel.rules", "--old-overlay", "house", "--work", "0", "--all")
    assert other.out.splitlines()[2:] == turned.out.splitlines()[2:]


@pytest.mark.usefixtures("repository")
def test_a_witness_is_told_once_up_to_where_the_revisions_part(run: RunCommand) -> None:
    done = run("diff", "--git", "main", "--workers", "1", "--all")
    assert done.exit == 1
    assert "\nValues:\n  harm: 2 in OLD, 3 in NEW for hit yes\n\nWitness 1: A strike → A blow: " in done.out
    told = done.out.partition("Witness 1: ")[2]
    assert told == WITNESS


@pytest.mark.usefixtures("repository")
def test_witnesses_are_data_and_stand_in_the_change_log(run: RunCommand) -> None:
    document = json.loads(run("diff", "--git", "main", "--workers", "1", "--format", "json").out)
    assert document["verdict"] == {"word": "changed", "how": "2 witnesses, 1 value"}
    assert document["played"]["values"][0]["new"] == {
        "function": "harm",
        "arguments": {"hit": True},
        "settings": {},
        "state": None,
        "value": 3,
    }
    witness = document["played"]["witnesses"][0]
    assert (witness["sort"], witness["says"]) == ("end", "the game ends differently")
    assert witness["old"]["answers"] == witness["new"]["answers"]
    assert [(each["at"], each["answer"]) for each in witness["old"]["answers"]] == [("strike/1/blow", [6])]
    log = run("diff", "--git", "main", "--workers", "1", "--format", "markdown").out
    assert "## How play differs\n\n- harm: 2 in OLD, 3 in NEW for hit yes\n- A strike → A blow: the game ends" in log


@pytest.mark.parametrize(
    ("added", "how"),
    [
        ('procedure rest(knight: Knight) "A rest":\n  nothing\n', "only NEW has procedure rest"),
        ("measure hale(k: Knight): k.health\n", "only NEW has measure hale"),
    ],
)
@pytest.mark.usefixtures("repository")
def test_what_only_one_revision_can_begin_is_a_change(run: RunCommand, added: str, how: str) -> None:
    Path("duel.rules").write_text(OLD, encoding="utf-8")
    Path("more.rules").write_text(OLD + added, encoding="utf-8")
    done = run("diff", "duel.rules", "more.rules", "--workers", "1", "--all")
    assert (done.exit, done.out.splitlines()[3].partition("):")[0]) == (1, f"changed ({how}")
    turned = run("diff", "more.rules", "duel.rules", "--workers", "1", "--all")
    assert (turned.exit, turned.out.splitlines()[3].partition("):")[0]) == (1, f"changed ({how.replace('NEW', 'OLD')}")


def test_git_shows_it_as_its_own_difference(repository: GitRepository, tmp_path: Path) -> None:
    (tmp_path / ".gitattributes").write_text("*.rules diff=rulewright\n", encoding="utf-8")
    (tmp_path / "game/new.rules").write_text(NEW, encoding="utf-8")
    repository.git("add", "-N", "game/new.rules")
    repository.git("config", "diff.rulewright.command", f"{COMMAND} --driver")
    told = repository.git("diff", "--", "*.rules")
    assert told.count("\nunknown (plays were not compared)") == 2
    assert "OLD a/base/dice.rules" in told
    assert "  term harm: 2 if “hit” is yes, else 1 → 3 if “hit” is yes, else 1\n" in told
    assert '  setting hard "hard blows": removed: yes or no; no unless chosen\n' in told
    assert "game/new.rules: added\n" in told
