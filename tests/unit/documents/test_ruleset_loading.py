import pytest

from rulewright.base.files import MemoryFiles
from rulewright.documents.ruleset_loading import LoadedRuleset, load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset

HEAD = 'ruleset {} "Title" revision "1"\n'
UNIT = "kind Unit, units:\n  owner: player\n  health: 0..9\n"
STRONG = "term strong(u: Unit) gives flag means u.health >= 5\n"


def loaded(main: str, **texts: str) -> LoadedRuleset:
    provider = MemoryFiles({name.replace("__", "/") + ".rules": text for name, text in texts.items()})
    return load_ruleset(locate_ruleset(main, provider), provider=provider)


def codes(found: LoadedRuleset) -> list[str]:
    return [each.code for each in found.diagnostics]


def test_a_ruleset_becomes_a_program() -> None:
    found = loaded("a.rules", a=HEAD.format("a") + UNIT + STRONG)
    assert found.program is not None
    assert (found.program.name, list(found.program.kinds)) == ("a", ["player", "Unit"])
    assert list(found.texts) == ["a.rules"]


def test_names_of_a_used_ruleset_carry_its_prefix() -> None:
    user = HEAD.format("b") + 'use "../a/a.rules" as a\nterm weak(u: a.Unit) gives flag means not a.strong(u)\n'
    found = loaded("b/b.rules", a__a=HEAD.format("a") + UNIT + STRONG, b__b=user)
    assert found.program is not None
    assert list(found.program.functions) == ["a.strong", "weak"]
    assert list(found.program.kinds) == ["player", "a.Unit"]


def test_a_file_that_two_rulesets_share_is_read_once() -> None:
    main = (
        HEAD.format("m")
        + 'use "things.rules"\nuse "side.rules" as side\nterm able(u: Unit) gives flag means side.strong(u)\n'
    )
    found = loaded("m.rules", m=main, side=HEAD.format("s") + 'use "things.rules"\n' + STRONG, things=UNIT)
    assert codes(found) == []
    assert found.program is not None
    assert list(found.program.kinds) == ["player", "Unit"]


def test_an_unreadable_use_is_reported_at_its_line_and_its_names_are_not() -> None:
    found = loaded("b.rules", b=HEAD.format("b") + 'use "a.rules" as a\nterm weak(u: a.Unit) gives flag means yes\n')
    assert [(each.code, each.primary and each.primary.span.start) for each in found.diagnostics] == [("RW0001", 35)]


@pytest.mark.parametrize(
    "path", ["/etc/a.rules", "https://x.org/a.rules", "C:/a.rules", "~/a.rules", "..\\a.rules", ""]
)
def test_use_leads_from_this_file_only(path: str) -> None:
    assert codes(loaded("b.rules", b=HEAD.format("b") + f'use "{path}" as a\n')) == ["RW0010"]


def test_a_mistake_in_one_declaration_hides_none_in_another() -> None:
    broken = "term a(u: Unit) gives flag means u.health >=\nterm b(u: Unit) gives flag means u.health\n"
    found = loaded("a.rules", a=HEAD.format("a") + UNIT + broken + "term c(u: Unit) gives flag means a(u)\n")
    assert len(found.diagnostics) == 2
    assert codes(found)[0].startswith("RW01")
    assert codes(found)[1].startswith("RW03")


def test_layout_and_comments_leave_the_fingerprint_alone() -> None:
    prints = {
        found.program.fingerprint
        for text in (UNIT + STRONG, "# a comment\n\n" + UNIT + "\n\n" + STRONG.replace("gives", "gives  "))
        if (found := loaded("a.rules", a=HEAD.format("a") + text)).program is not None
    }
    assert len(prints) == 1


@pytest.mark.parametrize("change", [("0..9", "0..8"), (">= 5", ">= 6"), ("strong", "mighty"), ('"Title"', '"Name"')])
def test_whatever_changes_play_or_what_people_read_changes_the_fingerprint(change: tuple[str, str]) -> None:
    text = HEAD.format("a") + UNIT + STRONG
    before, after = loaded("a.rules", a=text).program, loaded("a.rules", a=text.replace(*change)).program
    assert before is not None
    assert after is not None
    assert before.fingerprint != after.fingerprint


def test_a_long_chain_of_files_ends_in_a_finding() -> None:
    chain = {f"f{number}": f'use "f{number + 1}.rules"\n' for number in range(300)}
    found = loaded("a.rules", a=HEAD.format("a") + 'use "f0.rules"\n', **chain)
    assert [(each.code, each.message) for each in found.diagnostics if each.code != "RW0232"] == [
        ("RW0147", "files use each other more than 50 deep")
    ]
