import json
import subprocess
from pathlib import Path

import jsonschema
import pytest

from rulewright.base.files import get_resource_folder
from support.duel_example import RunCommand


def test_a_limit_leaves_unknown(run: RunCommand) -> None:
    Path("deep.rules").write_text(
        f'ruleset deep "Deep" revision "1"\nmeasure m: {"(" * 5000}1{")" * 5000}\n', encoding="utf-8"
    )
    done = run("check", "deep.rules")
    assert done.exit == 3
    assert done.out.startswith("error RW0147: ")


def test_ten_million_brackets_are_refused_at_once(run: RunCommand) -> None:
    Path("long.rules").write_text("(" * 10_000_000, encoding="utf-8")
    done = run("check", "long.rules")
    assert done.exit == 3
    assert done.out.startswith("error RW0005: `long.rules` is larger than ")


def _box(*names: str, **files: str) -> None:
    """A folder `box` with a ruleset in a folder of its own for each name, and other files."""
    for name in names:
        Path("box", name).mkdir(parents=True)
        Path("box", name, f"{name}.rules").write_text(f'ruleset {name} "{name}" revision "1"\n', encoding="utf-8")
    for name, content in files.items():
        Path("box", *name.split("__")).with_suffix(".rules").write_text(content, encoding="utf-8")


def test_the_shipped_rulesets_are_checked_by_their_folder(run: RunCommand) -> None:
    done = run("check", str(get_resource_folder("rulesets")))
    assert done.exit == 0
    assert done.out.count(": fine") == len(
        [each for each in get_resource_folder("rulesets").iterdir() if each.is_dir()]
    )


def _broken(text: str) -> str:
    misspelt = text.replace("striker.health > 0", "striker.helth > 0")
    return misspelt.replace('  step 2 "The wound":', '  step 2 "The wound"')


def test_a_diff_can_be_given_to_patch(run: RunCommand) -> None:
    path = Path("duel.rules")
    before = path.read_text(encoding="utf-8")
    path.write_text(_broken(before), encoding="utf-8")
    patch = run("check", "duel.rules", "--diff").out
    subprocess.run(["git", "apply", "-"], input=patch, text=True, check=True)  # noqa: S607 - whichever git there is
    assert path.read_text(encoding="utf-8") == before


def test_line_ends_and_marks_stay(run: RunCommand) -> None:
    path = Path("duel.rules")
    before = b"\xef\xbb\xbf" + path.read_text(encoding="utf-8").replace("\n", "\r\n").encode()
    path.write_bytes(before.replace(b'  step 2 "The wound":', b'  step 2 "The wound"'))
    assert run("check", "duel.rules", "--fix").exit == 0
    assert path.read_bytes() == before


_FIGHT = """ruleset fray "Fray" revision "1"
kind Hero, heroes:
  owner: player
  health: 0..20 = 10
  brave: flag = no
procedure fight(one: Hero, two: Hero):
  roll 2d6 as mine by one.owner
  roll 2d6 as theirs by two.owner
  if total(mine) > total(theirs):
    let damage = total(mine) - total(theirs)
    take up to damage from two.health
    take up to 1 from two.health
  else if total(theirs) > total(mine):
    take up to 1 from one.health
"""


def _fixed(run: RunCommand, text: str, *options: str) -> str:
    path = Path("fray.rules")
    path.write_text(text, encoding="utf-8")
    run("check", "fray.rules", "--fix", *options)
    return path.read_text(encoding="utf-8")


def test_a_line_one_space_short_is_the_one_that_moves(run: RunCommand) -> None:
    slipped = _FIGHT.replace("    let damage", "   let damage")
    assert _fixed(run, slipped) == _FIGHT
    assert _fixed(run, slipped, "--unsafe") == _FIGHT


def test_shipped_rulesets_are_never_written(run: RunCommand, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _box("a")
    _box(a__a='ruleset a "a" revision "1"\nmeasure m: 1 == 1\n')
    text = Path("box/a/a.rules").read_text(encoding="utf-8")
    monkeypatch.setattr("rulewright.base.files.get_resource_folder", lambda _: tmp_path / "box")
    done = run("check", "a", "--fix")
    assert done.exit == 1
    assert Path("box/a/a.rules").read_text(encoding="utf-8") == text
    assert "shipped rulesets are not written" in done.out
    assert run("check", "a", "--diff").out == ""


def test_remedies_as_json_fit_the_schema(run: RunCommand) -> None:
    path = Path("duel.rules")
    path.write_text(_broken(path.read_text(encoding="utf-8")), encoding="utf-8")
    schema = json.loads(
        (get_resource_folder("grammar") / "schemas" / "diagnostics.schema.json").read_text(encoding="utf-8")
    )
    shown = json.loads(run("check", "duel.rules", "--diff", "--format", "json").out)
    jsonschema.Draft202012Validator(schema).validate(shown)
    assert shown["written"] is False
    assert [(each["file"], each["remedies"]) for each in shown["mended"]] == [("duel.rules", 2)]
    found = json.loads(run("check", "duel.rules", "--format", "json").out)
    jsonschema.Draft202012Validator(schema).validate(found)
    assert [edit["safe"] for each in found["diagnostics"] for edit in each["edits"]] == [True]


def test_a_space_within_a_sign_is_taken_out(run: RunCommand) -> None:
    rules = 'ruleset a "A" revision "1"\n\nkind Unit, units:\n  morale: 0..9\n\n'
    term = "term ready(u: Unit) gives flag means u.morale {} 4\n"
    for written, mended in (("> =", ">="), ("< =", "<="), ("! =", "!="), ("= >", "= >"), ("> >", "> >")):
        Path("signs.rules").write_text(rules + term.format(written), encoding="utf-8")
        run("check", "--fix", "signs.rules")
        assert Path("signs.rules").read_text(encoding="utf-8") == rules + term.format(mended)
