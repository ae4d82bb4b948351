"""The desk: which ruleset a text belongs to, and what is wrong with it while it is written."""

import random
from collections.abc import Callable

import pytest

from rulewright.diagnostics import Diagnostic, Edit, Label, Severity
from rulewright.diagnostics.model import by_place
from rulewright.diagnostics.remedies import edited, in_words
from rulewright.editing.desk import Desk, Open, problems
from rulewright.editing.fixes import fixes, safe_fixes
from rulewright.files import Provider
from rulewright.files.providers import Revised
from rulewright.resources import folder
from rulewright.source import Span, Text
from rulewright.workspace import DISK, Again, Loaded, Located, Memory
from rulewright.workspace.judgement import judged
from support.raid import FILES, MAIN, OVERLAY, PARTS, PLACE, THINGS

Typed = Callable[..., tuple[Open, int]]


def told(opened: Open) -> list[str]:
    return [each.message for found in problems(opened).values() for each in found]


def test_a_ruleset_that_is_fine_has_each_file_without_findings(desk: Desk) -> None:
    assert problems(desk.opened(PLACE)) == {
        PLACE: (), PARTS: (), "raid/RD.clauses.yaml": (),
    }  # fmt: skip


def test_a_part_belongs_to_the_ruleset_that_uses_it(desk: Desk) -> None:
    desk.change(PARTS, THINGS)
    assert desk.home(PARTS) == Located(PLACE)


def test_an_overlay_comes_with_what_it_amends(desk: Desk) -> None:
    desk.change(OVERLAY, FILES[OVERLAY])
    assert desk.home(OVERLAY) == Located(PLACE, (OVERLAY,))
    assert told(desk.opened(OVERLAY)) == []


def test_an_overlay_whose_first_line_is_being_written_still_belongs_to_its_ruleset(desk: Desk) -> None:
    desk.change(OVERLAY, FILES[OVERLAY])
    desk.home(OVERLAY)
    desk.change(OVERLAY, FILES[OVERLAY].replace("amends raid", "amends rai"))
    assert desk.home(OVERLAY) == Located(PLACE, (OVERLAY,))


def test_where_a_text_belongs_is_looked_for_when_it_settles(desk: Desk) -> None:
    desk.change(PARTS, THINGS)
    desk.home(PARTS)
    desk.change(PLACE, MAIN.replace('use "', '# use "'))
    desk.change(PARTS, "# no first line yet\n" + THINGS)
    assert desk.home(PARTS, settle=False) == Located(PLACE)
    assert desk.home(PARTS) == Located(PARTS)


def test_an_edit_of_a_part_is_told_where_it_breaks_another(desk: Desk) -> None:
    desk.change(PARTS, THINGS.replace("health:", "vigour:"))
    found = problems(desk.opened(PARTS))
    assert found[PARTS] == ()
    assert "`Unit` has no attribute `health`" in [each.message for each in found[PLACE]]


def test_what_is_closed_counts_as_it_is_on_the_disk(desk: Desk) -> None:
    desk.change(PARTS, THINGS.replace("health:", "vigour:"))
    desk.close(PARTS)
    assert told(desk.opened(PLACE)) == []


def test_a_key_that_breaks_a_line_is_told_at_once(typed: Typed) -> None:
    opened, _ = typed("let needed = 4", "let needed = (|4")
    assert told(opened) == ["`(` is not closed"]


def test_what_a_check_tells_waits_until_it_settles(desk: Desk, typed: Typed) -> None:
    opened, _ = typed("let needed = 4", "let needed = fuor|")
    assert told(opened) == []
    assert told(desk.opened(PLACE)) == ["`fuor` is not known here"]


def test_findings_stand_where_their_lines_went(desk: Desk, typed: Typed) -> None:
    typed("means u.health < 3", "means u.heath < 3|", settle=True)
    content = desk.text(PLACE).content  # type: ignore[union-attr]
    desk.change(PLACE, content.replace("# Who strikes first.", "# Who strikes first, and how.\n#"))
    [found] = problems(desk.opened(PLACE, settle=False))[PLACE]
    assert found.primary is not None
    place = found.primary.span
    assert desk.text(PLACE).content[place.start : place.end] == "heath"  # type: ignore[union-attr]


def test_an_error_elsewhere_is_still_told_while_a_line_cannot_be_read(desk: Desk, typed: Typed) -> None:
    typed("means u.health < 3", "means u.heath < 3|", settle=True)
    broken = desk.text(PLACE).content.replace("let needed = 4", "let needed = (")  # type: ignore[union-attr]
    desk.change(PLACE, broken)
    assert told(desk.opened(PLACE)) == ["`(` is not closed", "`Unit` has no attribute `heath`"]


def test_a_declaration_that_was_never_readable_makes_nobody_else_wrong() -> None:
    files = {
        **FILES,
        PLACE: MAIN.replace("table harm", "tabel harm"),
        PARTS: THINGS.replace("table harm", "tabel harm"),
    }
    fresh = Desk(Memory(files))
    fresh.change(PARTS, files[PARTS])
    assert [each.code for found in problems(fresh.opened(PARTS)).values() for each in found] == ["RW0128"]


@pytest.mark.parametrize("ruleset", ["pig/pig.rules", "melee-phase/melee_phase_checks.rules"])
def test_what_is_told_of_a_readable_text_is_what_check_tells(ruleset: str) -> None:
    place = str(folder("rulesets") / ruleset)
    content = (folder("rulesets") / ruleset).read_text(encoding="utf-8")
    desk, chance, compared = Desk(), random.Random(ruleset), 0
    desk.change(place, content)
    for _ in range(8):
        at = chance.randrange(len(content))
        desk.change(place, content[:at] + chance.choice(["x", "1", " + 1", "\n"]) + content[at:])
        opened = desk.opened(place)
        if opened.live.standing.content == opened.live.text.content:
            compared += 1
            name = desk.home(place).main or place
            whole = judged(name, (), lambda _: {}, Revised(DISK, {place: opened.live.text.content}))
            assert by_place(each for found in problems(opened).values() for each in found) == whole.diagnostics
    assert compared > 1


def test_remedies_are_offered_where_their_finding_stands(desk: Desk, typed: Typed) -> None:
    _, offset = typed("means u.health < 3", "means u.heal|th < 3 and u.stanec = bold", settle=True)
    found = problems(desk.opened(PLACE))[PLACE]
    [finding] = found
    assert finding.primary is not None
    assert fixes(found, Span(PLACE, offset, offset)) == ()
    [fix] = fixes(found, finding.primary.span)
    assert (in_words(fix.edits, desk.text), fix.safe) == ("Write `stance` in place of `stanec`", True)
    text = desk.text(PLACE)
    assert text is not None
    desk.change(PLACE, edited(text, fix.edits))
    assert told(desk.opened(PLACE)) == []


def test_safe_remedies_that_overlap_wait() -> None:
    def finding(start: int, *, safe: bool) -> Diagnostic:
        place = Span("a", start, start + 3)
        return Diagnostic("RW0001", Severity.ERROR, "m", Label(place), edits=(Edit(place, "x", safe),))

    found = [finding(0, safe=True), finding(2, safe=True), finding(9, safe=False), finding(20, safe=True)]
    assert [each.place.start for each in safe_fixes(found)] == [0, 20]


def test_a_text_of_nothing_has_its_findings() -> None:
    desk = Desk(Memory({}))
    desk.change("new.rules", "")
    assert [each.code for each in problems(desk.opened("new.rules"))["new.rules"]] == ["RW0201"]
    assert desk.text("new.rules") == Text("new.rules", "")


def test_typing_above_a_header_asks_no_ruleset_around_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {**FILES, **{place.replace("raid", "other"): content for place, content in FILES.items()}}
    desk, begun = Desk(Memory(files)), "# A file that is begun.\n"
    desk.change("raid/more.rules", begun)
    desk.opened("raid/more.rules")
    asked: list[str | None] = []
    load = Again.load

    def counted(again: Again, located: Located, overlays: tuple[str, ...], provider: Provider) -> Loaded:
        asked.append(located.main)
        return load(again, located, overlays, provider)

    monkeypatch.setattr(Again, "load", counted)
    for end in range(1, len(begun)):
        desk.change("raid/more.rules", f"{begun}{begun[:end]}")
        desk.opened("raid/more.rules")
    assert set(asked) == {"raid/more.rules"}
