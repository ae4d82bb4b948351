"""Charts with marks: what scenarios exercise of a procedure, and what another revision of it has otherwise."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

from rulewright.cli.draw import mark_chart_changes
from rulewright.wording.flow_chart import FlowChart
from support.duel_example import RULES, SCENARIO_HEAD, RunCommand

SCENARIOS = (
    SCENARIO_HEAD
    + """\
  a miss: {script: {1: [3]}, expect: {path: [1]}}
  a parry: {script: {1: [5], 2: yes}, expect: {path: [1, 2]}}
"""
)
EDITED = (
    RULES[: RULES.index("  step 2")].replace('revision "1"', 'revision "2"').replace("natural < 4", "natural < 3")
    + """\
  step 3 "Falls over" when target.health = 0:
    remove target
    roll d6 as breath by striker.owner
    if breath.natural > 5:
      add up to 1 to striker.health
"""
)
BOTH = ("old.rules", "duel.rules")
PARRY = [
    "◆ If the target is marked “shield”, the target's owner may",
    "   parry",
    "± If so: changes whether the target is marked “shield”",
    "± If not: changes the target's health",
]


def _marks(drawn: str) -> list[str]:
    """The marked lines of a chart in the notation of Mermaid, with what is said of them."""
    boxes = re.findall(r'^  s\d+\["(.*)"\]$', drawn, re.MULTILINE)
    lines = [
        line.replace("#34;", '"').replace("#59;", ";").replace("#62;", ">")
        for box in boxes
        for line in box.split("<br/>")
    ]
    return [re.sub("^   ", "  ", line) for line in lines if line[0] in "●◐○·+~✕≈ "]


def test_what_is_never_exercised_is_what_coverage_misses(run: RunCommand) -> None:
    """Each unit that `cover` misses stands in a box that is not called exercised, and no other box lacks anything."""
    Path("duel.scenario.yaml").write_text(SCENARIOS, encoding="utf-8")
    drawn = _marks(run("draw", "duel.rules", "--cover", "duel.scenario.yaml", "--as", "mermaid").out)
    boxes = {line[2]: line[0] for line in drawn if re.match(r". (\d |Before)", line)}
    assert boxes
    missing = json.loads(run("cover", "--format", "json").out)["missing"]
    steps = {found[1] if (found := re.match(r"strike/(\d)", each["name"])) else "B" for each in missing}
    assert {number for number, sign in boxes.items() if sign != "●"} == steps
    assert boxes["1"] == "●"


def test_both_directions_mark_the_same(run: RunCommand) -> None:
    """What is new from one revision to the other is gone the other way; against itself a revision has no mark."""
    Path("old.rules").write_text(RULES, encoding="utf-8")
    Path("duel.rules").write_text(EDITED, encoding="utf-8")
    there, back = (mark_chart_changes(*each, "strike", ()) for each in (BOTH, BOTH[::-1]))
    assert {*_addresses(there, "new")} == {*_addresses(back, "gone")} == {"strike/3/breath"}
    assert {*_addresses(there, "gone")} == {*_addresses(back, "new")} == {"strike/2", "strike/2/parry"}
    assert not [*_addresses(mark_chart_changes("old.rules", "old.rules", "strike", ()), "")]
    assert run("draw", "old.rules", "--against", "old.rules").exit == 0


def _addresses(made: FlowChart, sort: str) -> Iterator[str]:
    for box in made.boxes:
        marked = (each for each in (box, *box.notes) if each.mark.sort and sort in {each.mark.sort, ""})
        yield from (each.address for each in marked if each.address)


def test_every_mark_is_known_without_its_colour(run: RunCommand) -> None:
    Path("old.rules").write_text(RULES, encoding="utf-8")
    Path("duel.rules").write_text(EDITED, encoding="utf-8")
    marked = {
        form: run("draw", "duel.rules", "--against", "old.rules", "--as", form).out
        for form in ("svg", "mermaid", "dot")
    }
    for sign in "+~✕":
        assert all(sign in each for each in marked.values())
    space = "{http://www.w3.org/2000/svg}"
    drawn = ET.fromstring(marked["svg"])  # noqa: S314 - our own
    dashed = [each for each in drawn.iter(f"{space}rect") if each.get("stroke-dasharray")]
    struck = [each.text for each in drawn.iter(f"{space}text") if each.get("text-decoration")]
    assert len(dashed) == len(["the legend", "the step that is gone"])
    assert struck == ["gone", "2  The wound", *PARRY]
