"""Charts of procedures: a small one whole, and all shipped ones held to what their texts say."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from rulewright.base.node_roles import walk_nodes
from rulewright.cli.reports import render_template
from rulewright.program import statements as st
from rulewright.wording.chart_rendering import lay_out_chart, render_graphviz, render_mermaid
from rulewright.wording.flow_chart import make_chart
from support.revision_pairs import check_text
from support.shipped_programs import load_shipped_program

RULES = """\
ruleset example "Example" revision "1"
kind Unit, units:
  owner: player
  weak: flag = no
procedure melee(unit: Unit) "Melee & more":
  require alive: not unit.gone "it is gone"
  step 1 "Roll":
    roll d6 as blow by unit.owner
    if unit.weak:
      if blow.natural < 4:
        proceed to 3
    else:
      finish
  step 2 "Press on" when blow_is_high(unit):
    ask unit.owner whether again "Attack again?":
      proceed to 1 at most 3
  step 3 "Over":
    finish
term blow_is_high(unit: Unit) gives flag means not unit.weak
"""
RULESETS = Path(__file__).parents[3] / "rulesets"
SHIPPED = sorted(each.name for each in RULESETS.iterdir() if (each / f"{each.name.replace('-', '_')}.rules").exists())


def test_other_tools_get_the_same_ways() -> None:
    checked = check_text(RULES)
    found = make_chart(checked.procedures["melee"], checked)
    ways = [(line.split()[0], line.split()[-1]) for line in render_mermaid(found).splitlines() if "-->" in line]
    assert ways == [
        ("s0", "s1"),
        ("s1", "s2"),
        ("s1", "s3"),
        ("s1", "the_end"),
        ("s2", "s3"),
        ("s2", "s1"),
        ("s3", "the_end"),
    ]
    assert ways == [
        (line.split()[0], line.split()[2]) for line in render_graphviz(found).splitlines() if " -> " in line
    ]
    assert "the_end([End])" in render_mermaid(found)


def test_what_an_author_wrote_is_no_markup() -> None:
    text = RULES.replace('"Roll"', '"<b>|Roll|</b>; #1"')
    checked = check_text(text)
    found = make_chart(checked.procedures["melee"], checked)
    drawn = render_template("chart.svg", lay_out_chart(found))
    assert "<b>" not in drawn
    assert ET.fromstring(drawn).tag.endswith("svg")  # noqa: S314 - our own
    assert "<b>" not in render_mermaid(found)


@pytest.mark.parametrize("name", SHIPPED)
def test_every_jump_is_drawn_inside_the_page(name: str) -> None:
    checked = load_shipped_program(name)
    for procedure in checked.procedures.values():
        found = make_chart(procedure, checked)
        assert [box.id for box in found.boxes if box.id] == [each.id for each in procedure.steps]
        jumps = [note.target for box in found.boxes for note in box.notes if note.sort == "jump"]
        lines = [each for each in walk_nodes(procedure) if isinstance(each, st.Proceed | st.Finish | st.FinishOuter)]
        assert len(jumps) == len(lines)
        drawn = lay_out_chart(found)
        for arrow in drawn.arrows:
            assert all(0 <= x <= drawn.width and 0 <= y <= drawn.height for x, y in arrow.points)
        for one, other in zip(drawn.boxes, drawn.boxes[1:], strict=False):
            assert one.y + one.height < other.y


@pytest.mark.parametrize("name", SHIPPED)
def test_every_procedure_is_a_text_for_other_tools(name: str) -> None:
    checked = load_shipped_program(name)
    for procedure in checked.procedures.values():
        found = make_chart(procedure, checked)
        assert found.boxes
        assert render_mermaid(found).count("\n") == render_graphviz(found).count("\n") - 2
