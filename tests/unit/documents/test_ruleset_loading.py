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


@pytest.mark.parametrize(
    "path", ["/etc/a.rules", "https://x.org/a.rules", "C:/a.rules", "~/a.rules", "..\\a.rules", ""]
)
def test_use_leads_from_this_file_only(path: str) -> None:
    assert codes(loaded("b.rules", b=HEAD.format("b") + f'use "{path}" as a\n')) == ["RW0010"]


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
