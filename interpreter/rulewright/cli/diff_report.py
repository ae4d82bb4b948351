"""The report of `diff` as text: verdicts, then edits grouped by step; or one row in full."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from rulewright.base.diagnostics import make_visible
from rulewright.cli.diff_odds import list_odds_shifts
from rulewright.cli.diff_result import DiffResult, group_rendered_edits
from rulewright.cli.diff_screen import list_unedited_clauses, render_heading, summarize_scenarios
from rulewright.cli.diff_warnings import list_warnings
from rulewright.cli.diff_witnesses import (
    describe_migrated_game,
    describe_value_witness,
    find_row_proof,
    list_migrated_scenarios,
    list_unshown_edits,
    shorten_shipped_path,
)
from rulewright.cli.output import Output, make_stop
from rulewright.cli.text_layout import TitledList, render_titled_lists
from rulewright.cli.witness_stories import make_witness_story, render_story
from rulewright.diff.change_rows import GONE
from rulewright.diff.comparison import PROVED_VERDICTS
from rulewright.diff.differential_testing.results import PlayWitness
from rulewright.diff.edit_report import RenderedEdit
from rulewright.diff.edits import EDIT_SECTIONS, SECTION_TITLES

_EDIT_SECTIONS = ("rules", "rewritten", "declarations", "names", "wording")
_SORT_ROLES = {"added": "good", "removed": "error", "changed": "warning", "moved": "warning"}


def render_full_diff(diff: DiffResult, out: Output, *, whole: bool) -> Iterator[str]:
    """The full report; the values of margins only if `whole`, else their count."""
    width = max(len(make_visible(side.request.display_name)) for side in (diff.old, diff.new))
    for side in (diff.old, diff.new):
        title = f'{side.program.name} "{side.program.title}" revision {side.revision}'
        name = out.paint(f"{make_visible(side.request.display_name):<{width}}", "place")
        yield f"{side.request.label} {name}  {make_visible(title)}"
    yield ""
    yield from _render_verdicts(diff, out)
    warnings = TitledList("Warnings:", tuple(map(make_visible, list_warnings(diff))))
    yield from render_titled_lists([warnings], out)
    number = 0
    for part in diff.parts:
        yield from (*_render_part_title(part, out), *(_render_verdicts(part, out) if part.part_name else ()))
        yield from _render_sections(part, EDIT_SECTIONS, out, folded=not whole)
        values = TitledList("Values:", tuple(describe_value_witness(value, part) for value in part.values))
        yield from render_titled_lists([*(list_unedited_clauses(part) if whole else ()), values], out)
        for number, witness in enumerate(part.witnesses, number + 1):  # noqa: B020 - goes on counting
            yield ""
            yield from render_witness(f"Witness {number}", witness, part, out)
        yield from render_titled_lists(list_unshown_edits(part), out)
    unread = TitledList("Files that differ and do not belong to the rules:", diff.unread_files)
    yield from render_titled_lists([*list_odds_shifts(diff), *_list_old_plays(diff), unread], out)


def render_requested_parts(
    diff: DiffResult, sections: Collection[str], out: Output, *, headed: bool = True
) -> Iterator[str]:
    """Report sections by name (`edits`, `readings`, `margins`, `scenarios`), alone or after a row."""
    yield from render_heading(diff, out) if headed else ()
    quiet = [frozenset(part.screen.folded.readings) for part in diff.parts]
    if "edits" in sections:
        yield from _render_sections_of_parts(diff, _EDIT_SECTIONS, out, quiet)
    if "readings" in sections:
        parts = zip(diff.parts, quiet, strict=True)
        edits = [edit for part, numbers in parts for edit in part.worded_edits if edit.number in numbers]
        head = out.paint("Readings, and what only another one than the written brings:", "strong")
        yield from ("", head if edits else "No change of a reading alone", *_render_grouped_edits(edits, out))
    if "margins" in sections:
        yield from _render_sections_of_parts(diff, ("margins", "remarks"), out)
        yield from render_titled_lists((one for part in diff.parts for one in list_unedited_clauses(part)), out)
    if "scenarios" in sections:
        yield from ("", summarize_scenarios(diff) or "No scenarios and scripts beside OLD")
        yield from render_titled_lists(_list_old_plays(diff), out)


def _render_part_title(part: DiffResult, out: Output) -> Iterator[str]:
    if part.part_name:
        yield from ("", out.paint(f"{part.part_name[0].upper()}{part.part_name[1:]}:", "strong"))


def _render_sections_of_parts(
    diff: DiffResult, names: Sequence[str], out: Output, without: Sequence[Collection[int]] = ()
) -> Iterator[str]:
    for number, part in enumerate(diff.parts):
        lines = [*_render_sections(part, names, out, without=without[number] if without else ())]
        yield from (*(_render_part_title(part, out) if lines else ()), *lines)


def _list_old_plays(diff: DiffResult) -> Iterator[TitledList]:
    """What has become of scenarios, addresses and saves beside the old revision."""
    yield from list_migrated_scenarios(diff)
    outdated = (make_visible(shorten_shipped_path(str(one))) for one in diff.outdated_addresses)
    yield TitledList("Addresses in scripts and scenarios beside OLD:", tuple(outdated))
    yield TitledList("Games:", tuple(map(describe_migrated_game, diff.games)))


def _render_sections(
    diff: DiffResult, names: Iterable[str], out: Output, *, folded: bool = False, without: Collection[int] = ()
) -> Iterator[str]:
    for name in names:
        edits = [edit for edit in diff.edits_in_section(name) if edit.number not in without]
        title = out.paint(f"{SECTION_TITLES.get(name, name.capitalize())}:", "strong")
        if edits and folded and name == "margins":
            yield from ("", f"{title} {len(edits)}, shown with --all")
        elif edits:
            yield from ("", title, *_render_grouped_edits(edits, out))


def _render_verdicts(diff: DiffResult, out: Output) -> Iterator[str]:
    verdict, layers = (diff.whole.verdict, diff.whole.layer_verdicts) if diff.part_name else (diff.verdict, diff.layers)
    yield f"{_paint_verdict(str(verdict), verdict.word, out)}: {verdict.meaning}"
    notes = {
        "structure": diff.edit_counts,
        "meaning": f"not proved alike: {diff.unproved_names}" if diff.unproved_names else "",
        "behaviour": diff.play_effort,
    }
    width = max(map(len, layers.values()))
    for layer, word in layers.items():
        note = notes.get(layer, "")
        padded = _paint_verdict(f"{word:<{width}}" if note else word, word, out)
        yield f"  {layer:<9}  {padded}{out.paint(f'  {make_visible(note)}', 'dim') if note else ''}"


def _paint_verdict(text: str, word: str, out: Output) -> str:
    return out.paint(text, "good" if word in PROVED_VERDICTS else "warning")


def _render_grouped_edits(edits: Sequence[RenderedEdit], out: Output) -> Iterator[str]:
    for heading, inside in group_rendered_edits(edits):
        yield from [f"  {make_visible(heading)}"] if heading else ()
        for lead, edit in inside:
            text = make_visible(edit.text)
            text = out.paint(text, _SORT_ROLES[edit.kind]) if edit.kind in _SORT_ROLES else text
            yield f"{'    ' if heading else '  '}{make_visible(lead)}{': ' if lead else ''}{text}"


def render_witness(called: str, witness: PlayWitness, diff: DiffResult, out: Output) -> Iterator[str]:
    """Text lines of a witness play, with a title."""
    play = make_witness_story(witness, diff)
    yield f"{out.paint(f'{called}:', 'strong')} {make_visible(play.title)}"
    if play.shows:
        yield f"  {out.paint('shows', 'place')}"
        yield from (f"    {line}" for line in play.shows)
    yield from render_story(play, out.paint, out.width if out.form == "human" else None)


def render_row(diff: DiffResult, number: int, out: Output) -> Iterator[str]:
    """The full text of a row, numbered from 1; stops with RW1109 where there is no such row."""
    every = [(part, row) for part in diff.parts for row in part.screen.rows]
    if number > len(every):
        remedy = f"rows are numbered from 1 to {len(every)}" if every else "no edit may have changed play"
        raise make_stop("RW1109", f"the comparison has no row {number}", remedy)
    part, row = every[number - 1]
    yield from render_heading(part, out)
    yield from ("", out.paint(make_visible(f"{number} {'*' if row.is_shown else '?'} {row.name}"), "strong"))
    further = row.further_sentences
    old = (row.was, *further) if row.kind == GONE else (row.was or row.halves.implied_before,)
    new = (row.now,) if row.kind == GONE else (row.now, *further)
    for label, statement, clauses in (("was", old, row.clauses[0]), ("is", new, row.clauses[1])):
        for place, item in enumerate(filter(None, statement)):
            cite = f"   {clauses[place]}" if place < len(clauses) else ""
            yield make_visible(f"  {'' if place else label:<4} {item}{cite}")
    edits = tuple(make_visible(str(edit)) for edit in part.worded_edits if edit.number in row.edits)
    yield from ("", out.paint("Edits:", "strong"), *(f"  {edit}" for edit in edits), "")
    proof = find_row_proof(row, part)
    yield from [proof.missing_reason] if proof.missing_reason else ()
    if proof.play is not None:
        is_of_all = proof.play.subject is None and len(part.screen.rows) > 1
        yield from render_witness("A play" if is_of_all else f"A play of row {number}", proof.play, part, out)
    yield from (f"Value: {value}" for value in proof.values)
