"""The desk: which ruleset a text belongs to, and what is wrong with it while it is written."""

import random

import pytest

from rulewright.base.diagnostics import Diagnostic, Edit, Label, Severity, sort_by_place
from rulewright.base.files import DISK, FileProvider, MemoryFiles, RevisedFiles, get_resource_folder
from rulewright.base.source import Span, Text
from rulewright.documents.check_findings import load_and_check
from rulewright.documents.ruleset_loading import IncrementalLoader, LoadedRuleset
from rulewright.documents.ruleset_location import RulesetLocation
from rulewright.editor.editor_workspace import OpenDocument, Workspace, find_rule_problems
from rulewright.editor.refactoring import list_safe_fixes
from support.raid_example import FILES, MAIN, OVERLAY, PARTS, PLACE, THINGS


def told(opened: OpenDocument) -> list[str]:
    return [each.message for found in find_rule_problems(opened).values() for each in found]


def test_a_ruleset_that_is_fine_has_each_file_without_findings(desk: Workspace) -> None:
    assert find_rule_problems(desk.open_document(PLACE)) == {
        PLACE: (), PARTS: (), "raid/RD.clauses.yaml": (),
    }  # fmt: skip


def test_a_part_belongs_to_the_ruleset_that_uses_it(desk: Workspace) -> None:
    desk.change_text(PARTS, THINGS)
    assert desk.find_ruleset(PARTS) == RulesetLocation(PLACE)


def test_an_overlay_comes_with_what_it_amends(desk: Workspace) -> None:
    desk.change_text(OVERLAY, FILES[OVERLAY])
    assert desk.find_ruleset(OVERLAY) == RulesetLocation(PLACE, (OVERLAY,))
    assert told(desk.open_document(OVERLAY)) == []


def test_an_overlay_whose_first_line_is_being_written_still_belongs_to_its_ruleset(desk: Workspace) -> None:
    desk.change_text(OVERLAY, FILES[OVERLAY])
    desk.find_ruleset(OVERLAY)
    desk.change_text(OVERLAY, FILES[OVERLAY].replace("amends raid", "amends rai"))
    assert desk.find_ruleset(OVERLAY) == RulesetLocation(PLACE, (OVERLAY,))


def test_where_a_text_belongs_is_looked_for_when_it_settles(desk: Workspace) -> None:
    desk.change_text(PARTS, THINGS)
    desk.find_ruleset(PARTS)
    desk.change_text(PLACE, MAIN.replace('use "', '# use "'))
    desk.change_text(PARTS, "# no first line yet\n" + THINGS)
    assert desk.find_ruleset(PARTS, refresh=False) == RulesetLocation(PLACE)
    assert desk.find_ruleset(PARTS) == RulesetLocation(PARTS)


def test_what_is_closed_counts_as_it_is_on_the_disk(desk: Workspace) -> None:
    desk.change_text(PARTS, THINGS.replace("health:", "vigour:"))
    desk.close_text(PARTS)
    assert told(desk.open_document(PLACE)) == []


@pytest.mark.parametrize("ruleset", ["pig/pig.rules", "melee-phase/melee_phase_checks.rules"])
def test_what_is_told_of_a_readable_text_is_what_check_tells(ruleset: str) -> None:
    place = str(get_resource_folder("rulesets") / ruleset)
    content = (get_resource_folder("rulesets") / ruleset).read_text(encoding="utf-8")
    desk, chance, compared = Workspace(), random.Random(ruleset), 0
    desk.change_text(place, content)
    for _ in range(8):
        at = chance.randrange(len(content))
        desk.change_text(place, content[:at] + chance.choice(["x", "1", " + 1", "\n"]) + content[at:])
        opened = desk.open_document(place)
        if opened.live.readable.content == opened.live.text.content:
            compared += 1
            name = desk.find_ruleset(place).main or place
            whole = load_and_check(name, (), lambda _: {}, RevisedFiles(DISK, {place: opened.live.text.content}))
            assert (
                sort_by_place(each for found in find_rule_problems(opened).values() for each in found)
                == whole.diagnostics
            )
    assert compared > 1


def test_safe_remedies_that_overlap_wait() -> None:
    def finding(start: int, *, safe: bool) -> Diagnostic:
        place = Span("a", start, start + 3)
        return Diagnostic("RW0001", Severity.ERROR, "m", Label(place), edits=(Edit(place, "x", safe),))

    found = [finding(0, safe=True), finding(2, safe=True), finding(9, safe=False), finding(20, safe=True)]
    assert [each.place.start for each in list_safe_fixes(found)] == [0, 20]


def test_a_text_of_nothing_has_its_findings() -> None:
    desk = Workspace(MemoryFiles({}))
    desk.change_text("new.rules", "")
    assert [each.code for each in find_rule_problems(desk.open_document("new.rules"))["new.rules"]] == ["RW0201"]
    assert desk.current_text("new.rules") == Text("new.rules", "")


def test_typing_above_a_header_asks_no_ruleset_around_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {**FILES, **{place.replace("raid", "other"): content for place, content in FILES.items()}}
    desk, begun = Workspace(MemoryFiles(files)), "# A file that is begun.\n"
    desk.change_text("raid/more.rules", begun)
    desk.open_document("raid/more.rules")
    asked: list[str | None] = []
    load = IncrementalLoader.load_changed

    def counted(
        again: IncrementalLoader, located: RulesetLocation, overlays: tuple[str, ...], provider: FileProvider
    ) -> LoadedRuleset:
        asked.append(located.main)
        return load(again, located, overlays, provider)

    monkeypatch.setattr(IncrementalLoader, "load_changed", counted)
    for end in range(1, len(begun)):
        desk.change_text("raid/more.rules", f"{begun}{begun[:end]}")
        desk.open_document("raid/more.rules")
    assert set(asked) == {"raid/more.rules"}
