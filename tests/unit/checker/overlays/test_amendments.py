import pytest

from rulewright.documents.ruleset_loading import LoadedRuleset
from support.reference.ruleset_texts import load_files

BASE = """\
ruleset base "Base" revision "1"
document BAS "The base"
values Trait: brave, slow
kind Unit, units:
  owner: player
  health: 0..9
setting limit: 0..9 = 3
term strong(u: Unit) gives flag means u.health >= limit
term able(u: Unit) when all:
  alive: u.health >= 1
  odd: u.health != 5
tally dice(u: Unit) from u.health "Dice":
  weak: -1 when u.health < 3  @1.a
  floor: at least 0
decide leader(a: Unit, b: Unit) gives Unit "Leader":
  first: a when strong(a)
  second: b otherwise
procedure rest(u: Unit) "Rest":
  require hurt: u.health < 9 "in full health"
  let before = u.health
  step 1 "Heal"  @2.a:
    ask u.owner whether heal "Heal?":
      more: add up to 1 to u.health
    ask u.owner to choose way "How?":
      option slowly "Slowly"  @2.b
      option fast "Fast":
        set u.health to before
  step 2 "Leave":
    if able(u) and dice(u) > 0 and leader(u, u) = u:
      remove u
""".replace('"Heal"  @2.a:', '"Heal":  @2.a')


def amended(*overlays: str) -> LoadedRuleset:
    names = [f"o{number}.rules" for number, _ in enumerate(overlays)]
    texts = {name: f'amends base revision "{name}"\n{text}' for name, text in zip(names, overlays, strict=True)}
    return load_files({"base.rules": BASE} | texts, "base.rules", names)


def codes(loaded: LoadedRuleset) -> list[str]:
    return [each.code for each in loaded.diagnostics]


def rows(loaded: LoadedRuleset, name: str) -> list[str]:
    assert loaded.program is not None, loaded.diagnostics
    return [row.id for row in loaded.program.functions[name].body.rows]  # type: ignore[union-attr]


def lines(loaded: LoadedRuleset, step: int) -> list[str]:
    assert loaded.program is not None, loaded.diagnostics
    return [line.address for line in loaded.program.procedures["rest"].steps[step].block]


def test_the_base_alone_is_fine() -> None:
    assert codes(amended()) == ["RW0560"]  # `Trait` is there for overlays only


def test_rows_are_inserted_in_their_place() -> None:
    assert rows(amended("insert row dice/x: +1\n"), "dice") == ["weak", "floor", "x"]
    assert rows(amended("insert after dice/weak row x: +1\n"), "dice") == ["weak", "x", "floor"]
    assert rows(amended("insert before dice/weak row x: +1\n"), "dice") == ["x", "weak", "floor"]


def test_a_row_reads_as_the_sort_of_row_that_stands_there() -> None:
    found = amended("insert before leader/first row weak: b when dice(a) = 0\nremove dice/floor\n")
    assert rows(found, "leader") == ["weak", "first", "second"]
    found = amended("insert after able/alive row whole: u.health >= 2\n")
    assert rows_of_conditions(found) == ["alive", "whole", "odd"]


def rows_of_conditions(loaded: LoadedRuleset) -> list[str]:
    return rows(loaded, "able")


def test_a_replaced_row_keeps_its_cites_unless_it_has_its_own() -> None:
    kept = amended("replace row dice/weak: -2 when u.health < 3\n")
    assert kept.program is not None
    assert kept.program.functions["dice"].body.rows[0].cites == ("BAS.1.a",)  # type: ignore[union-attr]
    own = amended('document HR "House"\nreplace row dice/weak: -2 when u.health < 3  @9\n')
    assert own.program is not None
    assert own.program.functions["dice"].body.rows[0].cites == ("HR.9",)  # type: ignore[union-attr]


def test_a_clause_departed_from_is_taken_from_the_lines_replaced() -> None:
    found = amended('departs "twice as hard here"  @BAS:1.a\nreplace row dice/weak: -2 when u.health < 3\n')
    assert found.program is not None
    assert found.program.functions["dice"].body.rows[0].cites == ()  # type: ignore[union-attr]
    assert [account.clauses for account in found.program.accounts] == [("BAS.1.a",)]


def test_steps_are_inserted_and_removed() -> None:
    found = amended('insert after rest/1 step 1b "Think":\n  nothing\nremove rest/2\n')
    assert found.program is not None
    assert [step.id for step in found.program.procedures["rest"].steps] == ["1", "1b"]


def test_lines_are_inserted_beside_a_line_with_an_id_and_at_the_end_of_a_step() -> None:
    found = amended("insert before rest/1/heal:\n  start: nothing\ninsert into rest/1:\n  end: nothing\n")
    assert [line.rpartition("/")[2] for line in lines(found, 0)] == ["start", "heal", "way", "end"]


def test_lines_inside_the_block_of_a_question_belong_to_the_step() -> None:
    found = amended("insert after rest/1/more:\n  again: add up to 1 to u.health\n")
    assert found.program is not None
    (question, _) = found.program.procedures["rest"].steps[0].block
    assert [line.address for line in question.block] == ["rest/1/more", "rest/1/again"]  # type: ignore[union-attr]


def test_a_requirement_comes_after_the_others() -> None:
    found = amended('insert require rest/two: u.health >= 2 "too weak"\n')
    assert found.program is not None
    opening = found.program.procedures["rest"].opening
    assert [getattr(each, "id", "lines") for each in opening] == ["hurt", "two", "lines"]


@pytest.mark.parametrize(
    "text",
    [
        'replace step rest/2 "Go":\n  remove u\n',
        'replace option rest/1/way/slowly "At ease"\n',
        'replace require rest/hurt: u.health < 8 "nearly in full health"\n',
        "replace let rest/before = 2\n",
        "replace term strong means u.health >= 4 + limit\n",
        "replace setting limit = 4\n",
        "replace field Unit/health: 0..20\n",
        'insert word Trait/fast "Fast"\n',
        "insert field Unit/morale: 0..9 = 0\nreplace term strong means u.morale > limit\n",
        'insert option rest/1/way/never "Never"\n',
        "replace decide leader(a: Unit, b: Unit) gives Unit:\n  x: a when strong(b)\n  y: b otherwise\n",
    ],
)
def test_every_sort_of_part_can_be_amended(text: str) -> None:
    assert codes(amended(text)) == []


def test_a_replaced_setting_keeps_its_type() -> None:
    found = amended("replace setting limit = 4\n")
    assert found.program is not None
    assert found.program.settings["limit"].value.value == 4  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("remove rest/3\n", "RW0610"),
        ("insert row dice/weak: +1\n", "RW0611"),
        ('replace option rest/2 "No"\n', "RW0615"),
        ("insert after rest/1 row x: +1\n", "RW0616"),
        ("insert after rest/1:\n  nothing\n", "RW0616"),
        ("insert into dice:\n  nothing\n", "RW0616"),
        ("insert row more: +1\n", "RW0616"),
        ("insert word dice/x\n", "RW0616"),
    ],
)
def test_what_cannot_be_done_is_refused(text: str, code: str) -> None:
    assert codes(amended(text)) == [code]


def test_the_nearest_address_is_suggested() -> None:
    (found,) = amended("remove rest/1/way/slwoly\n").diagnostics
    assert found.message == "there is no `rest/1/way/slwoly`"
    assert found.help == "did you mean `rest/1/way/slowly`?"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("remove dice/weak\nreplace row dice/floor: at least 1\n", "replace row dice/floor: at least 2\n"),
        ("replace row dice/floor: at least 1\n", "replace tally dice(u: Unit) from u.health:\n  x: +1\n"),
        ("insert row dice/x: +1\n", "remove dice/x\n"),
        ("insert into rest/1:\n  nothing\n", "remove rest/1\n"),
    ],
)
def test_two_overlays_at_one_address_are_refused(first: str, second: str) -> None:
    found = amended(first, second)
    assert "RW0612" in codes(found)


def test_two_overlays_may_add_side_by_side() -> None:
    found = amended("insert row dice/x: +1\n", "insert row dice/y: +1\n")
    assert rows(found, "dice") == ["weak", "floor", "x", "y"]


def test_an_overlay_may_change_what_an_overlay_that_it_uses_changed() -> None:
    found = amended("replace row dice/floor: at least 1\n", 'use "o0.rules"\nreplace row dice/floor: at least 2\n')
    assert codes(found) == []
