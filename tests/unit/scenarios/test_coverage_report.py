"""What scenarios reach goes as `pages/coverage.md` says; a question is an edit of the rules or scenarios, or none."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from rulewright.base.files import MemoryFiles
from rulewright.scenarios.coverage_report import CoverageReport, build_coverage_report, count_units
from rulewright.scenarios.reached_units import CoveragePlayer
from rulewright.scenarios.scenario_files import read_cases, read_suites
from support.asked_pages import check_page
from support.language_cases import split_blocks

PAGE = Path(__file__).parent / "pages/coverage.md"
TEXT = PAGE.read_text(encoding="utf-8")


def read_files(section: str) -> dict[str, str]:
    """The files at the top of the page, and those of a section in place of them."""
    blocks = (*split_blocks(TEXT.partition("\n## ")[0], "rules", "yaml"), *split_blocks(section, "rules", "yaml"))
    return {block["name"]: block["content"] for block in blocks}


def tell_coverage(files: dict[str, str], sorts: str) -> Iterable[str]:
    """By sort what is reached, by which scenarios, and what is not; of some sorts, or of all."""
    player = CoveragePlayer(MemoryFiles(files))
    suites = read_suites(["duel.scenario.yaml"], player.loader)
    assert suites.value is not None, suites.diagnostics
    (suite,) = suites.value
    found = build_coverage_report(player, list(player.cover_cases(suite.cases, lambda: None)), suite.exclude)
    told: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for each in found.reached:
        told[each.unit.sort][", ".join(found.results[by].case.name for by in each.by)].append(each.unit.name)
    for unit in found.missing:
        told[unit.sort]["nobody"].append(unit.name)
    yield ", ".join(f"{each.case.name} {each.outcome}" for each in found.results)
    for count in (each for each in count_units(found) if not sorts or each.sort in sorts.split()):
        yield f"{count.sort} {count.reached} of {count.whole}"
        yield from (f"  {by}: {', '.join(names)}" for by, names in told[count.sort].items())
    yield from (f"dead {each.name}: {each.dead}" for each in found.dead)
    yield from (f"left out {each.unit.name}: {each.because}" for each in found.excluded)
    yield from (f"{each.code} {each.message}" for each in found.stale)


def test_what_is_reached(*, accept: bool) -> None:
    def answer(asks: str, about: str, question: str, section: str) -> Iterable[str]:
        del asks
        files = read_files(section)
        for edit in question.split(" ; ") if " → " in question else ():
            old, _, new = edit.partition(" → ")
            (name,) = (name for name, content in files.items() if content.count(old) == 1)
            files[name] = files[name].replace(old, new)
        return tell_coverage(files, about)

    check_page(PAGE, {"cover"}, answer, accept=accept)


def cover(place: str, files: dict[str, str]) -> CoverageReport:
    player = CoveragePlayer(MemoryFiles(files))
    cases = read_cases([place], player.loader)
    assert cases.value is not None, cases.diagnostics
    return build_coverage_report(player, list(player.cover_cases(cases.value, lambda: None)), ())


def test_an_overlay_in_another_folder_counts() -> None:
    files = read_files(TEXT[TEXT.index("\n## Who reached what") :].partition("\n```cover")[0])
    overlay = 'amends duel revision "1-soft"\nreplace row nerve/rested: +2 when not u.tired\n'
    scenarios = f"ruleset: ../shelf\noverlays: [soft.rules]\n{files.pop('duel.scenario.yaml')}"
    shelf = {f"shelf/{name}": content for name, content in files.items()}
    found = cover("mine", {**shelf, "mine/soft.rules": overlay, "mine/soft.scenario.yaml": scenarios})
    sources = {each.unit.span.source for each in found.reached if each.unit.span}
    assert sources == {"mine/../shelf/duel.rules", "mine/soft.rules"}


def test_an_address_stands_for_all_that_is_inside() -> None:
    found = cover("duel.scenario.yaml", read_files(TEXT[TEXT.index("\n## Every cell") :]))
    units = [each.unit for each in found.reached] + list(found.missing)
    assert [each.name for each in units if each.is_meant_by("results/1")] == ["results/1/high", "results/1/low"]
    assert [each.name for each in units if each.is_meant_by("result")] == []
