"""Flow chart of a procedure of two revisions, with its edits marked."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rulewright.diff.comparison import RulesetComparison
from rulewright.diff.edit_report import RenderedEdit
from rulewright.program.declarations import Program
from rulewright.program.outline.items import OutlineItem
from rulewright.wording.flow_chart import ChartEdit, FlowChart, compare_charts, make_chart

_CHARTED_SECTIONS = frozenset({"rules", "rewritten", "names", "wording"})


def build_comparison_chart(
    name: str, comparison: RulesetComparison, rendered_edits: Sequence[RenderedEdit]
) -> FlowChart | None:
    """Flow chart of a procedure with its edits marked; the new one where both revisions have it; None where neither has.

    Args:
        name: of the procedure in the new revision, else in the old one.
        comparison: of both revisions.
        rendered_edits: edits in words.
    """
    old, new = comparison.programs
    same = comparison.correspondence
    if name not in new.procedures:
        name = same.find_new_name("procedure", name) or name
    before = same.invert_direction().find_new_name("procedure", name) if name in new.procedures else name
    charts = [
        make_chart(program.procedures[item], program) if item in program.procedures else None
        for item, program in ((before or "", old), (name, new))
    ]
    drawn = charts[1] or charts[0]
    if drawn is None:
        return None
    nothing = replace(drawn, boxes=())
    touched = {
        id(rendered_edit): chart_edit
        for rendered_edit in rendered_edits
        for chart_edit in _mark_edit(rendered_edit, comparison)
    }
    inside = [
        chart_edit
        for chart_edit in touched.values()
        if _is_in_procedure(chart_edit.old, before or "") or _is_in_procedure(chart_edit.new, name)
    ]
    merged_chart = compare_charts(charts[0] or nothing, charts[1] or nothing, same.addresses, inside)
    elsewhere = sum(rendered_edit.section == "rules" for rendered_edit in rendered_edits) - sum(
        rendered_edit.section == "rules" and touched.get(id(rendered_edit)) in inside
        for rendered_edit in rendered_edits
    )
    return replace(merged_chart, remarks=tuple(_chart_remarks(old, new, elsewhere)))


def _mark_edit(each: RenderedEdit, comparison: RulesetComparison) -> Iterator[ChartEdit]:
    if each.section not in _CHARTED_SECTIONS:
        return
    old, new = comparison.edits[each.number].old, comparison.edits[each.number].new
    tone = each.tone if each.section == "rules" or each.tone in {"new", "gone"} else "same"
    text = f"{each.lead_in_group}: {each.text}" if each.lead_in_group else each.text
    places = (old.span if old else None), (new.span if new else None)
    yield ChartEdit(tone, _item_addresses(old), _item_addresses(new), places, text.replace("`", ""))


def _item_addresses(item: OutlineItem | None) -> tuple[str, ...]:
    return (
        tuple(dict.fromkeys(outline_item.address for outline_item in item.walk_subtree())) if item is not None else ()
    )


def _is_in_procedure(addresses: Sequence[str], procedure: str) -> bool:
    return bool(addresses) and addresses[0].partition("/")[0] == procedure


def _chart_remarks(old: Program, new: Program, elsewhere: int) -> Iterator[str]:
    if old.revision != new.revision:
        yield f"revision {old.revision} → {new.revision}"
    if elsewhere:
        one = "1 edit of a rule stands" if elsewhere == 1 else f"{elsewhere} edits of rules stand"
        yield f"{one} outside this procedure; `rulewright diff` shows all".replace("`", "")
