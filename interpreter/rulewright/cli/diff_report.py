"""The report of `diff` as text: verdicts, then edits grouped by step; or one row in full."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from rulewright.base.diagnostics import make_visible
from rulewright.cli import diff_odds
from rulewright.cli.diff_result import DiffResult, group_rendered_edits
from rulewright.cli.diff_screen import list_unedited_clauses, render_heading, summarize_scenarios
from rulewright.cli.diff_warnings import list_warnings
from rulewright.cli.diff_witnesses import (
    TitledList,
    describe_migrated_game,
    describe_value_witness,
    find_row_proof,
    list_migrated_scenarios,
    list_unshown_edits,
    shorten_shipped_path,
)
from rulewright.cli.output import Output, make_stop
from rulewright.cli.witness_stories import make_witness_story, render_story
from rulewright.diff.change_rows import GONE, ChangeRow
from rulewright.diff.comparison import PROVED_VERDICTS
from rulewright.diff.differential_testing.results import (
    PlayWitness,
)
from rulewright.diff.edit_report import RenderedEdit
from rulewright.diff.edits import EDIT_SECTIONS, SECTION_TITLES

_EDIT_SECTIONS = ("rules", "rewritten", "declarations", "names", "wording")
_SORT_ROLES = {"added": "good", "removed": "error", "changed": "warning", "moved": "warning"}


def render_full_diff(diff: DiffResult, out: Output, *, whole: bool) -> Iterator[str]:
    """The full report; the values of margins only if `whole`, else their count."""
    width = max(len(make_visible(side.request.display_name)) for side in (diff.old, diff.new))
    for side in (diff.old, diff.new):
        title = f'{side.program.name} "{side.program.title}" revision {side.revision}'
        yield f"{side.request.label} {out.paint(f'{make_visible(side.request.display_name):<{width}}', 'place')}  {make_visible(title)}"
    yield ""
    yield from _render_verdicts(diff, out)
    warned = tuple(map(make_visible, list_warnings(diff)))
    yield from _render_lists([TitledList("Warnings:", warned)] if warned else (), out)
    before = 0
    for part in diff.parts:
        if part.part_name:
            yield from (
                "",
                out.paint(f"{part.part_name[0].upper()}{part.part_name[1:]}:", "strong"),
                *_render_verdicts(part, out),
            )
        yield from _render_sections(part, EDIT_SECTIONS, out, folded=not whole)
        yield from _render_lists(list_unedited_clauses(part) if whole else (), out)
        behaviour = part.whole.behaviour
        if behaviour is not None and behaviour.values:
            yield from ("", out.paint("Values:", "strong"))
            yield from (f"  {describe_value_witness(value, part)}" for value in behaviour.values)
        for number, witness in enumerate(behaviour.witnesses if behaviour else (), before + 1):
            yield ""
            yield from render_witness(f"Witness {number}", witness, part, out)
        before += len(behaviour.witnesses) if behaviour else 0
        yield from _render_lists(list_unshown_edits(part), out)
    yield from _render_lists(diff_odds.list_odds_shifts(diff), out)
    yield from _render_old_plays(diff, out)
    yield from _render_lists(
        [TitledList("Files that differ and do not belong to the rules:", diff.unread_files)] * bool(diff.unread_files),
        out,
    )


def render_requested_parts(
    diff: DiffResult, sections: Collection[str], out: Output, *, headed: bool = True
) -> Iterator[str]:
    """Report sections by name (`edits`, `readings`, `margins`, `scenarios`), alone or after a row."""
    yield from render_heading(diff, out) if headed else ()
    quiet = [frozenset(diff_result.screen.folded.readings) for diff_result in diff.parts]
    if "edits" in sections:
        yield from _render_sections_of_parts(diff, _EDIT_SECTIONS, out, quiet)
    if "readings" in sections:
        edits = [
            one
            for diff_result, quiet_numbers in zip(diff.parts, quiet, strict=True)
            for one in diff_result.worded_edits
            if one.number in quiet_numbers
        ]
        head = (
            "Readings, and what only another one than the written brings" if edits else "No change of a reading alone"
        )
        yield from ("", out.paint(f"{head}:", "strong") if edits else head, *_render_grouped_edits(edits, out))
    if "margins" in sections:
        yield from _render_sections_of_parts(diff, ("margins", "remarks"), out)
        yield from (line for part in diff.parts for line in _render_lists(list_unedited_clauses(part), out))
    if "scenarios" in sections:
        yield from ("", summarize_scenarios(diff) or "No scenarios and scripts beside OLD")
        yield from _render_old_plays(diff, out)


def _render_sections_of_parts(
    diff: DiffResult, names: Sequence[str], out: Output, without: Sequence[Collection[int]] = ()
) -> Iterator[str]:
    for number, part in enumerate(diff.parts):
        lines = [*_render_sections(part, names, out, without=without[number] if without else ())]
        if lines and part.part_name:
            yield from ("", out.paint(f"{part.part_name[0].upper()}{part.part_name[1:]}:", "strong"))
        yield from lines


def _render_old_plays(diff: DiffResult, out: Output) -> Iterator[str]:
    yield from _render_lists(list_migrated_scenarios(diff), out)
    if diff.outdated_addresses:
        yield ""
        yield out.paint("Addresses in scripts and scenarios beside OLD:", "strong")
        yield from (
            f"  {make_visible(f'{shorten_shipped_path(outdated_address.file_and_line)}: {outdated_address.place.description}')}"
            for outdated_address in diff.outdated_addresses
        )
    if diff.games:
        yield ""
        yield out.paint("Games:", "strong")
        yield from (f"  {describe_migrated_game(game)}" for game in diff.games)


def _render_lists(many: Iterable[TitledList], out: Output) -> Iterator[str]:
    for one in many:
        yield from ("", out.paint(one.title, "strong"), *(f"  {edit}" for edit in one.edits))


def _render_sections(
    diff: DiffResult, names: Iterable[str], out: Output, *, folded: bool = False, without: Collection[int] = ()
) -> Iterator[str]:
    for name in names:
        edits = tuple(edit for edit in diff.edits_in_section(name) if edit.number not in without)
        if edits:
            yield ""
            yield from _render_edit_section(name, edits, out, folded=folded and name == "margins")


def _render_verdicts(diff: DiffResult, out: Output) -> Iterator[str]:
    verdict, layers = (diff.whole.verdict, diff.whole.layer_verdicts) if diff.part_name else (diff.verdict, diff.layers)
    yield f"{_paint_verdict(str(verdict), verdict.word, out)}: {verdict.meaning}"
    notes = {
        "structure": diff.edit_counts,
        "meaning": f"not proved alike: {diff.unproved_names}" if diff.unproved_names else "",
    }
    notes["behaviour"] = diff.play_effort
    width = max(map(len, layers.values()))
    for layer, word in layers.items():
        note = notes.get(layer, "")
        padded = f"{word:<{width}}" if note else word
        yield f"  {layer:<9}  {_paint_verdict(padded, word, out)}{out.paint(f'  {make_visible(note)}', 'dim') if note else ''}"


def _paint_verdict(text: str, word: str, out: Output) -> str:
    return out.paint(text, "good" if word in PROVED_VERDICTS else "warning")


def _render_edit_section(name: str, edits: tuple[RenderedEdit, ...], out: Output, *, folded: bool) -> Iterator[str]:
    title = out.paint(f"{SECTION_TITLES.get(name, name.capitalize())}:", "strong")
    if folded:
        yield f"{title} {len(edits)}, shown with --all"
        return
    yield title
    yield from _render_grouped_edits(edits, out)


def _render_grouped_edits(edits: Sequence[RenderedEdit], out: Output) -> Iterator[str]:
    for inside in group_rendered_edits(tuple(edits)):
        if len(inside) == 1:
            yield f"  {_render_edit(inside[0], inside[0].lead, out)}"
            continue
        yield f"  {make_visible(inside[0].heading)}"
        yield from (f"    {_render_edit(rendered_edit, rendered_edit.lead_in_group, out)}" for rendered_edit in inside)


def render_witness(called: str, witness: PlayWitness, diff: DiffResult, out: Output) -> Iterator[str]:
    """Text lines of a witness play, with a title."""
    play = make_witness_story(witness, diff)
    yield f"{out.paint(f'{called}:', 'strong')} {make_visible(play.title)}"
    if play.shows:
        yield f"  {out.paint('shows', 'place')}"
        yield from (f"    {line}" for line in play.shows)
    yield from render_story(play, out.paint, out.width if out.form == "human" else None)


def _render_edit(edit: RenderedEdit, place: str, out: Output) -> str:
    text = (
        out.paint(make_visible(edit.text), _SORT_ROLES[edit.kind])
        if edit.kind in _SORT_ROLES
        else make_visible(edit.text)
    )
    return f"{make_visible(place)}: {text}" if place else text


def render_row(diff: DiffResult, number: int, out: Output) -> Iterator[str]:
    """The full text of a row, numbered from 1; stops with RW1109 where there is no such row."""
    every = [(diff_result, row) for diff_result in diff.parts for row in diff_result.screen.rows]
    if number > len(every):
        remedy = f"rows are numbered from 1 to {len(every)}" if every else "no edit may have changed play"
        raise make_stop("RW1109", f"the comparison has no row {number}", remedy)
    part, row = every[number - 1]
    return _render_row_in_full(part, number, row, out)


def _render_row_in_full(diff: DiffResult, number: int, row: ChangeRow, out: Output) -> Iterator[str]:
    yield from render_heading(diff, out)
    yield ""
    yield out.paint(make_visible(f"{number} {'*' if row.is_shown else '?'} {row.name}"), "strong")
    old, new = (
        ((row.was, *row.further_sentences), (row.now,))
        if row.kind == GONE
        else ((row.was or row.halves.implied_before,), (row.now, *row.further_sentences))
    )
    for label, statement, clauses in (("was", old, row.clauses[0]), ("is", new, row.clauses[1])):
        for place, item in enumerate(filter(None, statement)):
            cite = f"   {clauses[place]}" if place < len(clauses) else ""
            yield make_visible(f"  {label if not place else '':<4} {item}{cite}")
    yield from ("", out.paint("Edits:", "strong"))
    yield from (
        f"  {make_visible(str(worded_edit))}" for worded_edit in diff.worded_edits if worded_edit.number in row.edits
    )
    yield ""
    yield from _render_row_play(diff, number, row, out)


def _render_row_play(diff: DiffResult, number: int, row: ChangeRow, out: Output) -> Iterator[str]:
    proof = find_row_proof(row, diff)
    if proof.missing_reason:
        yield proof.missing_reason
    if proof.play is not None:
        heading = "A play" if proof.play.subject is None and len(diff.screen.rows) > 1 else f"A play of row {number}"
        yield from render_witness(heading, proof.play, diff, out)
    yield from (f"Value: {value}" for value in proof.values)
