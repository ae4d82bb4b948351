import json
import subprocess
from pathlib import Path

import jsonschema
import pytest

from rulewright.base.files import get_resource_folder
from support.duel_example import RunCommand


def test_a_fine_ruleset(run: RunCommand) -> None:
    done = run("check", "duel.rules")
    assert (done.exit, done.out, done.err) == (0, "duel.rules: fine\n", "")


def test_a_shipped_ruleset_tells_its_clauses(run: RunCommand) -> None:
    assert run("check", "mel").out == "mel: fine, 55 of 55 clauses answered\n"


def test_an_error_is_found(run: RunCommand) -> None:
    path = Path("duel.rules")
    path.write_text(
        path.read_text(encoding="utf-8").replace("striker.health > 0", "striker.helth > 0"), encoding="utf-8"
    )
    done = run("check", "duel.rules", "duel.rules")
    assert done.exit == 1
    lines = done.out.splitlines()
    assert lines[:2] == ["error RW0306: `Knight` has no attribute `helth`", "  --> duel.rules:9:26"]
    assert lines[-1] == "duel.rules: 1 error"


def test_a_missing_file_is_bad_input(run: RunCommand) -> None:
    done = run("check", "duel.rules", "dual.rules")
    assert done.exit == 2
    assert done.out.splitlines() == [
        "error RW0001: there is no file `dual.rules`",
        "  help: did you mean `duel.rules`?",
        "duel.rules: fine",
        "dual.rules: 1 error",
    ]


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


def test_json_has_findings_and_files(run: RunCommand) -> None:
    done = run("check", "duel.rules", "nowhere.rules", "--format", "json")
    document = json.loads(done.out)
    assert [each["code"] for each in document["diagnostics"]] == ["RW0001"]
    assert [(each["path"], each["fine"], each["ruleset"]) for each in document["files"]] == [
        ("duel.rules", True, "duel"),
        ("nowhere.rules", False, None),
    ]


def test_an_overlay_beside_a_shipped_ruleset_goes_by_its_name(run: RunCommand) -> None:
    assert run("check", "mel", "--overlay", "mel_dice").exit == 0


def _box(*names: str, **files: str) -> None:
    """A folder `box` with a ruleset in a folder of its own for each name, and other files."""
    for name in names:
        Path("box", name).mkdir(parents=True)
        Path("box", name, f"{name}.rules").write_text(f'ruleset {name} "{name}" revision "1"\n', encoding="utf-8")
    for name, content in files.items():
        Path("box", *name.split("__")).with_suffix(".rules").write_text(content, encoding="utf-8")


def test_every_ruleset_of_a_folder_is_checked(run: RunCommand) -> None:
    _box("a", "b")
    done = run("check", "box")
    assert (done.exit, done.out) == (0, "box/a: fine\nbox/b: fine\n")
    _box(a__a='ruleset a "a" revision "1"\nmeasure m: none_such\n')
    done = run("check", "box", "--format", "json")
    document = json.loads(done.out)
    assert done.exit == 1
    assert [(each["path"], each["fine"]) for each in document["files"]] == [("box/a", False), ("box/b", True)]


def test_the_shipped_rulesets_are_checked_by_their_folder(run: RunCommand) -> None:
    done = run("check", str(get_resource_folder("rulesets")))
    assert done.exit == 0
    assert done.out.count(": fine") == len(
        [each for each in get_resource_folder("rulesets").iterdir() if each.is_dir()]
    )


def test_files_of_a_folder_that_nobody_reads_are_told(run: RunCommand) -> None:
    _box("a", "b", a__part="kind Unit, units:\n  owner: player\n")
    done = run("check", "box")
    assert done.exit == 2
    assert done.out.startswith("error RW0016: `box/a/part.rules` ")
    Path("box/a/a.rules").write_text('ruleset a "a" revision "1"\nuse "part.rules"\n', encoding="utf-8")
    assert run("check", "box").exit == 0


def test_an_overlay_amends_one_ruleset(run: RunCommand) -> None:
    _box("a", "b")
    done = run("check", "box", "--overlay", "house.rules")
    assert done.exit == 2
    assert done.err.startswith("error RW0017: ")


def _broken(text: str) -> str:
    misspelt = text.replace("striker.health > 0", "striker.helth > 0")
    return misspelt.replace('  step 2 "The wound":', '  step 2 "The wound"')


def test_fix_writes_what_is_safe_and_checks_again(run: RunCommand) -> None:
    path = Path("duel.rules")
    before = path.read_text(encoding="utf-8")
    path.write_text(_broken(before), encoding="utf-8")
    shown = run("check", "duel.rules", "--diff")
    assert shown.exit == 1
    assert [line for line in shown.out.splitlines() if line[:2] in {"+ ", "- "}] == [
        '-  require alive: striker.helth > 0 "the striker is down"',
        '+  require alive: striker.health > 0 "the striker is down"',
        '-  step 2 "The wound"',
        '+  step 2 "The wound":',
    ]
    assert path.read_text(encoding="utf-8") == _broken(before)
    done = run("check", "duel.rules", "--fix")
    assert (done.exit, done.out) == (0, "duel.rules: 2 remedies applied\nduel.rules: fine\n")
    assert path.read_text(encoding="utf-8") == before
    assert run("check", "duel.rules", "--fix").out == "duel.rules: fine\n"


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


def test_what_may_change_the_rules_waits_for_unsafe(run: RunCommand) -> None:
    path = Path("duel.rules")
    before = path.read_text(encoding="utf-8")
    path.write_text(before.replace("  shield", '  colour: text = ""\n  shield'), encoding="utf-8")
    done = run("check", "duel.rules", "--fix")
    assert done.exit == 0
    assert "warning RW0231" in done.out
    assert "`--unsafe`" in done.out
    assert "colour" in path.read_text(encoding="utf-8")
    assert run("check", "duel.rules", "--fix", "--unsafe").exit == 0
    assert path.read_text(encoding="utf-8") == before


def test_a_remedy_that_does_not_help_is_not_applied(run: RunCommand) -> None:
    """An attribute nobody reads, which an overlay of the same folder gives: taking it out would break nothing here."""
    text = 'ruleset lone "Lone" revision "1"\nkind Unit, units:\n  idle: flag\n'
    Path("lone.rules").write_text(text, encoding="utf-8")
    done = run("check", "lone.rules", "--fix", "--unsafe")
    assert done.exit == 0
    assert Path("lone.rules").read_text(encoding="utf-8") == text


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


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("    let damage", "     let damage"),
        ("    take up to damage", "   take up to damage"),
        ("    let damage", "  let damage"),
        ("    let damage", "  nothing\n    let damage"),
        ("  else if", "   else if"),
        ("  else if", "    else if"),
        ("  if total(mine) > total(theirs):\n    let", "  if total(mine) > total(theirs):\n  let"),
    ],
)
def test_a_line_that_may_belong_to_either_block_stays(right: str, wrong: str, run: RunCommand) -> None:
    slipped = _FIGHT.replace(right, wrong, 1)
    assert _fixed(run, slipped, "--unsafe") == slipped


def test_what_an_error_hid_is_never_taken_out_with_its_remedy(run: RunCommand) -> None:
    assert (
        _fixed(run, _FIGHT.replace("if total(mine) > total(theirs):", "if total(mine) > total(theirs)"), "--unsafe")
        == _FIGHT
    )
    assert "brave" not in _fixed(run, _FIGHT, "--unsafe")


def test_remedies_are_announced_only_if_they_would_be_applied(run: RunCommand) -> None:
    text = 'ruleset lone "Lone" revision "1"\nkind Unit, units:\n  idle: flag\n'
    Path("lone.rules").write_text(text, encoding="utf-8")
    assert "--unsafe" not in run("check", "lone.rules", "--fix").out


def test_several_files_and_overlays_are_fixed(run: RunCommand) -> None:
    base, house = Path("duel.rules"), Path("house.rules")
    before = base.read_text(encoding="utf-8")
    broken = before.replace("to no\n", "to noo\n").replace("striker.health > 0", "striker.helth > 0")
    base.write_text(broken, encoding="utf-8")
    step = 'replace step strike/3 "Falls" when target.heath = 0:\n  remove target\n'
    house.write_text(f'amends duel revision "1-h"\n{step}', encoding="utf-8")
    done = run("check", "duel.rules", "--overlay", "house.rules", "--fix")
    assert done.exit == 1
    assert "target.health = 0" in house.read_text(encoding="utf-8")
    assert "striker.health > 0" in base.read_text(encoding="utf-8")
    assert "noo" in done.out


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


def test_options_that_exclude_each_other(run: RunCommand) -> None:
    assert run("check", "duel.rules", "--fix", "--diff").exit == 2
    assert run("check", "duel.rules", "--unsafe").exit == 2


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


def test_scenario_files_of_a_folder_are_read_and_not_played(run: RunCommand) -> None:
    whole = (
        "ruleset: duel.rules\nprocedure: strike\nstate: state.yaml\nwith: {striker: gawain, target: mordred}\n"
        'scenarios:\n  "a miss":\n    expect: {asked: []}\n'
    )
    Path("fine.scenario.yaml").write_text(whole, encoding="utf-8")
    fine = run("check", ".")
    assert (fine.exit, fine.err) == (0, "")
    assert fine.out.endswith("1 scenario file is not played here: `rulewright test` plays it\n")
    Path("broken.scenario.yaml").write_text(whole.replace("scenarios", "scenaros"), encoding="utf-8")
    broken = run("check", ".")
    assert broken.exit == 1
    assert "RW1001: `scenaros` is not part of a scenario file" in broken.out
    assert "not played" not in broken.out
    assert broken.out.endswith(": 1 error in broken.scenario.yaml; the rules are fine\n")
    Path("other").mkdir()
    Path("other/other.rules").write_text('ruleset other "Other" revision "1"\n', encoding="utf-8")
    several = run("check", ".", "other").out.splitlines()[-3:]
    assert several[0].endswith(": the rules are fine")
    assert several[1:] == ["other: the rules are fine", "1 error in broken.scenario.yaml"]
    assert run("check", "duel.rules").exit == 0


def test_what_a_scenario_names_is_looked_up_and_nothing_is_played(run: RunCommand) -> None:
    head = "ruleset: duel.rules\nprocedure: strike\nstate: state.yaml\n"
    slip = head + 'with: {striker: gawian, target: mordred}\nscenarios:\n  "a hit":\n    expect: {asked: []}\n'
    Path("slip.scenario.yaml").write_text(slip, encoding="utf-8")
    state = "state: {players: [red, blue], knights: {gawain: {owner: red, health: 99}, mordred: {owner: blue, health: 2}}}\n"
    twice = head.replace("state: state.yaml\n", state) + "with: {striker: gawain, target: mordred}\nscenarios:\n"
    twice += '  "a hit":\n    expect: {asked: []}\n  "a miss":\n    expect: {asked: []}\n'
    Path("twice.scenario.yaml").write_text(twice, encoding="utf-8")
    for _ in ("first", "from the cache"):
        found = run("check", ".")
        assert found.exit == 1
        assert found.out.count("RW0714: `striker` is `gawian`, which is not a Knight here") == 1
        assert "  help: did you mean `gawain`?\n" in found.out
        assert found.out.count("RW0712: `health` of `gawain` is 99") == 1
        assert found.out.endswith(": 2 errors beside the rules; the rules are fine\n")
    Path("slip.scenario.yaml").write_text(slip.replace("gawian", "gawain"), encoding="utf-8")
    assert run("check", ".").out.endswith(": 1 error in twice.scenario.yaml; the rules are fine\n")


def _write_house(named: str) -> str:
    """Writes a folder of rules with an overlay and a scenario whose first line is given; gives the text of the rules."""
    Path("house").mkdir(exist_ok=True)
    Path("house/state.yaml").write_text(Path("state.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    text = Path("duel.rules").read_text(encoding="utf-8")
    Path("house/house.rules").write_text(text, encoding="utf-8")
    Path("house/late.rules").write_text(f'amends {text.split()[1]} revision "late"\n', encoding="utf-8")
    Path("house/plays.scenario.yaml").write_text(
        f"{named}\nprocedure: strike\nstate: state.yaml\nwith: {{striker: gawain, target: nobody}}\n"
        'scenarios:\n  "a miss":\n    expect: {asked: []}\n',
        encoding="utf-8",
    )
    return text


def test_what_follows_in_overlays_from_a_ruleset_without_a_name_is_not_told(run: RunCommand) -> None:
    text = _write_house("ruleset: late.rules")
    assert "RW0714: `target` is `nobody`" in run("check", "house").out
    Path("house/house.rules").write_text(text.partition("\n")[2], encoding="utf-8")
    found = run("check", "house")
    assert (found.exit, found.out.count("error RW")) == (1, 1), found.out


def test_a_scenario_under_an_overlay_is_left_to_the_tests(run: RunCommand) -> None:
    _write_house("ruleset: house.rules\noverlays: [late]")
    found = run("check", "house")
    assert found.exit == 0
    assert found.out.endswith(
        "1 scenario file is not played here, and 1 scenario not opened: `rulewright test` plays it\n"
    )


def test_a_mistake_of_the_rules_is_told_once_for_all_scenarios(run: RunCommand) -> None:
    rules = Path("duel.rules").read_text(encoding="utf-8")
    Path("duel.rules").write_text(rules.replace("health: 0..9", "health: 0..nine"), encoding="utf-8")
    text = "ruleset: duel.rules\nprocedure: strike\nstate: state.yaml\nwith: {striker: gawain, target: mordred}\n"
    text += 'scenarios:\n  "a hit":\n    expect: {asked: []}\n'
    Path("fine.scenario.yaml").write_text(text, encoding="utf-8")
    found = run("check", ".", "--format", "json")
    broken = json.loads(found.out)["diagnostics"]
    assert {each["place"]["file"] for each in broken} == {"duel.rules"}
    assert len({json.dumps(each) for each in broken}) == len(broken)


SLIPS = """\
ruleset duel "A duel" revision "1"
kind Knight, knights:
  owner: player
  at: hex
  facing: direction
  health: 0..9
board field of hex
game:
  active: player
procedure rest(knight: Knight) "Rest":
  require turn: knight.owner = active
  set knight.health to 3
"""


def test_a_value_is_set_to_what_stands_after_the_equals_sign(run: RunCommand) -> None:
    slipped = SLIPS.replace("knight.health to 3", "knight.health = 3")
    Path("slips.rules").write_text(slipped, encoding="utf-8")
    done = run("check", "slips.rules")
    assert (done.exit, done.out.splitlines()[:2]) == (
        1,
        ["error RW0107: `=` compares, and changes nothing", "  --> slips.rules:12:21"],
    )
    assert _fixed(run, slipped) == SLIPS


def test_no_check_is_advised_where_none_can_help(run: RunCommand) -> None:
    Path("slips.rules").write_text(SLIPS.replace("set knight.health to 3", "turn knight to face knight.at"), "utf-8")
    done = run("check", "slips.rules")
    assert done.exit == 0
    assert "warning RW0419: `knight.at` is `knight.at` itself" in done.out
    assert "if knight.at != knight.at" not in done.out


def test_a_field_of_the_game_is_called_by_its_name_alone(run: RunCommand) -> None:
    Path("slips.rules").write_text(SLIPS.replace("= active", "= game.active"), encoding="utf-8")
    done = run("check", "slips.rules")
    assert done.exit == 1
    assert "error RW0301: `game` is not known here\n  --> slips.rules:11:32\n" in done.out
    assert "  help: a field of `game` is written by its name alone\n" in done.out


def test_a_folder_tells_of_its_overlays_that_were_not_checked(run: RunCommand) -> None:
    Path("box").mkdir()
    Path("box/duel.rules").write_text(Path("duel.rules").read_text(encoding="utf-8"), encoding="utf-8")
    Path("box/house.rules").write_text('amends duel revision "1-house"\nthis cannot be read\n', encoding="utf-8")
    told = "1 overlay is not checked: `rulewright check box/house.rules` checks one"
    assert run("check", "box").out.splitlines()[-1] == told
    assert told not in run("check", "box", "--overlay", "box/house.rules").out
    assert run("check", "box/house.rules").exit == 1
    Path("box/second.rules").write_text('amends duel revision "1-second"\n', encoding="utf-8")
    assert "2 overlays are not checked" in run("check", "box").out


def test_the_command_it_recommends_for_an_overlay_works_beside_two_bases(run: RunCommand) -> None:
    Path("box").mkdir()
    for name in ("duel", "copy"):
        Path(f"box/{name}.rules").write_text(Path("duel.rules").read_text(encoding="utf-8"), encoding="utf-8")
    Path("box/house.rules").write_text('amends duel revision "1-house"\n', encoding="utf-8")
    advised = run("check", "box").out.splitlines()[-1].split("`")[1]
    assert advised.startswith("rulewright check box")
    assert advised.endswith(" --overlay box/house.rules")
    assert run(*advised.split()[1:]).exit == 0
    assert "RW0007" in run("check", "box/house.rules").out


ROUNDS = """\
ruleset rounds "Rounds" revision "1"
kind Unit, units "A unit":
  owner: player
  wounds: 0..9 = 3
game:
  round: 1..9 = 1
term strong(u: Unit) gives flag means u.wounds > 2
procedure rest(u: Unit) "Rest":
  require early: round <= 3 "too late"
  add up to 1 to u.wounds
"""


def test_a_copy_beside_a_ruleset_silences_nothing(run: RunCommand, tmp_path: Path) -> None:
    folder = tmp_path / "rounds"
    folder.mkdir()
    (folder / "rounds.rules").write_text(ROUNDS)
    alone = run("check", "rounds/rounds.rules").out
    assert "RW0560" in alone
    assert "RW0568" in alone
    (folder / "rounds-old.rules").write_text(ROUNDS)
    assert run("check", "rounds/rounds.rules").out == alone


def test_an_overlay_or_user_of_the_ruleset_uses_what_it_mentions(run: RunCommand, tmp_path: Path) -> None:
    folder = tmp_path / "rounds"
    folder.mkdir()
    (folder / "rounds.rules").write_text(ROUNDS)
    (folder / "later.rules").write_text(
        'amends rounds revision "1"\nprocedure next(u: Unit):\n  require fit: strong(u)\n  add up to 1 to round\n'
    )
    assert run("check", "rounds/rounds.rules").out == "rounds/rounds.rules: fine\n"


def test_a_file_of_rules_that_nothing_uses_is_named(run: RunCommand, tmp_path: Path) -> None:
    folder = tmp_path / "rounds"
    folder.mkdir()
    (folder / "rounds.rules").write_text(ROUNDS)
    (folder / "used.rules").write_text("term weak(u: Unit) gives flag means not strong(u)\n")
    (folder / "later.rules").write_text('amends rounds revision "1"\nuse "used.rules"\n')
    (folder / "stray.rules").write_text("term weak(u: Unit) gives flag means not strong(u)\n")
    found = run("check", "rounds")
    assert "RW0016: `rounds/stray.rules` begins with neither" in found.out
    assert "used.rules" not in found.out


def test_a_space_within_a_sign_is_taken_out(run: RunCommand) -> None:
    rules = 'ruleset a "A" revision "1"\n\nkind Unit, units:\n  morale: 0..9\n\n'
    term = "term ready(u: Unit) gives flag means u.morale {} 4\n"
    for written, mended in (("> =", ">="), ("< =", "<="), ("! =", "!="), ("= >", "= >"), ("> >", "> >")):
        Path("signs.rules").write_text(rules + term.format(written), encoding="utf-8")
        run("check", "--fix", "signs.rules")
        assert Path("signs.rules").read_text(encoding="utf-8") == rules + term.format(mended)


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ("", "1 warning; step 2 never happens"),
        ("  step 3:\n    remove u\n", "2 warnings; steps 2 and 3 never happen"),
        ("procedure q(u: Unit):\n  finish\n  remove u\n", "2 warnings; step 2 never happens"),
    ],
)
def test_rules_that_never_happen_are_not_fine(run: RunCommand, after: str, said: str) -> None:
    text = (
        'ruleset r "R" revision "1"\nkind Unit, units:\n  morale: 0..9 = 2\nprocedure p(u: Unit):\n'
        "  step 1:\n    if u.morale > 3:\n      add up to 1 to u.morale\n    finish\n  step 2:\n    remove u\n"
    )
    Path("r.rules").write_text(text + after, encoding="utf-8")
    done = run("check", "r.rules")
    assert done.out.splitlines()[-1] == f"r.rules: {said}"
    help_ = "the `finish` above always ends the procedure; is it indented too little?"
    assert f"help: {help_}" in done.out


def test_scenarios_are_checked_under_the_rules_as_fixes_leave_them(run: RunCommand) -> None:
    rules = Path("duel.rules").read_text(encoding="utf-8")
    Path("duel.rules").write_text(rules.replace("blow.natural < 4", "blw.natural < 4"), encoding="utf-8")
    head = "ruleset: duel.rules\nprocedure: strike\nstate: state.yaml\nwith: {striker: gawain, target: mordred}\n"
    Path("a.scenario.yaml").write_text(head + 'scenarios:\n  "a": {expect: {asked: []}}\n', encoding="utf-8")
    assert run("check", ".").out.count("error RW") == 1
    fixed = run("check", ".", "--fix", "--unsafe")
    assert (fixed.exit, fixed.out.count("error RW")) == (0, 0)
