"""A chart of a procedure with marks on what another revision has otherwise, from the edits of a comparison."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rulewright.charts.chart import Chart, chart
from rulewright.charts.marks import Touched, compared as marked
from rulewright.comparing.comparison import Comparison
from rulewright.comparing.edit_report import Told
from rulewright.comparing.edits import Added, Removed, sides
from rulewright.outline.items import Item
from rulewright.program.declarations import Program

_SORTS = {"rules": "changed", "rewritten": "same", "names": "same", "wording": "same"}


def compared_chart(
    name: str, programs: tuple[Program, Program], comparison: Comparison, told: Sequence[Told]
) -> Chart | None:
    """The chart of a procedure of either revision, the new one where both have it; none where neither has.

    Args:
        name: of the procedure, as the new revision calls it, else as the old one does.
        programs: the old revision and the new one.
        comparison: of both.
        told: its edits in words.
    """
    old, new = programs
    same = comparison.correspondence
    if name not in new.procedures:
        name = same.new("procedure", name) or name
    before = same.mirrored().new("procedure", name) if name in new.procedures else name
    charts = [
        chart(program.procedures[each], program) if each in program.procedures else None
        for each, program in ((before or "", old), (name, new))
    ]
    drawn = charts[1] or charts[0]
    if drawn is None:
        return None
    nothing = replace(drawn, boxes=())
    touched = {id(each): made for each in told for made in _touched(each, comparison)}
    inside = [each for each in touched.values() if _is_in(each.old, before or "") or _is_in(each.new, name)]
    made = marked(charts[0] or nothing, charts[1] or nothing, same.addresses, inside)
    elsewhere = sum(each.section == "rules" for each in told) - sum(
        each.section == "rules" and touched.get(id(each)) in inside for each in told
    )
    return replace(made, remarks=tuple(_remarks(old, new, elsewhere)))


def _touched(each: Told, comparison: Comparison) -> Iterator[Touched]:
    if each.section not in _SORTS:
        return
    edit = comparison.edits[each.number]
    old, new = sides(edit)
    sort = {Added: "new", Removed: "gone"}.get(type(edit), _SORTS[each.section])
    text = f"{each.inner}: {each.text}" if each.inner else each.text
    places = (old.span if old else None), (new.span if new else None)
    yield Touched(sort, _addresses(old), _addresses(new), places, text.replace("`", ""))


def _addresses(item: Item | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.address for each in item.inside())) if item is not None else ()


def _is_in(addresses: Sequence[str], procedure: str) -> bool:
    return bool(addresses) and addresses[0].partition("/")[0] == procedure


def _remarks(old: Program, new: Program, elsewhere: int) -> Iterator[str]:
    if old.revision != new.revision:
        yield f"revision {old.revision} → {new.revision}"
    if elsewhere:
        one = "1 edit of a rule stands" if elsewhere == 1 else f"{elsewhere} edits of rules stand"
        yield f"{one} outside this procedure; `rulewright diff` shows all".replace("`", "")
