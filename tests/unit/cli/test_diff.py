import re
import shlex
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import rulewright
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
CLAUSES = """\
document: DUE
clauses:
  - {id: DUE.1, where: page 1}
  - {id: DUE.1.a, where: "page 1, box"}
  - {id: DUE.2, where: page 2}
  - {id: DUE.2.a, where: "page 2, box"}
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


@pytest.mark.parametrize(
    "places",
    [
        ("main:duel.rules", "duel.rules"),
        *(("--git", "main", *place) for place in ((), (".",), ("./duel.rules",), ("../game",))),
    ],
)
def test_a_revision_of_git_is_read_with_all_it_uses(
    repository: GitRepository, run: RunCommand, tmp_path: Path, places: tuple[str, ...]
) -> None:
    repository.git("worktree", "add", "-q", "--detach", str(tmp_path / "was"), "main")
    beside = run("diff", "../was/game", ".", "--work", "0", "--all")
    done = run("diff", *places, "--work", "0", "--all")
    assert (done.exit, done.err) == (beside.exit, beside.err) == (3, "")
    assert done.out.splitlines()[2:] == beside.out.splitlines()[2:]


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


def test_the_page_shows_a_procedure_beside_itself_where_both_texts_have_one_name(
    repository: GitRepository, run: RunCommand
) -> None:
    rest, wait, alpha = (
        f"procedure {name}(u: Unit):\n  set u.men to {men}\n" for name, men in (("rest", 1), ("wait", 2), ("alpha", 3))
    )
    head = 'ruleset two "Two" revision "1"\nkind Unit, units:\n  men: 0..9\n'
    Path("two.rules").write_text(head + rest + wait, encoding="utf-8")
    repository.commit()
    Path("two.rules").write_text(head + alpha + rest + wait, encoding="utf-8")
    run("diff", "--git", "main", "two.rules", "--html", "page.html")
    cells = [
        found.get("id", "") if tag == "td" else tag
        for tag, found in HtmlPage(Path("page.html").read_text(encoding="utf-8")).tags
        if tag == "tr" or found.get("id", "").startswith(("old0-", "new0-"))
    ]
    beside = {one: other for one, other in pairwise(cells) if one.startswith("old") and other.startswith("new")}
    assert [beside.get(f"old0-{line}") for line in range(4, 8)] == ["new0-6", "new0-7", "new0-8", "new0-9"]


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
