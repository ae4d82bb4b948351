from rulewright.documents.ruleset_loading import LoadedRuleset
from support.reference.ruleset_texts import load_files

RULES = """\
ruleset a "A" revision "1"
document EX "Example"
kind Unit, units:
  hp: 0..9
procedure rest(u: Unit) "Rest":{head}
  add up to 1 to u.hp{line}
"""
ELSEWHERE = {"b": "outside: elsewhere", "c": "outside: elsewhere"}


def listed(**accounts: str) -> str:
    """A list of the clauses a, b and c, some with what accounts for them."""
    said = {name: f", {accounts[name]}" if name in accounts else "" for name in "abc"}
    lines = "".join(f"  - {{id: EX.{name}, where: page 1, says: text{account}}}\n" for name, account in said.items())
    return f"document: EX\nclauses:\n{lines}"


def loaded(line: str, head: str = "", accounts: dict[str, str] | None = None, **more: str) -> LoadedRuleset:
    text = RULES.format(line=line and f"  {line}", head=head and f"  {head}")
    texts = {"a.rules": text, "EX.clauses.yaml": listed(**accounts or {})} | more
    return load_files(texts, "a.rules", [name for name in more if name.endswith(".rules")])


def found(result: LoadedRuleset) -> list[tuple[str, str]]:
    return [(each.code, each.message) for each in result.diagnostics]


def test_every_clause_cited_or_accounted_for_is_fine() -> None:
    assert found(loaded("@a @b", accounts={"c": "outside: elsewhere"})) == []


def test_each_clause_without_line_is_named() -> None:
    assert found(loaded("@a")) == [
        ("RW0603", "no line carries out `EX.b`, and no reason is given"),
        ("RW0603", "no line carries out `EX.c`, and no reason is given"),
    ]


def test_a_cite_of_no_clause_gets_the_nearest() -> None:
    result = loaded("@a @b @c @bb")
    assert found(result) == [("RW0602", "the clause list of `EX` has no `EX.bb`")]
    assert result.diagnostics[0].help == "did you mean `@b`?"


def test_a_house_rule_answers_for_the_clause_it_departs_from() -> None:
    house = (
        'amends a revision "1"\ndeparts "resting does nothing"  @EX:b\nreplace procedure rest(u: Unit):\n  nothing\n'
    )
    result = loaded("@b", accounts={"a": "void: nothing", "c": "void: nothing"}, **{"house.rules": house})
    assert [code for code, _ in found(result)] == ["RW0231", "RW0230"]


def test_an_overlay_carries_out_what_its_base_leaves_outside() -> None:
    amendment = (
        'amends a revision "1"\nreplace procedure rest(u: Unit):\n  add up to 1 to u.hp  @EX:a\n'
        "  take up to 1 from u.hp  @EX:b\n"
    )
    result = loaded("@a", accounts=ELSEWHERE, **{"more.rules": amendment})
    assert found(result) == []
    assert result.program is not None
    assert [each.clauses for each in result.program.accounts] == [("EX.c",)]


def test_what_is_cited_and_outside_in_one_text_is_refused() -> None:
    message = "`EX.a` is declared `outside` and cited by a line"
    assert found(loaded("@a", accounts={"a": "outside: elsewhere"} | ELSEWHERE)) == [("RW0604", message)]


def test_without_a_clause_list_every_clause_of_the_document_counts() -> None:
    assert load_files({"a.rules": RULES.format(line="  @z.9", head="")}, "a.rules").diagnostics == ()


def test_cites_of_a_block_cover_the_lines_in_it() -> None:
    program = loaded("", "@a", {"b": "void: nothing", "c": "void: nothing"}).program
    assert program is not None
    (block,) = program.procedures["rest"].opening
    assert [line.cites for line in block] == [("EX.a",)]  # type: ignore[union-attr]
