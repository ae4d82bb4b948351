from rulewright.base.diagnostics import DiagnosticCollector
from rulewright.base.source import Text
from rulewright.checker.linker import SourceFile, link_sources
from rulewright.checker.symbols import LinkedProgram
from rulewright.syntax.nodes.declarations import UseHeader
from rulewright.syntax.parser import parse_rules_text

THINGS = "kind Unit, units:\n  owner: player\n"


def linked(main: str, overlays: tuple[str, ...] = (), **texts: str) -> tuple[LinkedProgram, list[str]]:
    """Links texts that use each other by their names."""
    report = DiagnosticCollector()
    sources = {}
    for name, content in texts.items():
        file = parse_rules_text(Text(name, content)).file
        assert file is not None
        used = [header.path.text for header in file.headers if isinstance(header, UseHeader)]
        sources[name] = SourceFile(name, file, {path: path for path in used})
    return link_sources(main, sources, overlays, {}, report), [each.code for each in report.diagnostics]


def ruleset(name: str, *lines: str) -> str:
    return "\n".join([f'ruleset {name} "Title" revision "1"', *lines, ""])


def test_a_file_used_without_prefix_belongs_to_the_same_module() -> None:
    found, codes = linked("a", a=ruleset("a", 'use "things"'), things=THINGS)
    assert codes == []
    assert found.modules == (found.main,)
    assert found.main.sources == ("things", "a")
    assert found.main.prefix == ""


def test_a_ruleset_used_with_a_prefix_is_a_module_of_its_own() -> None:
    found, _ = linked("a", a=ruleset("a", 'use "b" as other'), b=ruleset("b"))
    assert [module.prefix for module in found.modules] == ["other.", ""]
    assert found.main.uses["other"] is found.modules[0]


def test_prefixes_name_the_shortest_way_from_the_main_file() -> None:
    found, _ = linked(
        "a",
        a=ruleset("a", 'use "b" as b', 'use "c" as c'),
        b=ruleset("b", 'use "c" as inner', 'use "d" as d'),
        c=ruleset("c"),
        d=ruleset("d"),
    )
    assert sorted(module.prefix for module in found.modules) == ["", "b.", "b.d.", "c."]
    assert found.main.uses["b"].uses["inner"] is found.main.uses["c"]


def test_a_file_that_two_modules_use_belongs_to_the_nearest() -> None:
    found, codes = linked(
        "a",
        a=ruleset("a", 'use "things"', 'use "b" as b'),
        b=ruleset("b", 'use "things"'),
        things=THINGS,
    )
    assert codes == []
    assert len(found.main.declarations) == 1
    assert found.main.uses["b"].declarations == ()
    assert found.main.uses["b"].sources == ("things", "b")


def test_used_files_are_read_before_those_that_use_them() -> None:
    found, _ = linked("a", a=ruleset("a", 'use "b"', 'use "c"'), b='use "c"\n', c=THINGS)
    assert found.main.sources == ("c", "b", "a")


def test_files_in_a_circle_are_reported_once() -> None:
    _, codes = linked("a", a=ruleset("a", 'use "b"'), b='use "a"\n')
    assert codes == ["RW0204"]


def test_rulesets_in_a_circle_are_reported_once() -> None:
    _, codes = linked("a", a=ruleset("a", 'use "b" as b'), b=ruleset("b", 'use "a" as a'))
    assert codes == ["RW0204"]


def test_overlays_come_last_whoever_uses_them() -> None:
    found, codes = linked(
        "a",
        ("late",),
        a=ruleset("a", 'use "early"'),
        early='amends a revision "1"\n',
        late='amends a revision "2"\n',
    )
    assert codes == []
    assert found.main.sources == ("a", "early", "late")


def test_an_overlay_comes_after_the_overlay_it_uses() -> None:
    found, _ = linked(
        "a",
        ("second", "first"),
        a=ruleset("a"),
        first='amends a revision "1"\n',
        second='amends a revision "2"\nuse "first"\n',
    )
    assert found.main.sources == ("a", "first", "second")


def test_an_overlay_changes_the_ruleset_that_it_names() -> None:
    found, _ = linked(
        "a", ("house",), a=ruleset("a", 'use "b" as b'), b=ruleset("b"), house='amends b revision "1"\nvalues Sign: x\n'
    )
    assert len(found.main.uses["b"].declarations) == 1
    assert found.main.declarations == ()


def test_what_a_bare_cite_means_is_told_by_the_file() -> None:
    found, _ = linked(
        "a",
        ("house",),
        a=ruleset("a", 'document MEL "Melee"', 'use "things"'),
        things=THINGS,
        house='amends a revision "1"\ndocument HR "House"\ndocument XR "Extra"\n',
    )
    assert found.document_by_source == {"things": "MEL", "a": "MEL", "house": ""}
    assert [document.name for document in found.declared_documents] == ["MEL", "HR", "XR"]
